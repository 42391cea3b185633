// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{log2Ceil, UIntToOH, Valid}
import tmu.buffer.Sweep
import tmu.fault.{Checked, FaultFlip, FaultPort, FaultView}
import tmu.mutant.Mutant
import tmu.params.{SpillLayout, SpillParams}
import tmu.registers.FaultStores

/** A beat of a chunk's words. */
class WordBeat(s: SpillParams) extends Bundle {
  val chunk = UInt(s.chunkBits.W)
  val beat = UInt(log2Ceil(SpillLayout.wordBeats).W)
}

/** Words of chunks that were begun or read last, on chip: so a search of a queue that is a little
  * longer than its table does not wait for memory to tell what lies there.
  *
  * A chunk's words have one line, by its lowest bits, and lie there all or not at all. Memory has
  * them as well: what is written goes to both, and what is forgotten here is read again.
  */
class WordCache(s: SpillParams) extends Module {
  private val perBeat = SpillLayout.wordsPerBeat
  private val beats = SpillLayout.wordBeats
  private val wordBits = 8 * SpillLayout.wordBytes
  private val lineBits = log2Ceil(s.cachedChunks)
  val io = IO(new Bundle {

    /** All lines are cleared after reset. */
    val ready = Output(Bool())

    /** A chunk, valid in the first clock of several in which it stays; and whether its words lie
      * here, from a clock later on.
      */
    val chunk = Flipped(Valid(UInt(s.chunkBits.W)))
    val has = Output(Bool())

    /** Gives a beat, a clock later. */
    val read = Input(new WordBeat(s))
    val data = Output(UInt((8 * SpillLayout.beatBytes).W))

    /** A beat that memory has answered; those of a chunk in their order, nothing else is read
      * meanwhile. Counts when the last has come.
      */
    val fill = Flipped(Valid(new WordBeat(s)))
    val filled = Input(UInt((8 * SpillLayout.beatBytes).W))

    /** A word being written to memory, here a clock later; the first of a chunk makes its location
      * here. Never while a beat is filled in.
      */
    val write = Flipped(Valid(new SpillSlot(s)))
    val word = Input(UInt(wordBits.W))
    val fault = new FaultPort
  })
  private class Tag extends Bundle {
    val valid = Bool()
    val chunk = UInt((s.chunkBits - lineBits).W)
  }
  private def line(chunk: UInt): UInt = chunk(lineBits - 1, 0)
  private def tagOf(chunk: UInt, valid: Bool): Tag = {
    val tag = Wire(new Tag)
    tag.valid := valid
    tag.chunk := chunk >> lineBits
    tag
  }
  private def checked = new Checked(s.p, new Tag)
  private val tags = Mem(s.cachedChunks, checked)
  private val sweep = Module(new Sweep(s.cachedChunks))
  io.ready := sweep.io.ready

  // Nobody searches while something is written, so one port into the tags is enough.
  private val writes = RegNext(io.write.valid, false.B)
  private val written = RegNext(io.write.bits)
  private val word = RegNext(io.word)
  private val asked = Mux(writes, written.chunk, io.chunk.bits)
  private val stored = tags.read(line(asked))
  private val lost = stored.broken(line(asked))
  private val has = stored.word.asUInt === tagOf(asked, true.B).asUInt && !lost
  io.has := RegNext(has, false.B)

  private val filling = io.fill.bits
  private val begins = writes && written.slot === 0.U
  private val first = io.fill.valid && filling.beat === 0.U
  private val last = io.fill.valid && filling.beat === (beats - 1).U
  private val tagged = Mux(io.fill.valid, filling.chunk, written.chunk)
  private val changes = begins || first || last
  private val at = Mux(io.ready, line(tagged), sweep.io.index)
  private val (kept, flipped) = FaultFlip(
    s.p,
    FaultStores.wordTags,
    Checked(s.p, new Tag, tagOf(tagged, begins || last), at),
    io.fault.flip,
    changes
  )
  private val cleared = Checked(s.p, new Tag, tagOf(0.U, false.B), at)
  when(!io.ready || changes)(tags.write(at, Mux(io.ready, kept, cleared)))
  io.fault.view := FaultView.all(
    Seq(FaultView(FaultStores.wordTags, lost && (writes || io.chunk.valid), flipped))
  )

  private def row(chunk: UInt, beat: UInt): UInt = line(chunk) ## beat
  private val writtenBeat = (written.slot >> log2Ceil(perBeat)).asUInt
  private val goesTo =
    Mux(io.fill.valid, row(filling.chunk, filling.beat), row(written.chunk, writtenBeat))
  private val lane = UIntToOH(written.slot(log2Ceil(perBeat) - 1, 0))
  io.data := VecInit
    .tabulate(perBeat) { i =>
      val block = SyncReadMem(s.cachedChunks * beats, UInt(wordBits.W))
      val mine = io.filled(wordBits * (i + 1) - 1, wordBits * i)
      when(
        io.fill.valid || (writes && lane(i) && (Mutant("words", has)(_ => false.B) || begins))
      ) {
        block.write(goesTo, Mux(io.fill.valid, mine, word))
      }
      block.read(row(io.read.chunk, io.read.beat))
    }
    .asUInt
  assert(!writes || !io.fill.valid, "a word is written while others are filled in")
}
