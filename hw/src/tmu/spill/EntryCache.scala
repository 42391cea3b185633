// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{log2Ceil, RegEnable, Valid}
import tmu.mutant.Mutant
import tmu.params.{SpillLayout, SpillParams}
import tmu.types.SpillEntry

/** Entries on chip: those of the chunks that were begun last, and what memory has just answered.
  *
  * An entry is verified here without waiting for memory, which may not even have it yet. A chunk
  * has one line, by its lowest bits, from its first entry on until another one begins there; memory
  * has the entries as well. Rows that no entry of a chunk has are a ring for what memory answers,
  * so that one memory with one input and one output does for both: nothing is appended while a
  * search wants answers.
  */
class EntryCache(s: SpillParams) extends Module {
  private val rows = s.recentChunks << s.slotBits
  private val ring = s.verifies
  private val lowBits = log2Ceil(s.recentChunks)
  val io = IO(new Bundle {

    /** A chunk, and whether its entries lie here; in the same clock. */
    val chunk = Input(UInt(s.chunkBits.W))
    val has = Output(Bool())

    /** An entry being written to memory. */
    val write = Flipped(Valid(new SpillSlot(s)))
    val written = Input(new SpillEntry(s.p))

    /** Memory's answer, to the ring's slot behind the last; the owner sees to it that there are no
      * more than `verifies` of them.
      */
    val answer = Flipped(Valid(new SpillEntry(s.p)))

    /** Gives the entry of a slot; or, not `recent`, the next one of the ring: from the next clock
      * on, until the next.
      */
    val take = Flipped(Valid(new SpillSlot(s)))
    val recent = Input(Bool())
    val entry = Output(new SpillEntry(s.p))

    /** Nothing is wanted from the ring any more. */
    val forget = Input(Bool())
  })
  private def line(chunk: UInt): UInt = chunk(lowBits - 1, 0)
  private def row(at: SpillSlot): UInt = line(at.chunk) ## at.slot
  private val begun = RegInit(VecInit.fill(s.recentChunks)(false.B))
  private val begunAt = Reg(Vec(s.recentChunks, UInt((s.chunkBits - lowBits).W)))
  private def holds(chunk: UInt): Bool =
    begun(line(chunk)) && begunAt(line(chunk)) === (chunk >> lowBits)
  io.has := Mutant("entries", holds(io.chunk))(_ => true.B)
  private val at = io.write.bits
  private val begins = io.write.valid && at.slot === 0.U
  when(begins) {
    begun(line(at.chunk)) := true.B
    begunAt(line(at.chunk)) := at.chunk >> lowBits
  }
  private val writes = io.write.valid && (begins || holds(at.chunk))

  private val block = Mem(rows, new SpillEntry(s.p))
  private val comes, goes = RegInit(0.U(log2Ceil(ring).W))
  private def inRing(number: UInt): UInt =
    number(lowBits - 1, 0) ## (SpillLayout.entries.U(s.slotBits.W) + (number >> lowBits))
  require(ring <= ((1 << s.slotBits) - SpillLayout.entries) * s.recentChunks, "no room for a ring")
  when(writes || io.answer.valid) {
    block.write(
      Mux(io.answer.valid, inRing(comes), row(at)),
      Mux(io.answer.valid, io.answer.bits, io.written)
    )
  }
  when(io.answer.valid)(comes := comes + 1.U)
  when(io.take.valid && !io.recent)(goes := goes + 1.U)
  when(io.forget) {
    comes := 0.U
    goes := 0.U
  }
  io.entry := RegEnable(
    block.read(Mux(io.recent, row(io.take.bits), inRing(goes))),
    io.take.valid
  )
  assert(!io.write.valid || !io.answer.valid, "an entry is written while memory answers a search")
}
