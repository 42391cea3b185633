// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, OHToUInt, PriorityEncoderOH, Valid}
import tmu.buffer.BlockQueue
import tmu.contract.{FaultPlaces, SpillLayout}
import tmu.fault.FaultView

/** Where to search, and for what. */
class SpillRange(s: SpillParams) extends Bundle {
  val head = UInt(s.chunkBits.W)
  val tail = UInt(s.chunkBits.W)
  val ask = new SpillAsk(s)

  /** All that hit are wanted, one after the other; without it the oldest ends the search. */
  val sweeps = Bool()
}

/** A chunk as a search meets it. */
class WalkedChunk(s: SpillParams) extends Bundle {
  val chunk = UInt(s.chunkBits.W)

  /** The chunk before it, if it is not the list's first. */
  val previous = UInt(s.chunkBits.W)
  val isHead = Bool()
}

/** Where a search has found an entry. */
class FoundPlace(s: SpillParams) extends Bundle {
  val chunk = new WalkedChunk(s)
  val place = UInt(s.placeBits.W)
}

/** A hit; or, without `found`, the end of the search. */
class SpillHit(s: SpillParams) extends Bundle {
  val found = Bool()
  val at = new FoundPlace(s)
  val entry = new SpillEntry(s.p)

  /** The entry has lost a bit. It counts as a hit, so that its endpoint gets to know. */
  val broken = Bool()
}

/** Searches a list of chunks, oldest first (R3, R4).
  *
  * Chunks are walked ahead of memory: their words are asked for in bursts, first few, then more and
  * more, so that a hit near the old end costs little and a long search runs as fast as memory
  * gives. Words that may hit make candidates; these are read and verified in age order, several on
  * their way. Nothing here ever makes memory wait: every burst has room for its candidates before
  * it is asked for, and every read entry has a place.
  */
class SpillSearch(s: SpillParams) extends Module {
  private val places = SpillLayout.entries
  private val perBeat = SpillLayout.wordsPerBeat
  private val beatBits = log2Ceil(SpillLayout.wordBeats)
  val io = IO(new Bundle {

    /** Taken when nothing of the last search is on its way any more. */
    val range = Flipped(Decoupled(new SpillRange(s)))
    val hit = Decoupled(new SpillHit(s))

    /** Ends a sweep: what has not been handed out is forgotten. */
    val stop = Input(Bool())

    /** A chunk's state, one clock later; not in a clock in which somebody else reads. */
    val walk = Valid(UInt(s.chunkBits.W))
    val walkBlocked = Input(Bool())
    val state = Input(new ChunkState(s))

    val words = Decoupled(UInt(s.chunkBits.W))
    val wordBeat = Flipped(Valid(new SpillBeat))
    val entry = Decoupled(new SpillPlace(s))
    val entryBeat = Flipped(Valid(new SpillBeat))

    /** An entry was read, and was not what is asked for. */
    val falsePositive = Output(Bool())
    val error = Output(Bool())
    val view = Output(new FaultView)
    val idle = Output(Bool())
  })
  private object State extends ChiselEnum {
    val idle, search, drain = Value
  }
  private val state = RegInit(State.idle)
  private val searching = state === State.search
  private val range = Reg(new SpillRange(s))

  // Walk: a chunk's state is asked for, and a clock later its words.
  private val walks = RegInit(false.B) // there are chunks left
  private val at = Reg(new WalkedChunk(s))
  private val asked = RegInit(false.B) // the state of `at` is there
  private val inFlight = RegInit(0.U(log2Ceil(s.bursts + 1).W))
  private val window = Reg(UInt(log2Ceil(s.bursts + 1).W))
  private class Burst extends Bundle {
    val chunk = new WalkedChunk(s)
    val live = UInt(places.W)
  }
  private val bursts = Module(new BlockQueue(new Burst, s.bursts))
  private class Candidates extends Bundle {
    val chunk = new WalkedChunk(s)
    val beat = UInt(beatBits.W)
    val hits = UInt(perBeat.W)
  }
  private val found = Module(new BlockQueue(new Candidates, s.bursts * SpillLayout.wordBeats))

