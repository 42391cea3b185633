// SPDX-License-Identifier: Apache-2.0
package tmu.matching.array

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, Queue, Valid}
import tmu.fault.{Checked, FaultFlip, FaultPort, FaultView}
import tmu.params.{TableParams, TmuParams}
import tmu.registers.FaultStores
import tmu.types.Entry

/** An entry as it was read. */
class StoredEntry(p: TmuParams, t: TableParams) extends Bundle {
  val entry = new Entry(p, t)

  /** The entry is not as it was stored. */
  val broken = Bool()

  /** Its endpoint has lost a bit, so that nobody knows whose it is. */
  def lost: Bool = entry.parity.fold(false.B)(_ ^ entry.endpoint.xorR)
}

/** Store of whole entries, by slot: lanes move slots, never bodies.
  *
  * A slot is allocated from `allocate`, filled by `write`, read by `readSlot` (`read` one clock
  * later) and freed by `release`, one of each a clock. There are `TableParams.spare` more slots
  * than entries, because one that was freed can be allocated again a few clocks later only; so a
  * unit that keeps the number of entries below the table's always finds one.
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
    val read = Output(new StoredEntry(p, t))
    val release = Flipped(Valid(UInt(t.slotBits.W)))
    val fault = new FaultPort
  })

  // An entry that is read at a slot where it was not written is seen too: the slot's parity is in it.
  private val block = Mem(t.slots, new Checked(p, new Entry(p, t)))
  private val bodyStore =
    if (t.receives) FaultStores.postedStore else FaultStores.unexpectedStore
  private val (stored, flipped) = FaultFlip(
    p,
    bodyStore,
    Checked(p, new Entry(p, t), io.write.bits.entry, io.write.bits.slot),
    io.fault.flip,
    io.write.valid
  )
  when(io.write.valid)(block.write(io.write.bits.slot, stored))
  private val read = RegNext(block.read(io.readSlot.bits))
  io.read.entry := read.word
  io.read.broken := read.broken(RegNext(io.readSlot.bits))
  private val reads = RegNext(io.readSlot.valid, false.B)

  // After reset slots come from a counter; those that were freed come from the queue. The next
  // few wait in registers. Whether one is allocated is known late, so it leaves them a clock later.
  private val fresh = RegInit(0.U(log2Ceil(t.slots + 1).W))
  private def slot = UInt(t.slotBits.W)
  private val free = Module(new Queue(new Checked(p, slot), t.slots, useSyncReadMem = true))
  private val unused = fresh =/= t.slots.U
  private val slotsStore =
    if (t.receives) FaultStores.postedSlots else FaultStores.unexpectedSlots
  private val released = Checked(p, slot, io.release.bits)
  private val (freed, slotFlipped) =
    FaultFlip(p, slotsStore, released, io.fault.flip, io.release.valid)
  free.io.enq.valid := io.release.valid
  free.io.enq.bits := freed
  private val ahead = if (p.parity) 4 else 3 // one may come without a slot
  private val waitingSlots = Reg(Vec(ahead, UInt(t.slotBits.W)))
  private val waiting = RegInit(0.U(log2Ceil(ahead + 1).W))
  private val allocated = RegNext(io.allocate.fire, false.B)
  private val wants = waiting =/= ahead.U
  // One that has lost a bit names a slot that may be in use: it is never allocated again.
  private val lost = free.io.deq.bits.broken()
  private val comes = wants && (unused || (free.io.deq.valid && !lost))
  private val coming = Mux(unused, fresh(t.slotBits - 1, 0), free.io.deq.bits.word)
  free.io.deq.ready := wants && !unused
  when(wants && unused)(fresh := fresh + 1.U)
  for (i <- 0 until ahead) {
    val behind = if (i + 1 < ahead) waitingSlots(i + 1) else coming
    val moved = Mux(waiting === (i + 1).U, coming, behind)
    waitingSlots(i) := Mux(allocated, moved, Mux(waiting === i.U, coming, waitingSlots(i)))
  }
  waiting := waiting + comes - allocated
  io.allocate.valid := waiting > allocated
  io.allocate.bits := Mux(allocated, waitingSlots(1), waitingSlots(0))
  io.fault.view := FaultView.all(
    Seq(
      FaultView(bodyStore, reads && io.read.broken, flipped),
      FaultView(slotsStore, free.io.deq.fire && lost, slotFlipped)
    )
  )

  // A block memory promises nothing for a slot that is written while it is read. Without memory
  // rows that is proved (tests/formal/unit.sv); their reads are looked at here.
  if (p.hasFilter)
    assert(
      !(io.readSlot.valid && io.write.valid && io.readSlot.bits === io.write.bits.slot),
      "R15: slot %d read while it is written",
      io.readSlot.bits
    )
  assert(!io.release.valid || free.io.enq.ready, "R15: slot %d freed twice", io.release.bits)
  assert(!io.allocate.ready || io.allocate.valid, "R11: an entry without a slot")
}
