// SPDX-License-Identifier: Apache-2.0
package tmu.buffer

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, RegEnable}

/** First in, first out, one a clock, in a block memory: for queues that are wide or long.
  *
  * Like PointerQueue it is written in every clock, and `ready` and `valid` are registers. What
  * comes out lies in the register at the memory's output, so it is offered two clocks after it
  * came; to pass one a clock the queue has to hold three. The slot that is read is the one that is
  * written only while nothing is there to read. Synthesis puts memories named `block` into block
  * memories however short they are (fpga/synth/ecp5.ys).
  *
  * @param inBlock
  *   in a block memory; else in a small one, for what goes beside such a queue and has to be there
  *   early in its clock: a block memory is slow to show what it has read
  */
class BlockQueue[T <: Data](data: => T, entries: Int, inBlock: Boolean = true) extends Module {
  override def desiredName: String =
    s"${if (inBlock) "Block" else "Side"}Queue${entries}_${data.typeName}"
  require(entries >= 3, s"a queue of $entries entries; one a clock needs at least 3")
  val io = IO(new Bundle {
    val enq = Flipped(Decoupled(data))
    val deq = Decoupled(data)
    val count = Output(UInt(log2Ceil(entries + 1).W))
  })
  private val depth = 1 << log2Ceil(entries + 1)
  private val memory = Mem(depth, data).suggestName(if (inBlock) "block" else "memory")
  private val ahead = RegInit(0.U(log2Ceil(depth).W))
  private val behind = RegInit(0.U(log2Ceil(depth).W))
  private val (count, ready, _) = Occupancy(entries, io.enq.fire, io.deq.fire)

  memory.write(behind, io.enq.bits)
  when(io.enq.fire)(behind := behind + 1.U)

  // The entries in the memory, and their path to the register behind it.
  private val valid = RegInit(false.B)
  private val takes = !valid || io.deq.ready
  private val loads = Wire(Bool())
  private val (stored, _, some) = Occupancy(entries, io.enq.fire, loads)
  loads := takes && some
  when(loads)(ahead := ahead + 1.U)
  when(takes)(valid := some)

  io.enq.ready := ready
  io.deq.valid := valid
  io.deq.bits := RegEnable(memory.read(ahead), takes)
  io.count := count

  assert(ready === (count =/= entries.U), "ready, and %d entries", count)
  assert(some === (stored =/= 0.U), "something stored, and %d entries", stored)
  assert(count === stored +& valid, "%d entries, %d of them stored", count, stored)
  assert(stored === behind - ahead, "%d entries stored from %d on", stored, ahead)
}
