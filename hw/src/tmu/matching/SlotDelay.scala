// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{log2Ceil, ShiftRegister}
import tmu.params.TmuParams
import tmu.types.{Operation, Slot}

/** Delays each slot by a fixed number of clocks, in which its operations walk the rows.
  *
  * A memory with a rotating index; nothing in it moves. The route here is long, so a slot goes into
  * a register first, which can lie on that route.
  */
class SlotDelay(p: TmuParams, clocks: Int) extends Module {
  require(clocks >= 2, s"a delay of $clocks clocks; its registers need at least 2")
  val io = IO(new Bundle {
    val in = Input(new Slot(p))
    val out = Output(new Slot(p))
  })

  private val depth = clocks - 1
  private val writeIndex = RegInit(0.U(log2Ceil(depth + 1).W))
  private val readIndex = Mux(writeIndex === (depth - 1).U, 0.U, writeIndex + 1.U)
  writeIndex := readIndex

  private val streams =
    Seq((io.in.post, io.out.post, "posts"), (io.in.arrival, io.out.arrival, "arrivals"))
  for ((in, out, name) <- streams) {
    val entered = RegNext(in.bits)
    out.bits := RegNext(if (depth == 1) entered else delayInMemory(entered, name))
    out.valid := ShiftRegister(in.valid, clocks, false.B, true.B)
  }

  /** Operation that was given `depth` - 1 clocks ago. */
  private def delayInMemory(in: Operation, name: String): Operation = {
    val memory = Mem(depth, new Operation(p)).suggestName(name)
    memory.write(writeIndex, in)
    memory.read(readIndex)
  }
}
