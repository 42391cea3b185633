// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{is, switch, Decoupled, UIntToOH, Valid}
import tmu.contract.{Code, FaultPlaces, SpillLayout}
import tmu.fault.{FaultFlip, FaultPort, FaultView}

/** An entry that is appended, and its word. */
class Addition(s: SpillParams) extends Bundle {
  val entry = new SpillEntry(s.p)
  val word = new SpillWord(s)
}

/** Changes a list: appends an entry, or removes one that a search has found.
  *
  * A removal touches no memory; the last one of a chunk gives the chunk back. An append writes the
  * entry and its word. Removals of one sweep come in age order, and know the chunk before theirs
  * only as the search saw it: what was given back since then is stepped over here.
  */
class SpillEditor(s: SpillParams) extends Module {
  private val places = SpillLayout.entries
  val io = IO(new Bundle {

    /** The list as it is, and what becomes of it: in the clock after a removal, or in one of an
      * append. Chunks change in the same clock; the ways from here to the lists are long.
      */
    val list = Input(new SpillList(s))
    val update = Valid(new SpillList(s))

    /** A search begins: what it saw of lists is up to date. */
    val begins = Input(Bool())

    /** Taken when the removal is done. */
    val remove = Flipped(Decoupled(new FoundPlace(s)))

    /** Taken when all is written; `refused` in that clock tells that there is no chunk for it. */
    val append = Flipped(Decoupled(new Addition(s)))
    val refused = Output(Bool())

    /** A chunk's state, one clock later. */
    val look = Valid(UInt(s.chunkBits.W))
    val state = Input(new ChunkState(s))
    val link = Valid(new ChunkLink(s))
    val mark = Valid(new ChunkMark(s))
    val allocate = Flipped(Decoupled(UInt(s.chunkBits.W)))
    val exhausted = Input(Bool())
    val free = Valid(UInt(s.chunkBits.W))
    val write = Decoupled(new SpillWrite(s))

    /** A chunk's state was needed and has lost a bit. */
    val error = Output(Bool())
    val fault = new FaultPort
  })
  private object State extends ChiselEnum {
    val idle, remove, append, entry, word = Value
  }
  private val state = RegInit(State.idle)
  private val list = io.list
  private val next = WireDefault(list)
  private val update = WireDefault(false.B)
  io.update.valid := RegNext(update, false.B)
  io.update.bits := RegNext(next)
  private val link = Wire(Valid(new ChunkLink(s)))
  private val mark = Wire(Valid(new ChunkMark(s)))
  private val free = Wire(Valid(UInt(s.chunkBits.W)))
  private def later[T <: Data](out: Valid[T], of: Valid[T]): Unit = {
    out.valid := RegNext(of.valid, false.B)
    out.bits := RegNext(of.bits)
  }
  later(io.link, link)
  later(io.mark, mark)
  later(io.free, free)

  // The chunk of the last removal, and what lies before it by now.
  private class Last extends Bundle {
    val chunk = new WalkedChunk(s)
    val freed = Bool()
  }
  private val last = Reg(Valid(new Last))
  private val removing = Reg(new FoundPlace(s))
  private val asked = removing.chunk
  private val chunk = asked.chunk
  private val again = last.valid && last.bits.chunk.chunk === chunk
  private val behindFreed = last.valid && last.bits.freed && !asked.isHead &&
    last.bits.chunk.chunk === asked.previous
  private val before = Mux(again || behindFreed, last.bits.chunk, asked)
  private val isTail = chunk === list.tail

  private val opens = list.count === 0.U || list.fill === places.U // a new chunk is needed
  private val target = Reg(UInt(s.chunkBits.W))
  private val place = Reg(UInt(s.placeBits.W))

