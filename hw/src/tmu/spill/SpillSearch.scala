// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, Valid}
import tmu.buffer.{BlockQueue, UpDown}
import tmu.fault.{FaultPort, FaultView}
import tmu.params.{SpillLayout, SpillParams}
import tmu.registers.FaultStores
import tmu.types.SpillEntry

/** Chunks to search, and the key. */
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

/** Location of an entry that a search has found. */
class FoundSlot(s: SpillParams) extends Bundle {
  val chunk = new WalkedChunk(s)
  val slot = UInt(s.slotBits.W)
}

/** A hit; or, without `found`, the end of the search. */
class SpillHit(s: SpillParams) extends Bundle {
  val found = Bool()
  val at = new FoundSlot(s)
  val entry = new SpillEntry(s.p)

  /** The entry has lost a bit. It counts as a hit, so that its endpoint gets to know. */
  val broken = Bool()
}

/** Searches a list of chunks, oldest first (R3, R4).
  *
  * Chunks are walked ahead of memory: their words are asked for in bursts, first few, then more and
  * more, so that a hit near the old end costs little and a long search runs as fast as memory
  * gives. Words that may hit make candidates; these are read and verified in age order, several at
  * a time. Nothing here ever makes memory wait: every burst has room for its candidates before it
  * is asked for, and every read entry has room.
  */
class SpillSearch(s: SpillParams) extends Module {
  private val chunkSlots = SpillLayout.entries
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
    val entry = Decoupled(new SpillSlot(s))
    val entryBeat = Flipped(Valid(new SpillBeat))

    /** An entry or its word being written to memory: never while a search wants answers. */
    val write = Flipped(Valid(new SpillWrite(s)))

