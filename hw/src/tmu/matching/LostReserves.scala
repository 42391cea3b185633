// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.Valid
import tmu.buffer.Sweep
import tmu.params.TmuParams

/** Which endpoints have lost their reserves, with a bit of what is known of them (R13).
  *
  * Their entries count like those of endpoints without a reserve from then on, and the places that
  * their reserves lacked are lost until a reset; so what is open to others is never more than there
  * is, and no other reserve is touched. It is set by an operation in its turn, and seen by all that
  * are decided after it.
  */
class LostReserves(p: TmuParams) extends Module {
  val io = IO(new Bundle {

    /** A clock before a decision: its endpoint, and whether it has lost its reserve. */
    val at = Input(Vec(2, UInt(p.endpointBits.W)))
    val lost = Output(Vec(2, Bool()))

    /** An operation that is decided finds that its endpoint's state has lost a bit. */
    val loses = Flipped(Vec(2, Valid(UInt(p.endpointBits.W))))
  })
  private val sweep = Module(new Sweep(p.endpoints))

  // A memory of one bit an endpoint for each stream, as both may lose in the same clock.
  private val marks = io.loses.map { loses =>
    val mark = Mem(p.endpoints, Bool())
    when(!sweep.io.ready || loses.valid) {
      mark.write(Mux(sweep.io.ready, loses.bits, sweep.io.place), sweep.io.ready)
    }
    mark
  }
  for (s <- 0 to 1) {
    val now = io.loses.map(l => l.valid && l.bits === io.at(s))
    io.lost(s) := (marks.map(_.read(io.at(s))) ++ now).reduce(_ || _)
  }
}
