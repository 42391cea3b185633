// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{log2Ceil, Cat, Decoupled, Valid}
import tmu.buffer.{PointerQueue, UpDown}
import tmu.bus.{Axi, AxiResponse}
import tmu.params.{SpillLayout, SpillParams}
import tmu.types.StreamState

/** Location of an entry in memory. */
class SpillSlot(s: SpillParams) extends Bundle {
  val chunk = UInt(s.chunkBits.W)
  val slot = UInt(s.slotBits.W)
}

/** Answer of memory. */
class SpillBeat extends Bundle {
  val data = UInt((8 * SpillLayout.beatBytes).W)
  val error = Bool()
}

/** A write of one entry, or of its word. */
class SpillWrite(s: SpillParams) extends Bundle {
  val at = new SpillSlot(s)
  val isWord = Bool()

  /** An entry's beat; or its word, in every slot of a beat. */
  val data = UInt((8 * SpillLayout.beatBytes).W)
}

/** The path to the memory that software has registered: locations in, AXI bursts out.
  *
  * Words of a chunk are read in one burst under id 0, entries one by one under id 1; memory may
  * answer one kind before the other, never one of a kind before another of that kind. The reader
  * takes what comes in the clock in which it comes. All addresses are made from a chunk and a slot
  * within it, so nothing outside of registered segments is touched.
  */
class SpillLink(s: SpillParams) extends Module {
  val io = IO(new Bundle {
    val axi = new Axi(64, 8 * SpillLayout.beatBytes, 1)

    /** Registers a segment: bits 63..12 of its address. */
    val register = Flipped(Valid(UInt(52.W)))
    val segments = Output(UInt(s.p.segmentBits.W))

    /** Reads the words of a chunk, as many beats follow as a chunk has; or an entry. Either is read
      * once memory has answered all writes to its chunk.
      */
    val words = Flipped(Decoupled(UInt(s.chunkBits.W)))
    val wordBeat = Valid(new SpillBeat)
    val entry = Flipped(Decoupled(new SpillSlot(s)))
    val entryBeat = Valid(new SpillBeat)
    val write = Flipped(Decoupled(new SpillWrite(s)))
    val writeError = Output(Bool())
    val idle = Output(Bool())

    /** Beats, for the counters: one that is read waits from when it is asked for, one that is
      * written until memory has taken it.
      */
    val reads = Output(new StreamState)
    val writes = Output(new StreamState)
  })
  private val segments = RegInit(0.U(s.p.segmentBits.W))
  private val bases = Mem(s.p.spillSegments, UInt(52.W))
  when(io.register.valid) {
    bases.write(segments(math.max(1, log2Ceil(s.p.spillSegments)) - 1, 0), io.register.bits)
    segments := segments + 1.U
  }
  io.segments := segments
  assert(!io.register.valid || segments =/= s.p.spillSegments.U, "one segment too many")

  private val inSegment = log2Ceil(SpillLayout.chunksPerSegment)
  private def address(chunk: UInt, beat: UInt): UInt = {
    val segment = if (s.p.spillSegments == 1) 0.U else chunk >> inSegment
    Cat(bases.read(segment) + chunk(inSegment - 1, 0), beat.pad(6), 0.U(6.W))
  }
  private def beatOf(slot: UInt): UInt = (slot + SpillLayout.wordBeats.U(6.W))(5, 0)

  // Reads: verifying comes first, because it may end the search.
  private class Read extends Bundle {
    val address = UInt(64.W)
    val words = Bool()
  }
  private val reads = Module(new PointerQueue(new Read, 3))
  // A read could still see what was there before a write that is on its way. Few chunks are written
  // at a time, so more than one is not told from all.
  private val outstanding = RegInit(0.U(8.W)) // writes that memory has not answered
  private val writing = outstanding =/= 0.U
  private val recent = Reg(UInt(s.chunkBits.W))
  private val several = RegInit(false.B)
  when(io.write.fire) {
    recent := io.write.bits.at.chunk
    several := writing && (several || io.write.bits.at.chunk =/= recent)
  }
  private def isSafe(chunk: UInt) = !writing || (!several && chunk =/= recent)
  private val safe = isSafe(io.words.bits)
  private val entrySafe = isSafe(io.entry.bits.chunk)
  reads.io.enq.valid := Mux(io.entry.valid, entrySafe, io.words.valid && safe)
  reads.io.enq.bits.words := !io.entry.valid
  reads.io.enq.bits.address := Mux(
    io.entry.valid,
    address(io.entry.bits.chunk, beatOf(io.entry.bits.slot)),
    address(io.words.bits, 0.U)
  )
  io.entry.ready := reads.io.enq.ready && entrySafe
  io.words.ready := reads.io.enq.ready && !io.entry.valid && safe
  private val axi = io.axi
  private val read = reads.io.deq
  axi.arvalid := read.valid
  axi.araddr := read.bits.address
  axi.arid := !read.bits.words
  axi.arlen := Mux(read.bits.words, (SpillLayout.wordBeats - 1).U, 0.U)
  axi.driveReadAttributes()
  read.ready := axi.arready
  axi.rready := true.B

