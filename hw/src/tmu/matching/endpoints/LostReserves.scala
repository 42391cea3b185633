// SPDX-License-Identifier: Apache-2.0
package tmu.matching.endpoints

import chisel3._
import chisel3.util.Valid
import tmu.buffer.Sweep
import tmu.fault.EndpointMarks
import tmu.params.TmuParams

/** Which endpoints have lost their reserves, with a bit of what is known of them (R13).
  *
  * Their entries count like those of endpoints without a reserve from then on, and the slots that
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

  private val marked = EndpointMarks(p, sweep, io.loses)
  for (s <- 0 to 1) {
    // An endpoint that is told in this clock is marked in the next.
    val now = io.loses.map(l => l.valid && l.bits === io.at(s))
    io.lost(s) := marked(io.at(s)) || now.reduce(_ || _)
  }
}
