// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{is, switch, Decoupled, PopCount, PriorityEncoder, Valid}
import tmu.params.{SpillLayout, SpillParams}
import tmu.types.{FilterWindows, SpillEntry}

/** Makes room in memory that is used up (R11): chunks with few entries become fewer chunks.
  *
  * All lists are walked from a given one on. Two neighbours whose entries fit in one chunk become
  * one, their entries side by side in age order (R3, R4), until a chunk is free. If none is free
  * after a round, no list has such neighbours, and until an entry leaves memory no round is made
  * again; then the entries of the given list's youngest chunk go side by side, if that leaves slots
  * behind them.
  *
  * Lists and chunks are read and changed by nothing else meanwhile. An entry is moved to an older
  * slot alone, and the slot that it leaves is forgotten when its chunk is done.
  */
class SpillPacker(s: SpillParams) extends Module {
  private val chunkSlots = SpillLayout.entries
  val io = IO(new Bundle {

    /** The queue that needs room; a pulse, and the answer is `done`. */
    val start = Flipped(Valid(new SpillIndex(s)))
    val done = Output(Bool())

    /** Nothing of a search is on its way any more: what memory answers is for the packer. */
    val quiet = Input(Bool())

    /** An entry has left memory, or there is more of it. */
    val changes = Input(Bool())
    val windows = Input(new FilterWindows(s.p))

    /** A list, one clock later; what was read is used; and what becomes of it. */
    val read = Output(new SpillIndex(s))
    val list = Input(new SpillList(s))
    val uses = Output(Bool())
    val write = Valid(new SpillList(s))

    /** A chunk's state, one clock later, and its changes. */
    val look = Valid(UInt(s.chunkBits.W))
    val state = Input(new ChunkState(s))
    val link = Valid(new ChunkLink(s))
    val mark = Valid(new ChunkMark(s))
    val free = Valid(UInt(s.chunkBits.W))

    val entry = Decoupled(new SpillSlot(s))
    val entryBeat = Flipped(Valid(new SpillBeat))
    val memory = Decoupled(new SpillWrite(s))

    /** A chunk or entry that was read has lost a bit. */
    val error = Output(Bool())
    val busy = Output(Bool())
  })
  private object State extends ChiselEnum {
    val idle, waits, readList, checkList, readChunk, readNext, takeNext, compare = Value
    val pick, readEntry, awaitEntry, writeEntry, writeWord = Value
    val closeChunk, writeList, nextList = Value
  }
  private val state = RegInit(State.idle)
  private val own, at = Reg(new SpillIndex(s))
  private val list = Reg(new SpillList(s))
  private val changed, frees = Reg(Bool())
  private val tight = RegInit(false.B) // no list has neighbours that fit in one
  private val last = Reg(Bool()) // the round is over: the own list's youngest chunk alone

  // A chunk and the one behind it: live entries, and what comes behind.
  private val chunk, behind, beyond = Reg(UInt(s.chunkBits.W))
  private val live, behindLive = Reg(UInt(chunkSlots.W))
  private val isTail = chunk === list.tail
  private val pairs = Reg(Bool()) // both become one; else the entries of one go side by side

  // Entries that are to be moved of the chunk at hand, and the slot of the next.
  private val left = Reg(UInt(chunkSlots.W))
  private val fromBehind = Reg(Bool())
  private val nextSlot = Reg(UInt(s.slotBits.W))
  private val lowest = PriorityEncoder(left)
  private val from = Reg(new SpillSlot(s))
  private val entry = Reg(new SpillEntry(s.p))
  private val word = RegNext(SpillMatch.word(s, io.windows, entry.key, entry.ignore, entry.id))
  private val to = Wire(new SpillSlot(s))
  to.chunk := chunk
  to.slot := nextSlot
  private val packed = ((1.U << nextSlot) - 1.U)(chunkSlots - 1, 0)

  io.done := false.B
  io.read := at
  io.uses := state === State.checkList
  io.write.valid := state === State.writeList && changed
  io.write.bits := list
  io.look.valid := false.B
  io.look.bits := chunk
  private val closes = state === State.closeChunk
  io.mark.valid := closes
  io.mark.bits.chunk := chunk
  io.mark.bits.live := packed
  io.free.valid := closes && pairs
  io.free.bits := behind
  io.link.valid := closes && pairs
  io.link.bits.chunk := chunk
  io.link.bits.next := beyond
  io.entry.valid := state === State.readEntry
  io.entry.bits := from
  io.memory.valid := state === State.writeEntry || state === State.writeWord
  io.memory.bits.at := to
  io.memory.bits.isWord := state === State.writeWord
  io.memory.bits.data := Mux(
    state === State.writeWord,
    SpillMatch.everywhere(word),
    SpillEntry.toBeat(SpillMatch.at(s, entry, to))
  )
  io.error := false.B
  io.busy := state =/= State.idle && state =/= State.waits

