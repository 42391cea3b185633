// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, Queue, Valid}
import tmu.params.TmuParams

/** Where whole entries lie, by slot: lanes move slots, never bodies.
  *
  * A slot is lent from `allocate`, filled by `write`, read by `readSlot` (entry one clock later)
  * and given back by `release`, one of each a clock. There are `EntryStore.spare` more slots than
  * entries, because one that was given back can be lent again a few clocks later only; so an asker
  * who keeps the number of entries below the table's always finds one.
  */
class EntryStore(p: TmuParams, t: TableParams) extends Module {
  override def desiredName: String = s"EntryStore${if (t.receives) "Posted" else "Unexpected"}"
  val io = IO(new Bundle {
    val allocate = Decoupled(UInt(t.slotBits.W))
    val write = Flipped(Valid(new Bundle {
      val slot = UInt(t.slotBits.W)
      val entry = new Entry(p, t)
    }))
    val readSlot = Flipped(Valid(UInt(t.slotBits.W)))
    val entry = Output(new Entry(p, t))
    val release = Flipped(Valid(UInt(t.slotBits.W)))
  })

  private val memory = SyncReadMem(t.slots, new Entry(p, t))
  when(io.write.valid)(memory.write(io.write.bits.slot, io.write.bits.entry))
  io.entry := memory.read(io.readSlot.bits, io.readSlot.valid)

  // After reset slots come from a counter; those that were given back come from the queue.
  private val fresh = RegInit(0.U(log2Ceil(t.slots + 1).W))
  private val free = Module(new Queue(UInt(t.slotBits.W), t.slots, useSyncReadMem = true))
  private val unused = fresh =/= t.slots.U
  free.io.enq.valid := io.release.valid
  free.io.enq.bits := io.release.bits
  io.allocate.valid := unused || free.io.deq.valid
  io.allocate.bits := Mux(unused, fresh(t.slotBits - 1, 0), free.io.deq.bits)
  free.io.deq.ready := io.allocate.ready && !unused
  when(io.allocate.fire && unused)(fresh := fresh + 1.U)

  assert(!io.release.valid || free.io.enq.ready, "R15: slot %d given back twice", io.release.bits)
  assert(!io.allocate.ready || io.allocate.valid, "R11: an entry without a slot")
}

object EntryStore {

  /** Clocks from a slot's last use to its next, and a little more. */
  val spare: Int = 8
}
