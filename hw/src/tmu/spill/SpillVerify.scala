// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, OHToUInt, PriorityEncoderOH, RegEnable, Valid}
import tmu.buffer.{BlockQueue, UpDown}
import tmu.fault.FaultView
import tmu.mutant.Mutant
import tmu.params.{SpillLayout, SpillParams}
import tmu.registers.FaultStores
import tmu.types.SpillEntry

/** Entries of a beat of words that may be what a search wants. */
class Candidates(s: SpillParams) extends Bundle {
  val chunk = new WalkedChunk(s)
  val beat = UInt(log2Ceil(SpillLayout.wordBeats).W)
  val hits = UInt(SpillLayout.wordsPerBeat.W)
}

/** Compares candidates with what is asked for, in age order: a filter id never takes an entry (R2).
  *
  * Several are being read from memory at a time, unless they lie on chip still. What is under way
  * when a search ends is forgotten, once memory has answered.
  */
class SpillVerify(s: SpillParams) extends Module {
  val io = IO(new Bundle {
    val searching = Input(Bool())
    val ask = Input(new SpillAsk(s))
    val candidates = Flipped(Decoupled(new Candidates(s)))
    val entry = Decoupled(new SpillSlot(s))
    val entryBeat = Flipped(Valid(new SpillBeat))

    /** An entry being written to memory. */
    val write = Flipped(Valid(new SpillSlot(s)))
    val written = Input(new SpillEntry(s.p))

    /** The oldest of those that are what is asked for. */
    val hit = Decoupled(new SpillHit(s))

    /** Candidates are left that were not compared, or memory has not answered for. */
    val some = Output(Bool())

    /** An entry was read, and was not what is asked for. */
    val falsePositive = Output(Bool())
    val view = Output(new FaultView)
  })
  private val searching = io.searching
  private val cache = Module(new EntryCache(s))
  cache.io.forget := !searching
  cache.io.write := io.write
  cache.io.written := io.written

  // One by one, oldest first: asked for, unless it lies on chip, and in line for its turn.
  private class Asked extends Bundle {
    val at = new FoundSlot(s)
    val recent = Bool()
  }
  private val line = Module(new BlockQueue(new Asked, s.verifies))
  private val current = Reg(new Candidates(s))
  private val recent = Reg(Bool())
  private val left = RegInit(0.U(SpillLayout.wordsPerBeat.W))
  private val any = RegInit(
    false.B
  ) // there is one left: known beside, for the path to memory is long
  private val lowest = Mutant("second", PriorityEncoderOH(left)) { first =>
    val others = left & ~first
    Mux(others.orR, PriorityEncoderOH(others), first)
  }
  private val wants = searching && any && line.io.enq.ready
  io.entry.valid := wants && !recent
  io.entry.bits.chunk := current.chunk.chunk
  io.entry.bits.slot := (current.beat ## OHToUInt(lowest))(s.slotBits - 1, 0)
  line.io.enq.valid := wants && (recent || io.entry.ready)
  line.io.enq.bits.at.chunk := current.chunk
  line.io.enq.bits.at.slot := io.entry.bits.slot
  line.io.enq.bits.recent := recent
  private val others = left & ~lowest
  when(line.io.enq.fire) {
    left := others
    any := others.orR
  }
  // The next beat's are taken a clock after the last of this one.
  io.candidates.ready := !searching || !any
  cache.io.chunk := io.candidates.bits.chunk.chunk
  when(searching && io.candidates.fire) {
    current := io.candidates.bits
    recent := cache.io.has
    left := io.candidates.bits.hits
    any := true.B
  }
  when(!searching)(any := false.B)

  // Taken out in one clock, compared in the next, handed out from then on. The next one is looked at
  // after a hit was taken, as the path from its taker to the memory is long.
  cache.io.answer.valid := searching && io.entryBeat.valid
  cache.io.answer.bits := SpillEntry.fromBeat(s.p, io.entryBeat.bits.data)
  private val there = RegInit(0.U(log2Ceil(s.verifies + 1).W)) // answers that were not taken out
  private val oldest = line.io.deq
  private val taken, checked = RegInit(false.B)
  private val confirmed = Reg(Bool())
  private val hit = Reg(new SpillHit(s))
  private val passes = !checked || !searching || !confirmed
  oldest.ready := (oldest.bits.recent || there =/= 0.U) && (!taken || passes)
  there := UpDown.next(there, io.entryBeat.valid, oldest.fire && !oldest.bits.recent)
  private val at = RegEnable(oldest.bits.at, oldest.fire)
  cache.io.take.valid := oldest.fire
  cache.io.take.bits.chunk := oldest.bits.at.chunk.chunk
  cache.io.take.bits.slot := oldest.bits.at.slot
  cache.io.recent := oldest.bits.recent
  when(!taken || passes)(taken := oldest.fire)
  when(passes) {
    val entry = cache.io.entry
    val foundAt = Wire(new SpillSlot(s))
    foundAt.chunk := at.chunk.chunk
    foundAt.slot := at.slot
    val broken = SpillMatch.broken(s, entry, foundAt)
    checked := taken && searching
    confirmed := SpillMatch.hits(io.ask, entry) || broken
    hit.broken := broken
    hit.found := true.B
    hit.entry := entry
    hit.at := at
  }.elsewhen(io.hit.fire)(checked := false.B)
  io.hit.valid := checked && confirmed
  io.hit.bits := hit
  io.some := any || line.io.count =/= 0.U || taken || checked
  io.falsePositive := searching && checked && !confirmed
  io.view := FaultView(FaultStores.entries, searching && checked && hit.broken)
  assert(!io.entryBeat.valid || there =/= s.verifies.U, "no room for an entry that was read")
  assert(!io.candidates.valid || io.candidates.bits.hits.orR, "a beat without candidates")
}
