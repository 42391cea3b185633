// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{Decoupled, Valid}
import tmu.params.SpillParams
import tmu.types.{FilterWindows, SpillEntry}

/** The packer with the chunks that it changes; lists and memory are the test's. */
class SpillPackerHarness(s: SpillParams) extends Module {
  private val packer = Module(new SpillPacker(s))
  private val chunks = Module(new ChunkTable(s))
  val io = IO(new Bundle {
    val start = Flipped(Valid(new SpillIndex(s)))
    val done = Output(Bool())
    val changes = Input(Bool())
    val read = Output(new SpillIndex(s))
    val list = Input(new SpillList(s))
    val write = Valid(new SpillList(s))
    val entry = Decoupled(new SpillSlot(s))
    val entryBeat = Flipped(Valid(new SpillBeat))
    val memory = Decoupled(new SpillWrite(s))
    val error = Output(Bool())

    /** The word of an entry. */
    val of = Input(new SpillEntry(s.p))
    val word = Output(UInt(512.W))

    /** While nothing is packed: chunks are taken, marked and linked. */
    val chunks = Input(UInt(s.freeBits.W))
    val spare = Output(UInt(s.freeBits.W))
    val allocate = Decoupled(UInt(s.chunkBits.W))
    val mark = Flipped(Valid(new ChunkMark(s)))
    val link = Flipped(Valid(new ChunkLink(s)))
    val look = Input(UInt(s.chunkBits.W))
    val state = Output(new ChunkState(s))
  })
  private val windows = 0.U.asTypeOf(new FilterWindows(s.p))
  chunks.io.fault.flip := 0.U.asTypeOf(chunks.io.fault.flip)
  packer.io.start := io.start
  io.done := packer.io.done
  packer.io.changes := io.changes
  packer.io.windows := windows
  packer.io.quiet := true.B
  io.read := packer.io.read
  packer.io.list := io.list
  io.write := packer.io.write
  io.entry <> packer.io.entry
  packer.io.entryBeat := io.entryBeat
  io.memory <> packer.io.memory
  io.error := packer.io.error
  packer.io.state := chunks.io.state
  io.state := chunks.io.state
  private val busy = packer.io.busy
  chunks.io.read := Mux(busy, packer.io.look.bits, io.look)
  chunks.io.mark := Mux(busy, packer.io.mark, io.mark)
  chunks.io.link := Mux(busy, packer.io.link, io.link)
  chunks.io.free := packer.io.free
  chunks.io.chunks := io.chunks
  io.spare := chunks.io.spare
  io.allocate <> chunks.io.allocate
  io.word := RegNext(
    RegNext(SpillMatch.everywhere(SpillMatch.word(s, windows, io.of.key, io.of.ignore, io.of.id)))
  )
}