  private def begin(both: Bool): Unit = {
    pairs := both
    left := live
    fromBehind := false.B
    nextSlot := 0.U
    state := State.pick
  }
  private def fail(): Unit = {
    io.error := true.B
    io.done := true.B
    state := State.idle
  }

  when(io.changes)(tight := false.B)
  switch(state) {
    is(State.idle) {
      own := io.start.bits
      at := io.start.bits
      last := tight
      frees := false.B
      when(io.start.valid)(state := State.waits)
    }
    is(State.waits)(when(io.quiet)(state := State.readList))
    is(State.readList)(state := State.checkList)
    is(State.checkList) {
      list := io.list
      changed := false.B
      chunk := Mux(last, io.list.tail, io.list.head)
      state := Mux(io.list.count === 0.U, State.writeList, State.readChunk)
    }
    // The first chunk's state, or that of the one which follows.
    is(State.readChunk) {
      io.look.valid := true.B
      state := State.readNext
    }
    is(State.readNext) {
      live := io.state.live
      behind := io.state.next
      io.look.valid := true.B
      io.look.bits := io.state.next
      state := State.takeNext
      when(io.state.brokenLive || (io.state.brokenNext && !isTail))(fail())
    }
    is(State.takeNext) {
      behindLive := io.state.live
      beyond := io.state.next
      state := State.compare
      val lost = io.state.brokenLive || (io.state.brokenNext && behind =/= list.tail)
      when(lost && !isTail)(fail())
    }
    is(State.compare) {
      when(isTail) {
        state := State.writeList
        when(last && list.fill === chunkSlots.U && !live.andR)(begin(false.B))
      }.elsewhen(PopCount(live) +& PopCount(behindLive) <= chunkSlots.U)(begin(true.B))
        .otherwise {
          chunk := behind
          state := State.readChunk
        }
    }
    is(State.pick) {
      from.chunk := Mux(fromBehind, behind, chunk)
      from.slot := lowest
      when(left === 0.U) {
        left := behindLive
        fromBehind := true.B
        when(!pairs || fromBehind)(state := State.closeChunk)
      }.elsewhen(!fromBehind && lowest === nextSlot) {
        left := left & (left - 1.U)
        nextSlot := nextSlot + 1.U
      }.otherwise(state := State.readEntry)
    }
    is(State.readEntry)(when(io.entry.ready)(state := State.awaitEntry))
    is(State.awaitEntry) {
      entry := SpillEntry.fromBeat(s.p, io.entryBeat.bits.data)
      when(io.entryBeat.valid)(state := State.writeEntry)
      when(io.entryBeat.valid && io.entryBeat.bits.error)(fail())
    }
    is(State.writeEntry) {
      when(io.memory.ready)(state := State.writeWord)
      when(SpillMatch.broken(s, entry, from)) {
        io.memory.valid := false.B
        fail()
      }
    }
    is(State.writeWord) {
      when(io.memory.ready) {
        left := left & (left - 1.U)
        nextSlot := nextSlot + 1.U
        state := State.pick
      }
    }
    is(State.closeChunk) {
      frees := frees || pairs
      // The same chunk is next, for it may take more.
      state := State.readChunk
      when(isTail || behind === list.tail) {
        changed := true.B
        list.tail := chunk
        list.fill := nextSlot
        state := State.writeList
      }
    }
    is(State.writeList)(state := State.nextList)
    is(State.nextList) {
      val both = at.unexpected =/= own.unexpected
      val following = Mux(at.endpoint === (s.p.endpoints - 1).U, 0.U, at.endpoint + 1.U)
      at.unexpected := !at.unexpected
      when(both)(at.endpoint := following)
      state := State.readList
      when(frees || last) {
        io.done := true.B
        state := State.idle
      }.elsewhen(both && following === own.endpoint) {
        tight := true.B
        last := true.B
        at := own
      }
    }
  }
}
