// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{Decoupled, RegEnable, Valid}
import tmu.buffer.UpDown
import tmu.fault.{Checked, FaultFlip, FaultPort, FaultView}
import tmu.layout.Code
import tmu.params.{SpillLayout, SpillParams}
import tmu.registers.FaultStores

/** State of a chunk that the unit knows without reading memory. */
class ChunkState(s: SpillParams) extends Bundle {

  /** A bit of the link has been lost, or of the live entries. */
  val brokenNext = Bool()
  val brokenLive = Bool()

  /** The chunk behind it; of no meaning in the youngest of a list. */
  val next = UInt(s.chunkBits.W)

  /** Slots whose entry is queued. */
  val live = UInt(SpillLayout.entries.W)
}

/** The chunk behind another one. */
class ChunkLink(s: SpillParams) extends Bundle {
  val chunk = UInt(s.chunkBits.W)
  val next = UInt(s.chunkBits.W)
}

/** The live entries of a chunk. */
class ChunkMark(s: SpillParams) extends Bundle {
  val chunk = UInt(s.chunkBits.W)
  val live = UInt(SpillLayout.entries.W)
}

/** Links and live entries of all chunks, and the chunks that nobody has.
  *
  * Both lie on chip, so that a search knows which chunks to read long before they come, and a taken
  * entry costs no write to memory. Chunks that came back are allocated first; each of the others
  * once.
  */
class ChunkTable(s: SpillParams) extends Module {
  val io = IO(new Bundle {

    /** State of a chunk, one clock later. */
    val read = Input(UInt(s.chunkBits.W))
    val state = Output(new ChunkState(s))
    val link = Flipped(Valid(new ChunkLink(s)))
    val mark = Flipped(Valid(new ChunkMark(s)))

    /** A free chunk; for a few clocks after one was taken there may seem to be none: `exhausted`
      * tells when there is.
      */
    val allocate = Decoupled(UInt(s.chunkBits.W))
    val exhausted = Output(Bool())
    val free = Flipped(Valid(UInt(s.chunkBits.W)))

    /** Chunks of the segments that were allocated, and how many of them are free. */
    val chunks = Input(UInt(s.freeBits.W))
    val spare = Output(UInt(s.freeBits.W))

    val fault = new FaultPort
  })
  private def number = UInt(s.chunkBits.W)
  private def marks = UInt(SpillLayout.entries.W)
  private val nexts = SyncReadMem(s.chunks, new Checked(s.p, number))
  private val lives = SyncReadMem(s.chunks, new Checked(s.p, marks))
  private def flip(store: Code, word: Checked[UInt], writes: Bool) =
    FaultFlip(s.p, store, word, io.fault.flip, writes)
  private val (next, nextFlipped) =
    flip(FaultStores.chunkLinks, Checked(s.p, number, io.link.bits.next), io.link.valid)
  private val (live, liveFlipped) =
    flip(FaultStores.chunkLives, Checked(s.p, marks, io.mark.bits.live), io.mark.valid)
  when(io.link.valid)(nexts.write(io.link.bits.chunk, next))
  when(io.mark.valid)(lives.write(io.mark.bits.chunk, live))

  // A read in the clock of a write returns the new word, whatever the memory does.
  private val linked = RegNext(io.link.valid && io.link.bits.chunk === io.read)
  private val marked = RegNext(io.mark.valid && io.mark.bits.chunk === io.read)
  private val nextRead = nexts.read(io.read)
  private val liveRead = lives.read(io.read)
  io.state.next := Mux(linked, RegNext(io.link.bits.next), nextRead.word)
  io.state.live := Mux(marked, RegNext(io.mark.bits.live), liveRead.word)
  io.state.brokenNext := !linked && nextRead.broken()
  io.state.brokenLive := !marked && liveRead.broken()

  // Chunks that came back, a stack with its top in a register; and the first that was never allocated.
  private val returned = SyncReadMem(s.chunks, new Checked(s.p, number))
  private val below = RegInit(0.U(s.freeBits.W)) // in the memory, under the top
  private val topValid = RegInit(false.B)
  private val fetching = RegInit(false.B)
  private val fresh = RegInit(0.U(s.freeBits.W))
  private val takesTop = io.allocate.fire && topValid
  private val fetches = !topValid && !fetching && below =/= 0.U && !io.free.valid
  private val read = returned.read(below - 1.U, fetches)
  private val fetched = read.word
  // One that has lost a bit may be another's: nobody gets it.
  private val lost = fetching && read.broken()
  private val top =
    RegEnable(Mux(io.free.valid, io.free.bits, fetched), io.free.valid || fetching)
  // One comes back: it is the new top, and the old one, or the one that is being fetched, goes back.
  private val buries = io.free.valid && ((topValid && !takesTop) || (fetching && !lost))
  private val (buried, freeFlipped) =
    flip(FaultStores.freeChunks, Checked(s.p, number, Mux(fetching, fetched, top)), buries)
  when(buries)(returned.write(below, buried))
  fetching := fetches
  when(io.free.valid || (fetching && !lost))(topValid := true.B)
    .elsewhen(takesTop)(topValid := false.B)
  below := UpDown.next(below, buries, fetches)
  when(io.allocate.fire && !topValid)(fresh := fresh + 1.U)

  private val unused = fresh =/= io.chunks
  private val settled = below === 0.U && !fetching
  io.allocate.valid := topValid || (settled && unused)
  io.allocate.bits := Mux(topValid, top, fresh(s.chunkBits - 1, 0))
  io.exhausted := !topValid && settled && !unused
  io.fault.view := FaultView.all(
    Seq(
      nextFlipped,
      liveFlipped,
      FaultView(FaultStores.freeChunks, lost, freeFlipped)
    )
  )
  io.spare := io.chunks - fresh + below + topValid + fetching

  assert(fresh <= io.chunks, "R11: a chunk was allocated that is not there")
}
