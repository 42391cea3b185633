// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{log2Ceil, ShiftRegister}
import tmu.params.TmuParams
import tmu.types.{Operation, Slot}

/** Gives each slot back a fixed number of clocks later, when its operations have walked the rows.
  *
  * A memory with a turning place; nothing in it moves. The way here is long, so a slot goes into a
  * register first, which can lie on that way.
  */
class SlotDelay(p: TmuParams, clocks: Int) extends Module {
  require(clocks >= 2, s"a delay of $clocks clocks; its registers need at least 2")
  val io = IO(new Bundle {
    val in = Input(new Slot(p))
    val out = Output(new Slot(p))
  })

  private val places = clocks - 1
  private val place = RegInit(0.U(log2Ceil(places + 1).W))
  private val next = Mux(place === (places - 1).U, 0.U, place + 1.U)
  place := next

  private val ways =
    Seq((io.in.post, io.out.post, "posts"), (io.in.arrival, io.out.arrival, "arrivals"))
  for ((in, out, name) <- ways) {
    val entered = RegNext(in.bits)
    out.bits := RegNext(if (places == 1) entered else turn(entered, name))
    out.valid := ShiftRegister(in.valid, clocks, false.B, true.B)
  }

  /** What was given so many clocks ago as there are places, less one. */
  private def turn(in: Operation, name: String): Operation = {
    val memory = Mem(places, new Operation(p)).suggestName(name)
    memory.write(place, in)
    memory.read(next)
  }
}
