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

  private val block = Mem(t.slots, new Entry(p, t))
  when(io.write.valid)(block.write(io.write.bits.slot, io.write.bits.entry))
  io.entry := RegNext(block.read(io.readSlot.bits))

  // After reset slots come from a counter; those that were given back come from the queue. The next
  // two wait in registers, because whether one is lent is known late.
  private val fresh = RegInit(0.U(log2Ceil(t.slots + 1).W))
  private val free = Module(new Queue(UInt(t.slotBits.W), t.slots, useSyncReadMem = true))
  private val unused = fresh =/= t.slots.U
  free.io.enq.valid := io.release.valid
  free.io.enq.bits := io.release.bits
  private val next = Reg(Vec(2, UInt(t.slotBits.W)))
  private val waiting = RegInit(0.U(2.W))
  private val wants = waiting =/= 2.U
  private val comes = wants && (unused || free.io.deq.valid)
  private val coming = Mux(unused, fresh(t.slotBits - 1, 0), free.io.deq.bits)
  free.io.deq.ready := wants && !unused
  when(wants && unused)(fresh := fresh + 1.U)
  when(wants)(next(1) := coming)
  when(io.allocate.fire || waiting === 0.U)(next(0) := Mux(wants, coming, next(1)))
  waiting := waiting + comes - io.allocate.fire
  io.allocate.valid := waiting =/= 0.U
  io.allocate.bits := next(0)

  // A block memory promises nothing for a place that is written while it is read. Without memory
  // rows that is proved (tests/formal/unit.sv); their reads are looked at here.
  if (p.hasFilter)
    assert(
      !(io.readSlot.valid && io.write.valid && io.readSlot.bits === io.write.bits.slot),
      "R15: slot %d read while it is written",
      io.readSlot.bits
    )
  assert(!io.release.valid || free.io.enq.ready, "R15: slot %d given back twice", io.release.bits)
  assert(!io.allocate.ready || io.allocate.valid, "R11: an entry without a slot")
}

object EntryStore {

  /** Clocks from a slot's last use to its next, and a little more. */
  val spare: Int = 8
}
