// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{is, switch, Decoupled, UIntToOH, Valid}
import tmu.fault.{FaultFlip, FaultPort, FaultView}
import tmu.layout.Code
import tmu.mutant.Mutant
import tmu.params.{SpillLayout, SpillParams}
import tmu.registers.FaultStores
import tmu.types.SpillEntry

/** An entry that is appended, and its word. */
class Addition(s: SpillParams) extends Bundle {
  val entry = new SpillEntry(s.p)
  val word = new SpillWord(s)
}

/** Changes a list: appends an entry, or removes one that a search has found.
  *
  * A removal touches no memory; the last one of a chunk gives the chunk back. An append writes the
  * entry and its word. Removals of one sweep come in age order, and know the chunk before theirs
  * only as the search saw it: what was freed since then is stepped over here.
  */
class SpillEditor(s: SpillParams) extends Module {
  private val chunkSlots = SpillLayout.entries
  val io = IO(new Bundle {

    /** The list as it is, and what becomes of it: in the clock after a removal, or in one of an
      * append. Chunks change in the same clock; the paths from here to the lists are long.
      */
    val list = Input(new SpillList(s))

    /** An append needs a new chunk; known a clock after the list. */
    val opens = Input(Bool())
    val update = Valid(new SpillList(s))

    /** A search begins: what it saw of lists is up to date. */
    val begins = Input(Bool())

    /** Taken when the removal is done. */
    val remove = Flipped(Decoupled(new FoundSlot(s)))

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
  private val link = Wire(Valid(new ChunkLink(s)))
  private val mark = Wire(Valid(new ChunkMark(s)))

  // The chunk of the last removal, and what lies before it by now; whether nothing is left in it.
  private val removes = state === State.remove
  private val last = Reg(Valid(new WalkedChunk(s)))
  private val freed = Reg(Bool())
  private val removing = Reg(new FoundSlot(s))
  private val removingSlot = Reg(UInt(chunkSlots.W))
  private val asked = removing.chunk
  private val chunk = asked.chunk
  private val again = last.valid && last.bits.chunk === chunk
  private val behindFreed = Mutant(
    "behind",
    last.valid && freed && !asked.isHead && last.bits.chunk === asked.previous
  )(_ => false.B)
  private val before = Mux(again || behindFreed, last.bits, asked)
  private val isTail = chunk === list.tail

  // Results of an append or a removal go out a clock later. That a chunk is empty is known only
  // then, so all that depends on it is chosen behind the registers.
  private val removed = RegNext(removes, false.B)
  private val empties = removed && freed
  private val wasHead = RegNext(before.isHead)
  private val wasTail = RegNext(isTail)
  private val linked = RegNext(link.bits)
  io.mark.valid := RegNext(mark.valid, false.B) && !empties
  io.mark.bits := RegNext(mark.bits)
  io.free.valid := empties
  io.free.bits := io.mark.bits.chunk
  io.link.valid := Mux(removed, freed && !wasHead && !wasTail, RegNext(link.valid, false.B))
  io.link.bits := linked
  private val updated = RegNext(next)
  io.update.valid := RegNext(update, false.B)
  io.update.bits := updated
  when(empties && wasHead)(io.update.bits.head := linked.next)
  when(empties && wasTail) {
    io.update.bits.tail := linked.chunk
    io.update.bits.fill := chunkSlots.U
  }

  private val target = Reg(UInt(s.chunkBits.W))
  private val writtenSlot = Reg(UInt(s.slotBits.W))

  io.look.valid := false.B
  io.look.bits := Mux(io.append.valid, list.tail, io.remove.bits.chunk.chunk)
  link.valid := false.B
  link.bits.chunk := before.previous
  link.bits.next := io.state.next
  mark.valid := false.B
  mark.bits.chunk := chunk
  mark.bits.live := 0.U
  io.allocate.ready := false.B
  io.remove.ready := removes
  io.append.ready := false.B
  io.refused := false.B
  io.write.valid := state === State.entry || state === State.word
  io.write.bits.at.chunk := target
  io.write.bits.at.slot := writtenSlot
  io.write.bits.isWord := state === State.word
  private val entry = SpillMatch.at(s, io.append.bits.entry, io.write.bits.at)
  private def flip[T <: Data](store: Code, word: T, of: State.Type) =
    FaultFlip(s.p, store, word, io.fault.flip, io.write.fire && state === of)
  private val (storedEntry, entryFlipped) = flip(FaultStores.entries, entry, State.entry)
  private val (storedWord, wordFlipped) =
    flip(FaultStores.words, io.append.bits.word, State.word)
  private val lostLink = removes && io.state.brokenNext && !isTail
  private val lostLive =
    (removes || state === State.append) && io.state.brokenLive
  io.error := lostLink || lostLive
  io.fault.view := FaultView.all(
    Seq(
      entryFlipped,
      wordFlipped,
      FaultView(FaultStores.chunkLinks, lostLink),
      FaultView(FaultStores.chunkLives, lostLive)
    )
  )
  io.write.bits.data := Mux(
    state === State.word,
    SpillMatch.everywhere(storedWord),
    SpillEntry.toBeat(storedEntry)
  )

  private def settled(number: UInt): UInt =
    Mutant("order", number)(n => n ^ Mux((n >> 2).orR, 3.U, 0.U))

  /** The entry goes to this slot, which is the list's last from now on. */
  private def settle(at: UInt, number: UInt): Unit = {
    target := at
    writtenSlot := settled(number)
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
      removingSlot := UIntToOH(io.remove.bits.slot, chunkSlots)
      when(io.remove.valid) {
        io.look.valid := true.B
        state := State.remove
      }
      when(io.append.valid && !io.opens) {
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
      mark.bits.live := io.state.live | UIntToOH(settled(list.fill), chunkSlots)
    }
    is(State.entry)(when(io.write.ready)(state := State.word))
    is(State.word) {
      when(io.write.ready) {
        io.append.ready := true.B
        state := State.idle
      }
    }
    is(State.remove) {
      val left = io.state.live & ~removingSlot
      mark.valid := true.B
      mark.bits.live := Mutant("live", left)(_ => io.state.live)
      freed := !left.orR
      next.count := list.count - 1.U
      update := true.B
      last.valid := true.B
      last.bits := before
      last.bits.chunk := chunk
      state := State.idle
      assert(
        (io.state.live >> removing.slot)(0) || io.error,
        "R3: an entry taken from memory that was not queued there"
      )
      assert(list.count =/= 0.U, "R3: an entry taken from an empty list")
    }
  }
  when(io.begins)(last.valid := false.B)
  assert(!io.remove.valid || !io.append.valid, "R3: an append and a removal at once")
}
