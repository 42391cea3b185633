// SPDX-License-Identifier: Apache-2.0
package tmu.card.request

import chisel3._
import chisel3.util.{Cat, Decoupled, Valid}

/** A beat with what its CRC needs to know. */
class CoveredBeat extends Bundle {
  val beat = new FrameBeat

  /** Bytes from the frame's first one to the first that the CRC covers, and to its end. */
  val crcBegins = UInt(7.W)
  val end = UInt(FrameBeat.lengthBits.W)
}

/** Puts the payload behind the headers, a beat of the frame in every clock.
  *
  * A payload's beat is rotated once by the bytes of the headers in their last beat: its first bytes
  * fill that beat, and the others begin the next one.
  */
class PayloadJoin extends Module {
  import FrameBeat.size
  val io = IO(new Bundle {
    val front = Flipped(Decoupled(new FrameFront))
    val payload = Flipped(Decoupled(UInt(FrameBeat.bits.W)))

    /** A beat may come out of the next clocks. */
    val open = Input(Bool())
    val out = Output(Valid(new CoveredBeat))
  })
  private val front = io.front.bits
  private val length = front.bytes +& front.payloadBytes
  private val full = front.bytes / size.U
  private val inSeam = front.bytes(5, 0)

  // The frame's next beat: its number, while that is one of the headers', and bytes that are left.
  private val begun = RegInit(false.B)
  private val number = Reg(UInt(2.W))
  private val leftNow = Reg(UInt(FrameBeat.lengthBits.W))
  private val unreadNow = Reg(UInt(PacketRequest.payloadBits.W))
  private val at = Mux(begun, number, 0.U)
  private val left = Mux(begun, leftNow, length)
  private val unread = Mux(begun, unreadNow, front.payloadBytes)
  private val last = left <= size.U
  private val takes = at >= full && unread =/= 0.U
  private val goes = io.open && io.front.valid && (!takes || io.payload.valid)
  io.front.ready := goes && last
  io.payload.ready := goes && takes
  when(goes) {
    begun := !last
    number := Mux(at === 3.U, at, at + 1.U)
    leftNow := left - size.U
    unreadNow := Mux(takes, Mux(unread > size.U, unread - size.U, 0.U), unread)
  }

  // A clock later: the beat of the headers, and the payload's turned by the bytes in the seam.
  private val blocks = VecInit((0 until 4).map { i =>
    val from = i * FrameBeat.bits
    if (from >= front.bits.getWidth) 0.U(FrameBeat.bits.W)
    else {
      val to = math.min(from + FrameBeat.bits, front.bits.getWidth)
      front.bits(to - 1, from).pad(FrameBeat.bits)
    }
  })
  private val turned = (0 until 6).foldLeft(io.payload.bits) { case (data, stage) =>
    val by = 8 << stage
    val moved = Cat(data(FrameBeat.bits - by - 1, 0), data(FrameBeat.bits - 1, FrameBeat.bits - by))
    Mux(inSeam(stage), moved, data)
  }
  private val valid = RegNext(goes, false.B)
  private val block = RegNext(blocks(at))
  private val current = RegNext(turned)
  private val seam = RegNext(inSeam)
  private val isHeader = RegNext(at < full)
  private val isSeam = RegNext(at === full)
  private val took = RegNext(takes)
  private val bytes = RegNext(Mux(last, left, size.U))
  private val mark = Reg(new CoveredBeat)
  mark.beat := DontCare
  mark.beat.first := !begun
  mark.beat.last := last
  mark.crcBegins := front.crcBegins
  mark.end := length
  private val before = Reg(UInt(FrameBeat.bits.W))
  when(valid && took)(before := current)

  private val out = Reg(new CoveredBeat)
  out := mark
  out.beat.bytes := bytes
  out.beat.data := Cat((size - 1 to 0 by -1).map { i =>
    def of(data: UInt) = data(8 * i + 7, 8 * i)
    val early = Mux(isSeam, of(block), of(before))
    val byte = Mux(isHeader, of(block), Mux(i.U < seam, early, of(current)))
    Mux(i.U < bytes, byte, 0.U)
  })
  io.out.valid := RegNext(valid, false.B)
  io.out.bits := out
}

object PayloadJoin {

  /** Clocks from `open` to a beat. */
  val clocks: Int = 2
}
