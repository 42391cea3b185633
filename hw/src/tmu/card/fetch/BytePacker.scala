// SPDX-License-Identifier: Apache-2.0
package tmu.card.fetch

import chisel3._
import chisel3.util._
import tmu.buffer.PointerQueue
import tmu.card.request.{FrameBeat, PacketRequest}

/** Joins the bytes of a packet's pieces: beats whose first byte is the packet's, and behind its
  * last byte anything. A beat of memory a clock, and one clock more for a packet whose last beat of
  * memory ends in a beat of its own.
  */
class BytePacker extends Module {
  import FrameBeat.size
  val io = IO(new Bundle {
    val piece = Flipped(Decoupled(new FetchPiece))
    val beat = Flipped(Decoupled(UInt(FrameBeat.bits.W)))
    val out = Decoupled(UInt(FrameBeat.bits.W))
  })
  private val out = Module(new PointerQueue(UInt(FrameBeat.bits.W), 3))
  io.out <> out.io.deq

  // First clock: which bytes of the beat, and to which byte of the joined ones they move.
  private val begun = RegInit(false.B)
  private val leftNow = Reg(UInt(PacketRequest.payloadBits.W))
  private val fill = RegInit(0.U(log2Ceil(size).W))
  private val flushes = RegInit(false.B)
  private val piece = io.piece.bits
  private val left = Mux(begun, leftNow, piece.bytes)
  private val from = Mux(begun || piece.atHand, 0.U, piece.address(log2Ceil(size) - 1, 0))
  private val inBeat = size.U - from
  private val ends = left <= inBeat
  private val taken = Mux(ends, left, inBeat)(log2Ceil(size), 0)
  private val needsBeat = left =/= 0.U && !piece.atHand
  private val total = fill +& taken
  private val full = total >= size.U
  private val rest = total(log2Ceil(size) - 1, 0)
  private val isEnd = ends && piece.last
  private val able = io.piece.valid && (!needsBeat || io.beat.valid) && !flushes
  private val second = Wire(Bool())
  private val takes = able && second
  io.piece.ready := takes && ends
  io.beat.ready := takes && needsBeat
  when(takes) {
    begun := !ends
    leftNow := left - taken
    fill := Mux(isEnd, 0.U, rest)
    flushes := isEnd && full && rest =/= 0.U
  }.elsewhen(flushes && second)(flushes := false.B)

  private val source = Mux(piece.atHand, piece.data.pad(FrameBeat.bits), io.beat.bits)
  private val by = fill - from
  private val turned = (0 until log2Ceil(size)).foldLeft(source) { case (data, stage) =>
    val bits = 8 << stage
    Mux(
      by(stage),
      data(FrameBeat.bits - bits - 1, 0) ## data(FrameBeat.bits - 1, FrameBeat.bits - bits),
      data
    )
  }

  // Second clock: behind the bytes that are there; those that do not fit begin the next beat.
  private val valid = RegInit(false.B)
  private val moved = RegEnable(turned, takes)
  private val begins = RegEnable(fill, takes)
  private val flushed = RegEnable(flushes, second)
  private val leaves = RegEnable(
    Mux(flushes, true.B, full || isEnd && total =/= 0.U),
    second
  )
  second := !valid || !leaves || out.io.enq.ready
  when(second)(valid := takes || flushes)
  private val joined = Reg(UInt(FrameBeat.bits.W))
  private val merged = Cat((size - 1 to 0 by -1).map { i =>
    def of(data: UInt) = data(8 * i + 7, 8 * i)
    Mux(i.U < begins && !flushed, of(joined), of(moved))
  })
  out.io.enq.valid := valid && leaves
  out.io.enq.bits := merged
  when(valid && second)(joined := Mux(leaves, moved, merged))
}
