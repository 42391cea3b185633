// SPDX-License-Identifier: Apache-2.0
package tmu.fault

import chisel3._
import chisel3.util.Valid
import tmu.buffer.Sweep
import tmu.params.TmuParams

/** A mark an endpoint that is set once and stays until a reset.
  *
  * Each source has a memory of one bit an endpoint, as all may set theirs in the same clock; a
  * sweep clears them after a reset.
  */
object EndpointMarks {

  /** @param sets
    *   marks these endpoints, from the next clock on
    * @return
    *   whether an endpoint is marked, by whichever source
    */
  def apply(p: TmuParams, sweep: Sweep, sets: Seq[Valid[UInt]]): UInt => Bool = {
    val memories = sets.map { set =>
      val marks = Mem(p.endpoints, Bool())
      when(!sweep.io.ready || set.valid) {
        marks.write(Mux(sweep.io.ready, set.bits, sweep.io.index), sweep.io.ready)
      }
      marks
    }
    endpoint => memories.map(_.read(endpoint)).reduce(_ || _)
  }
}