  // Room for all candidates of all bursts in flight.
  private val spacious =
    RegNext(found.io.count +& (inFlight << beatBits) <= ((s.bursts - 2) * SpillLayout.wordBeats).U)
  private val asks = searching && walks && !asked && !io.walkBlocked
  io.walk.valid := asks
  io.walk.bits := at.chunk
  when(asks)(asked := true.B)
  // At first no more than a few: while what these have brought is verified, the hit may be among it.
  private val pending = Wire(Bool())
  private val short = window =/= s.bursts.U
  // The state stays there only for a clock.
  private val held = Reg(new ChunkState(s))
  private val fresh = RegNext(asks)
  private val chunkState = Mux(fresh, io.state, held)
  when(fresh)(held := io.state)
  private val isLast = at.chunk === range.tail
  private val lostLink = searching && fresh && io.state.brokenNext && !isLast
  private val lostLive = searching && fresh && io.state.brokenLive
  private val sends = searching && asked && spacious && inFlight < window &&
    bursts.io.enq.ready && !(short && pending) && !lostLink && !lostLive
  io.words.valid := sends
  io.words.bits := at.chunk
  bursts.io.enq.valid := io.words.fire
  bursts.io.enq.bits.chunk := at
  bursts.io.enq.bits.live := chunkState.live
  when(io.words.fire) {
    asked := false.B
    walks := !isLast
    at.previous := at.chunk
    at.isHead := false.B
    at.chunk := chunkState.next
  }

  when(lostLink || lostLive)(walks := false.B)

  // Words: compared a clock after they come, with the live places of their chunk.
  private val beat = RegInit(0.U(beatBits.W))
  private val ends = io.wordBeat.valid && beat === (SpillLayout.wordBeats - 1).U
  when(io.wordBeat.valid)(beat := beat + 1.U)
  bursts.io.deq.ready := ends
  private val burst = bursts.io.deq.bits
  private val live = VecInit.tabulate(SpillLayout.wordBeats) { b =>
    burst.live(math.min(places, (b + 1) * perBeat) - 1, b * perBeat).pad(perBeat)
  }(beat)
  private val words = Seq.tabulate(perBeat) { i =>
    val low = 8 * SpillLayout.wordBytes * i
    val word = new SpillWord(s)
    io.wordBeat.bits.data(low + word.getWidth - 1, low).asTypeOf(word)
  }
  private val hits = VecInit(words.zipWithIndex.map { case (w, i) =>
    SpillEntry.mayHit(s, range.ask, w) && live(i)
  }).asUInt
  private val compared = RegNext(io.wordBeat.valid && searching, false.B)
  private val hitting = RegNext(hits)
  found.io.enq.valid := compared && hitting.orR && searching
  found.io.enq.bits.chunk := RegNext(burst.chunk)
  found.io.enq.bits.beat := RegNext(beat)
  found.io.enq.bits.hits := hitting
  inFlight := inFlight + io.words.fire - ends
  when(ends && short && !pending)(window := window + window)