    /** An entry was read, and was not what is asked for. */
    val falsePositive = Output(Bool())
    val error = Output(Bool())
    val view = Output(new FaultView)
    val fault = new FaultPort
    val ready = Output(Bool())
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
    val live = UInt(chunkSlots.W)
  }
  private val bursts = Module(new BlockQueue(new Burst, s.bursts))
  private val found = Module(new BlockQueue(new Candidates(s), s.bursts * SpillLayout.wordBeats))
  private val cache = Option.when(s.cachedChunks > 0)(Module(new WordCache(s)))
  private val verify = Module(new SpillVerify(s))
  io.ready := cache.fold(true.B)(_.io.ready)

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
  private val goesOn = searching && asked && spacious && !lostLink && !lostLive
  // Words that lie on chip are taken from there while none come from memory, as the order is that of
  // age. The next chunk's turn is in the clock behind the last beat at the earliest.
  private val gives = RegInit(false.B)
  private val here = cache.fold(false.B)(_.io.has && inFlight === 0.U)
  private val begins = goesOn && here && !gives
  io.words.valid := goesOn && !here && !gives && inFlight < window && bursts.io.enq.ready &&
    !(short && pending)
  io.words.bits := at.chunk
  private val burst = Wire(new Burst)
  burst.chunk := at
  burst.live := chunkState.live
  bursts.io.enq.valid := io.words.fire
  bursts.io.enq.bits := burst
  when(io.words.fire || begins) {
    asked := false.B
    walks := !isLast
    at.previous := at.chunk
    at.isHead := false.B
    at.chunk := chunkState.next
  }

  when(lostLink || lostLive)(walks := false.B)

  // From on chip, a beat a clock: the first is read in the clock in which it begins.
  private val giveBeat = RegInit(0.U(beatBits.W))
  private val giving = Reg(new Burst)
  private val gave = RegNext(begins || gives, false.B)
  private val gaveBeat = RegNext(giveBeat)
  when(begins)(giving := burst)
  when(begins || gives) {
    giveBeat := giveBeat + 1.U
    gives := giveBeat =/= (SpillLayout.wordBeats - 1).U
  }

  // From memory, in the clock in which they come.
  private val beat = RegInit(0.U(beatBits.W))
  private val ends = io.wordBeat.valid && beat === (SpillLayout.wordBeats - 1).U
  when(io.wordBeat.valid)(beat := beat + 1.U)
  bursts.io.deq.ready := ends
  cache.foreach { c =>
    c.io.chunk.valid := asks
    c.io.chunk.bits := at.chunk
    c.io.read.chunk := Mux(gives, giving.chunk.chunk, at.chunk)
    c.io.read.beat := giveBeat
    c.io.fill.valid := io.wordBeat.valid && searching
    c.io.fill.bits.chunk := bursts.io.deq.bits.chunk.chunk
    c.io.fill.bits.beat := beat
    c.io.filled := io.wordBeat.bits.data
    c.io.write.valid := io.write.valid && io.write.bits.isWord
    c.io.write.bits := io.write.bits.at
    c.io.word := io.write.bits.data(8 * SpillLayout.wordBytes - 1, 0)
    c.io.fault.flip := io.fault.flip
  }

  // Compared a clock after they come, with the live entries of their chunk.
  private val comes = Mux(gave, giving, bursts.io.deq.bits)
  private val comesBeat = Mux(gave, gaveBeat, beat)
  private val live = VecInit.tabulate(SpillLayout.wordBeats) { b =>
    comes.live(math.min(chunkSlots, (b + 1) * perBeat) - 1, b * perBeat).pad(perBeat)
  }(comesBeat)
  private def words(data: UInt) = Seq.tabulate(perBeat) { i =>
    val low = 8 * SpillLayout.wordBytes * i
    val word = new SpillWord(s)
    data(low + word.getWidth - 1, low).asTypeOf(word)
  }
  private def lanes(of: SpillWord => Bool): UInt = {
    def all(data: UInt) = VecInit(words(data).map(of)).asUInt
    val fromMemory = all(io.wordBeat.bits.data)
    cache.fold(fromMemory)(c => Mux(gave, all(c.io.data), fromMemory)) & live
  }
  private val hits = lanes(SpillMatch.mayHit(s, range.ask, _))
  private val lostWords = lanes(SpillMatch.broken(s, _))
  private val compares = (gave || io.wordBeat.valid) && searching
  private val compared = RegNext(compares, false.B)
  private val hitting = RegNext(hits)
  found.io.enq.valid := compared && hitting.orR && searching
  found.io.enq.bits.chunk := RegNext(comes.chunk)
  found.io.enq.bits.beat := RegNext(comesBeat)
  found.io.enq.bits.hits := hitting
  inFlight := UpDown.next(inFlight, io.words.fire, ends)
  when(ends && short && !pending)(window := window + window)

  // Candidates are verified, oldest first.
  verify.io.searching := searching
  verify.io.ask := range.ask
  verify.io.candidates <> found.io.deq
  io.entry <> verify.io.entry
  verify.io.entryBeat := io.entryBeat
  verify.io.write.valid := io.write.valid && !io.write.bits.isWord
  verify.io.write.bits := io.write.bits.at
  verify.io.written := SpillEntry.fromBeat(s.p, io.write.bits.data)
  pending := found.io.count =/= 0.U || verify.io.some || (compared && hitting.orR)
  private val resting = inFlight === 0.U && !gives && !gave && !compared && !pending
  private val finished = !walks && resting
  io.hit.valid := searching && !io.stop && (verify.io.hit.valid || finished)
  io.hit.bits := verify.io.hit.bits
  io.hit.bits.found := verify.io.hit.valid
  verify.io.hit.ready := io.hit.fire
  io.falsePositive := verify.io.falsePositive

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
  private val answered = io.hit.fire && (!range.sweeps || !io.hit.bits.found)
  when(searching && (answered || io.stop))(state := State.drain)
  when(state === State.drain && resting)(state := State.idle)

  io.error := lostLink || lostLive || (io.wordBeat.valid && io.wordBeat.bits.error) ||
    (io.entryBeat.valid && io.entryBeat.bits.error)
  io.view := FaultView.all(
    Seq(
      FaultView(FaultStores.chunkLinks, lostLink),
      FaultView(FaultStores.chunkLives, lostLive),
      FaultView(FaultStores.words, RegNext(compares && lostWords.orR, false.B)),
      verify.io.view
    )
  )
  io.fault.view := cache.fold(0.U.asTypeOf(new FaultView))(_.io.fault.view)
  io.idle := state === State.idle
  assert(!io.wordBeat.valid || bursts.io.deq.valid, "words came before their chunk")
  assert(!found.io.enq.valid || found.io.enq.ready, "R3: no room for candidates")
  assert(!io.wordBeat.valid || !gave, "words came from memory and from on chip")
  assert(!io.write.valid || !searching, "a search is under way while something is written")
}

object SpillSearch {

  /** Bursts that are read before any has come; doubled with each that comes until it is the most.
    */
  val ahead: Int = 8
}
