// SPDX-License-Identifier: Apache-2.0
package tmu.card.fetch

import chisel3._
import chisel3.util._
import tmu.buffer.{BlockQueue, PointerQueue}
import tmu.bus.{AxiRead, AxiResponse}
import tmu.card.request.FrameBeat

/** Reads pieces of packets from host memory, in bursts that cross no multiple of 4 KiB.
  *
  * A burst is read when there is room for all of its beats, so an answer of memory never waits; and
  * at most 31 are without an answer.
  */
class ReadBursts extends Module {
  import ReadBursts._
  val io = IO(new Bundle {
    val piece = Flipped(Decoupled(new FetchPiece))
    val read = new AxiRead(64, FrameBeat.bits, 1)

    /** Beats of memory, in the order of the pieces. */
    val beat = Decoupled(UInt(FrameBeat.bits.W))
    val fetched = Decoupled(new FetchedPacket)
    val idle = Output(Bool())
  })
  private class Burst extends Bundle {
    val address = UInt(64.W)
    val more = UInt(8.W)
  }
  private class Asked extends Bundle {

    /** A burst of memory, else a piece without one. */
    val burst = Bool()

    /** The packet ends with it. */
    val last = Bool()
  }
  private val addresses = Module(new PointerQueue(new Burst, 3))
  private val asked = Module(new PointerQueue(new Asked, bursts))
  private val buffer = Module(new BlockQueue(UInt(FrameBeat.bits.W), beats))
  private val done = Module(new PointerQueue(new FetchedPacket, bursts))
  private val room = RegInit(beats.U(log2Ceil(beats + 1).W))

  // The rest of a piece; the next burst ends where it or a page of memory does.
  private val busy = RegInit(false.B)
  private val left = Reg(new FetchPiece)
  private val inPage = left.address(pageBits - 1, 0)
  private val toPage = page.U - inPage
  private val isLast = left.bytes <= toPage
  private val bytes = Mux(isLast, left.bytes, toPage)
  private val reads = left.bytes =/= 0.U && !left.atHand
  private val span = (left.address(beatBits - 1, 0) +& bytes +& (FrameBeat.size - 1).U) >> beatBits
  private val goes = busy && asked.io.enq.ready &&
    (!reads || addresses.io.enq.ready && span <= room)
  private val ends = !reads || isLast
  io.piece.ready := !busy || goes && ends
  when(goes) {
    left.address := left.address + bytes
    left.bytes := left.bytes - bytes
    busy := !ends
  }
  when(io.piece.fire) {
    left := io.piece.bits
    busy := true.B
  }
  addresses.io.enq.valid := goes && reads
  addresses.io.enq.bits.address := left.address(63, beatBits) ## 0.U(beatBits.W)
  addresses.io.enq.bits.more := span - 1.U
  asked.io.enq.valid := goes
  asked.io.enq.bits.burst := reads
  asked.io.enq.bits.last := ends && left.last

  private val read = io.read
  read.arvalid := addresses.io.deq.valid
  read.araddr := addresses.io.deq.bits.address
  read.arlen := addresses.io.deq.bits.more
  addresses.io.deq.ready := read.arready
  read.arid := 0.U
  read.driveReadAttributes()

  private val oldest = asked.io.deq
  buffer.io.enq.valid := read.rvalid && oldest.valid && oldest.bits.burst && done.io.enq.ready
  buffer.io.enq.bits := read.rdata
  read.rready := buffer.io.enq.ready && oldest.valid && oldest.bits.burst && done.io.enq.ready
  private val comes = read.rvalid && read.rready
  oldest.ready := Mux(oldest.bits.burst, comes && read.rlast, done.io.enq.ready)
  io.beat <> buffer.io.deq
  room := room + buffer.io.deq.fire - Mux(goes && reads, span, 0.U)

  private val failed = RegInit(false.B)
  private val wrong = comes && read.rresp =/= AxiResponse.okay
  when(oldest.fire && oldest.bits.last)(failed := false.B).elsewhen(wrong)(failed := true.B)
  done.io.enq.valid := oldest.fire && oldest.bits.last
  done.io.enq.bits.failed := failed || wrong
  io.fetched <> done.io.deq
  io.idle := !busy && !oldest.valid && !done.io.deq.valid && !buffer.io.deq.valid

  assert(!read.rvalid || buffer.io.enq.ready, "no room for a beat that was asked for")
  assert(!read.rvalid || oldest.valid, "memory has answered a read that was not made")
}

object ReadBursts {

  /** Bursts that memory has not answered. */
  val bursts: Int = 31

  /** Beats that are read and have not left: more than a packet can have, whose header waits for all
    * of them.
    */
  val beats: Int = 255
  val page: Int = 4096
  private val pageBits = log2Ceil(page)
  private val beatBits = log2Ceil(FrameBeat.size)
  require(beats >= (1 << 14) / FrameBeat.size / 2 + 2 * 4, "a packet has more beats")
}