  io.look.valid := false.B
  io.look.bits := Mux(io.remove.valid, io.remove.bits.chunk.chunk, list.tail)
  link.valid := false.B
  link.bits.chunk := before.previous
  link.bits.next := io.state.next
  mark.valid := false.B
  mark.bits.chunk := chunk
  mark.bits.live := 0.U
  free.valid := false.B
  free.bits := chunk
  io.allocate.ready := false.B
  io.remove.ready := state === State.remove
  io.append.ready := false.B
  io.refused := false.B
  io.write.valid := state === State.entry || state === State.word
  io.write.bits.at.chunk := target
  io.write.bits.at.place := place
  io.write.bits.isWord := state === State.word
  private val entry = Wire(new SpillEntry(s.p))
  entry := io.append.bits.entry
  when(SpillEntry.broken(s, io.append.bits.entry, io.write.bits.at))(entry.parity := true.B)
  private def flip[T <: Data](place: Code, word: T, of: State.Type) =
    FaultFlip(s.p, place, word, io.fault.flip, io.write.fire && state === of)
  private val (storedEntry, entryFlipped) = flip(FaultPlaces.entries, entry, State.entry)
  private val (storedWord, wordFlipped) =
    flip(FaultPlaces.words, io.append.bits.word, State.word)
  private val lostLink = state === State.remove && io.state.brokenNext && !isTail
  private val lostLive =
    (state === State.remove || state === State.append) && io.state.brokenLive
  io.error := lostLink || lostLive
  io.fault.view := FaultView.all(
    Seq(
      entryFlipped,
      wordFlipped,
      FaultView(FaultPlaces.chunkLinks, lostLink),
      FaultView(FaultPlaces.chunkLives, lostLive)
    )
  )
  io.write.bits.data := Mux(
    state === State.word,
    storedWord.asUInt.pad(8 * SpillLayout.beatBytes),
    SpillEntry.toBeat(storedEntry)
  )

  /** The entry goes to this place, which is the list's last from now on. */
  private def settle(at: UInt, number: UInt): Unit = {
    target := at
    place := number
    next.tail := at
    next.fill := number + 1.U
    next.count := list.count + 1.U
    update := true.B
    mark.valid := true.B
    mark.bits.chunk := at
    state := State.entry
  }

  switch(state) {
    is(State.idle) {
      removing := io.remove.bits
      when(io.remove.valid) {
        io.look.valid := true.B
        state := State.remove
      }.elsewhen(io.append.valid && !opens) {
        io.look.valid := true.B
        state := State.append
      }.elsewhen(io.append.valid && io.allocate.valid) {
        io.allocate.ready := true.B
        settle(io.allocate.bits, 0.U)
        mark.bits.live := 1.U
        when(list.count === 0.U)(next.head := io.allocate.bits)
        link.valid := list.count =/= 0.U
        link.bits.chunk := list.tail
        link.bits.next := io.allocate.bits
      }.elsewhen(io.append.valid && io.exhausted) {
        io.append.ready := true.B
        io.refused := true.B
      }
    }
    is(State.append) {
      settle(list.tail, list.fill)
      mark.bits.live := io.state.live | UIntToOH(list.fill, places)
    }
    is(State.entry)(when(io.write.ready)(state := State.word))
    is(State.word) {
      when(io.write.ready) {
        io.append.ready := true.B
        state := State.idle
      }
    }
    is(State.remove) {
      val left = io.state.live & ~UIntToOH(removing.place, places)
      val empty = !left.orR
      mark.valid := !empty
      mark.bits.live := left
      free.valid := empty
      link.valid := empty && !before.isHead && !isTail
      when(empty && before.isHead)(next.head := io.state.next)
      when(empty && isTail) {
        next.tail := before.previous
        next.fill := places.U
      }
      next.count := list.count - 1.U
      update := true.B
      last.valid := true.B
      last.bits.freed := empty
      last.bits.chunk := before
      last.bits.chunk.chunk := chunk
      state := State.idle
      assert(
        (io.state.live >> removing.place)(0) || io.error,
        "R3: an entry taken from memory that was not queued there"
      )
      assert(list.count =/= 0.U, "R3: an entry taken from an empty list")
    }
  }
  when(io.begins)(last.valid := false.B)
}