  private val came = RegNext(axi.rvalid, false.B)
  private val beat = Wire(new SpillBeat)
  beat.data := RegNext(axi.rdata)
  beat.error := RegNext(axi.rresp =/= AxiResponse.okay)
  private val ofEntry = RegNext(axi.rid.asBool)
  io.wordBeat.valid := came && !ofEntry
  io.wordBeat.bits := beat
  io.entryBeat.valid := came && ofEntry
  io.entryBeat.bits := beat

  // Writes, a word's with the strobes of its bytes alone: address and data are taken once each, in either order.
  private val addresses = Module(new PointerQueue(UInt(64.W), 4))
  private class Data extends Bundle {
    val data = UInt((8 * SpillLayout.beatBytes).W)
    val strobe = UInt(SpillLayout.beatBytes.W)
  }
  private val beats = Module(new PointerQueue(new Data, 4))
  private val at = io.write.bits.at
  private val wordsBits = log2Ceil(SpillLayout.wordsPerBeat)
  private val lane = at.slot(wordsBits - 1, 0)
  io.write.ready := addresses.io.enq.ready && beats.io.enq.ready && !outstanding(7)
  addresses.io.enq.valid := io.write.fire
  addresses.io.enq.bits := address(
    at.chunk,
    Mux(io.write.bits.isWord, at.slot >> wordsBits, beatOf(at.slot))
  )
  beats.io.enq.valid := io.write.fire
  beats.io.enq.bits.data := io.write.bits.data
  beats.io.enq.bits.strobe := Mux(
    io.write.bits.isWord,
    VecInit
      .tabulate(SpillLayout.wordsPerBeat)(i => Mux(lane === i.U, 15.U(4.W), 0.U(4.W)))
      .asUInt,
    ((BigInt(1) << SpillLayout.beatBytes) - 1).U
  )
  axi.awvalid := addresses.io.deq.valid
  axi.awaddr := addresses.io.deq.bits
  axi.awid := 0.U
  axi.awlen := 0.U
  axi.driveWriteAttributes()
  addresses.io.deq.ready := axi.awready
  axi.wvalid := beats.io.deq.valid
  axi.wdata := beats.io.deq.bits.data
  axi.wstrb := beats.io.deq.bits.strobe
  axi.wlast := true.B
  beats.io.deq.ready := axi.wready
  axi.bready := true.B
  outstanding := UpDown.next(outstanding, io.write.fire, axi.bvalid)
  io.writeError := axi.bvalid && axi.bresp =/= AxiResponse.okay

  // A read in flight: bursts until their last beat.
  private val reading = RegInit(0.U(8.W))
  reading := UpDown.next(reading, reads.io.enq.fire, axi.rvalid && axi.rlast)
  io.idle := outstanding === 0.U && reading === 0.U && !came
  io.reads.moves := axi.rvalid
  io.reads.waits := reading =/= 0.U
  io.writes.moves := axi.wvalid && axi.wready
  io.writes.waits := axi.wvalid || axi.awvalid
  assert(!(axi.bvalid && outstanding === 0.U), "memory answered a spill write that was not made")
  assert(!(axi.rvalid && reading === 0.U), "memory answered a spill read that was not made")
  assert(!(io.write.fire && outstanding.andR), "more spill writes in flight than can be counted")
  assert(!(reads.io.enq.fire && reading.andR), "more spill reads in flight than can be counted")
}