  // Candidates, one by one, oldest first.
  private val current = Reg(new Candidates)
  private val left = RegInit(0.U(perBeat.W))
  private val lowest = PriorityEncoderOH(left)
  private val verifying = RegInit(0.U(log2Ceil(s.verifies + 1).W))
  private val verifies = Module(new BlockQueue(new FoundPlace(s), s.verifies))
  private val read = Module(new BlockQueue(new SpillBeat, s.verifies))
  io.entry.valid := searching && left.orR && verifying =/= s.verifies.U && verifies.io.enq.ready
  io.entry.bits.chunk := current.chunk.chunk
  io.entry.bits.place := (current.beat ## OHToUInt(lowest))(s.placeBits - 1, 0)
  verifies.io.enq.valid := io.entry.fire
  verifies.io.enq.bits.chunk := current.chunk
  verifies.io.enq.bits.place := io.entry.bits.place
  private val rest = Mux(io.entry.fire, left & ~lowest, left)
  found.io.deq.ready := !rest.orR || !searching
  left := Mux(searching, rest, 0.U)
  when(searching && found.io.deq.fire) {
    current := found.io.deq.bits
    left := found.io.deq.bits.hits
  }

  // Verify what has come, in the order in which it was asked for: compared in one clock, handed out
  // from the next on. The next one is looked at after a hit was taken, as the way from its taker to the
  // memory of what has come is long.
  read.io.enq.valid := io.entryBeat.valid
  read.io.enq.bits := io.entryBeat.bits
  private val checked = RegInit(false.B)
  private val confirmed = Reg(Bool())
  private val hit = Reg(new SpillHit(s))
  private val both = read.io.deq.valid && verifies.io.deq.valid
  private val passes = !checked || !searching || !confirmed
  private val takes = both && passes
  verifies.io.deq.ready := takes
  read.io.deq.ready := takes
  verifying := verifying + io.entry.fire - takes
  when(passes) {
    val entry = SpillEntry.fromBeat(s.p, read.io.deq.bits.data)
    checked := both && searching
    val at = Wire(new SpillPlace(s))
    at.chunk := verifies.io.deq.bits.chunk.chunk
    at.place := verifies.io.deq.bits.place
    val broken = SpillEntry.broken(s, entry, at)
    confirmed := SpillEntry.hits(range.ask, entry) || broken
    hit.broken := broken
    hit.found := true.B
    hit.entry := entry
    hit.at := verifies.io.deq.bits
  }.elsewhen(io.hit.fire)(checked := false.B)
  private val some = found.io.count =/= 0.U || verifying =/= 0.U || checked
  pending := some || left.orR || (compared && hitting.orR)
  private val resting = inFlight === 0.U && !compared && !some
  private val finished = !walks && resting && !left.orR
  io.hit.valid := searching && !io.stop && ((checked && confirmed) || finished)
  io.hit.bits := hit
  io.hit.bits.found := checked && confirmed
  io.falsePositive := searching && checked && !confirmed

  io.range.ready := state === State.idle
  when(io.range.fire) {
    state := State.search
    range := io.range.bits
    walks := true.B
    asked := false.B
    at.chunk := io.range.bits.head
    at.isHead := true.B
    window := SpillSearch.ahead.U
  }
  private val over = io.hit.fire && (!range.sweeps || !io.hit.bits.found)
  when(searching && (over || io.stop))(state := State.drain)
  when(state === State.drain && resting)(state := State.idle)

  io.error := lostLink || lostLive || (io.wordBeat.valid && io.wordBeat.bits.error) ||
    (io.entryBeat.valid && io.entryBeat.bits.error)
  private val lostWords = VecInit(
    words.zipWithIndex.map { case (w, i) => SpillEntry.broken(s, w) && live(i) }
  ).asUInt
  io.view := FaultView.all(
    Seq(
      FaultView(FaultPlaces.chunkLinks, lostLink),
      FaultView(FaultPlaces.chunkLives, lostLive),
      FaultView(
        FaultPlaces.words,
        RegNext(io.wordBeat.valid && searching && lostWords.orR, false.B)
      ),
      FaultView(FaultPlaces.entries, searching && checked && hit.broken)
    )
  )
  io.idle := state === State.idle
  assert(!io.wordBeat.valid || bursts.io.deq.valid, "words came before their chunk")
  assert(!found.io.enq.valid || found.io.enq.ready, "R3: no room for candidates")
  assert(!read.io.enq.valid || read.io.enq.ready, "no room for an entry that was read")
}

object SpillSearch {

  /** Bursts that are read before any has come; doubled with each that comes until it is the most.
    */
  val ahead: Int = 8
}
