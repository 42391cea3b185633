// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{log2Ceil, ShiftRegister}
import tmu.params.TmuParams

/** Gives each slot back a fixed number of clocks later, when its operations have walked the rows.
  *
  * A memory with a turning place; nothing in it moves.
  */
class SlotDelay(p: TmuParams, clocks: Int) extends Module {
  require(clocks >= 2, s"a delay of $clocks clocks; a memory needs at least 2")
  val io = IO(new Bundle {
    val in = Input(new Slot(p))
    val out = Output(new Slot(p))
  })

  private val place = RegInit(0.U(log2Ceil(clocks).W))
  private val next = Mux(place === (clocks - 1).U, 0.U, place + 1.U)
  place := next

  private val ways =
    Seq((io.in.post, io.out.post, "posts"), (io.in.arrival, io.out.arrival, "arrivals"))
  for ((in, out, name) <- ways) {
    val memory = Mem(clocks, new Operation(p)).suggestName(name)
    memory.write(place, in.bits)
    out.bits := RegNext(memory.read(next))
    out.valid := ShiftRegister(in.valid, clocks, false.B, true.B)
  }
}
