// SPDX-License-Identifier: Apache-2.0
package tmu.buffer

import chisel3._
import chisel3.util.{log2Ceil, Decoupled}

/** First in, first out, one a clock, in a small memory that is written in every clock.
  *
  * The slot behind the newest takes whatever is offered; it counts once the pointer has moved past
  * it. So no enable has to reach every bit, and `ready` and `valid` are registers that know nothing
  * of the other side in their clock: across an FPGA the enable of a wide queue takes longer than
  * all its logic. The memory has a slot more than the queue holds; a full queue takes nothing.
  */
class PointerQueue[T <: Data](data: => T, entries: Int) extends Module {
  override def desiredName: String = s"PointerQueue${entries}_${data.typeName}"
  require(entries >= 2, s"a queue of $entries entries; one a clock needs at least 2")
  val io = IO(new Bundle {
    val enq = Flipped(Decoupled(data))
    val deq = Decoupled(data)
    val count = Output(UInt(log2Ceil(entries + 1).W))
  })
  private val depth = 1 << log2Ceil(entries + 1)
  private val memory = Mem(depth, data)
  private val oldest = RegInit(0.U(log2Ceil(depth).W))
  private val behind = RegInit(0.U(log2Ceil(depth).W))
  private val (count, ready, valid) = Occupancy(entries, io.enq.fire, io.deq.fire)

  memory.write(behind, io.enq.bits)
  when(io.enq.fire)(behind := behind + 1.U)
  when(io.deq.fire)(oldest := oldest + 1.U)
  io.enq.ready := ready
  io.deq.valid := valid
  io.deq.bits := memory.read(oldest)
  io.count := count

  assert(ready === (count =/= entries.U), "ready, and %d entries", count)
  assert(valid === (count =/= 0.U), "valid, and %d entries", count)
}
