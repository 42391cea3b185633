// SPDX-License-Identifier: Apache-2.0
package tmu.card.answer

import chisel3._
import chisel3.util.{Cat, Decoupled, ShiftRegister}
import tmu.buffer.PointerQueue
import tmu.bus.AxiStream
import tmu.card.wire._

/** Turns answers into frames, one after the other: acknowledgements and refusals.
  *
  * An answer is at most 98 bytes, two beats; one can come in every second clock, and in every clock
  * when they fit in one beat. A frame is padded to the least size of Ethernet.
  */
class AnswerBuilder extends Module {
  import AnswerBuilder._
  val io = IO(new Bundle {
    val request = Flipped(Decoupled(new AnswerRequest))

    /** Change while no answer is inside. */
    val settings = Input(new WireSettings)

    /** Traffic class of all answers. */
    val dscp = Input(UInt(6.W))
    val stream = new AxiStream(8 * beat, 1)
  })
  private val withCrc = io.settings.crc =/= CrcCoverage.none.U
  private val crcBytes = Mux(withCrc, FrameHeaders.crcBytes.U, 0.U)
  private def around(request: AnswerRequest): FrameHeaders = FrameHeaders(
    ethernet = request.backEthernet,
    internet = request.backInternet(io.dscp),
    settings = io.settings,
    following = crcBytes
  )

  // An answer waits in one queue while its checks are computed into another, which has room for
  // those of all that wait.
  private val waiting = Module(new PointerQueue(new AnswerRequest, entries))
  private val checks = Module(new PointerQueue(new Checks, entries))
  waiting.io.enq <> io.request

  private val comes = RegNext(io.request.fire, false.B)
  private val request = RegNext(io.request.bits)
  private val bare = AnswerHeaders.packet(request)
  private val transport = around(request).withTransport(bare)
  private val covered = around(request).covered(bare, transport)
  require(covered.bits.getWidth == 8 * most, s"a CRC covers ${covered.bits.getWidth} bits")

  // A CRC begins with ones, which are put upon the first four bytes.
  private val data = Reg(UInt((8 * most).W))
  private val register = Reg(UInt(32.W))
  private val surplus = RegNext(most.U - covered.bytes)
  data := covered.bits ^ "hffffffff".U
  register := Crc32c.sum(data)
  private val rewind = Crc32c.rewindClocks(most)
  checks.io.enq.valid := ShiftRegister(comes, 3 + rewind, false.B, true.B)
  checks.io.enq.bits.crc := ~Crc32c.rewind(register, ShiftRegister(surplus, 2), most)
  checks.io.enq.bits.checksum := ShiftRegister(
    around(request).checksum(transport),
    2 + rewind
  )
  assert(checks.io.enq.ready || !checks.io.enq.valid, "checks of an answer without room")

  // From the inside out, once both are there.
  private val head = waiting.io.deq.bits
  private val check = checks.io.deq.bits
  private val tail = FrameHeaders.crcOctets(io.settings, check.crc)
  private val inner = {
    val packet = AnswerHeaders.packet(head)
    val bits = packet.bits.getWidth + 32
    val behind = (tail << (packet.bytes << 3))(bits - 1, 0)
    Piece(packet.bits.pad(bits) | Mux(withCrc, behind, 0.U), packet.bytes)
  }
  private val frame = {
    val headers = around(head)
    headers.withEthernet(headers.withInternet(check.checksum, headers.withTransport(inner)))
  }
  private val length = frame.bytes +& crcBytes

  // Two beats, or one.
  private val valid = RegInit(false.B)
  private val second = RegInit(false.B)
  private val bytes = Reg(UInt((2 * 8 * beat).W))
  private val left = Reg(UInt(8.W))
  private val moves = io.stream.tvalid && io.stream.tready
  private val free = !valid || moves && io.stream.tlast
  private val loads = free && waiting.io.deq.valid && checks.io.deq.valid
  waiting.io.deq.ready := loads
  checks.io.deq.ready := loads
  when(free)(valid := loads)
  when(loads) {
    bytes := frame.bits
    left := Mux(length < FrameHeaders.leastBytes.U, FrameHeaders.leastBytes.U, length)
    second := false.B
  }.elsewhen(moves && !io.stream.tlast) {
    bytes := bytes >> (8 * beat)
    left := left - beat.U
    second := true.B
  }
  io.stream.tvalid := valid
  io.stream.tdata := bytes
  io.stream.tlast := left <= beat.U
  io.stream.tkeep := Cat((beat - 1 to 0 by -1).map(_.U < left))
  io.stream.tuser := 0.U
  assert(!(valid && second && !io.stream.tlast), "an answer of more than two beats")
}

/** Checks that are computed over an answer. */
class Checks extends Bundle {
  val crc = UInt(32.W)
  val checksum = UInt(16.W)
}

object AnswerBuilder {
  private val beat = 64

  /** Answers that wait for their checks, a few more than these take clocks. */
  private val entries = 15

  /** A CRC covers no more: two IPv6 addresses, UDP, an ACK and a response. */
  private val most = 64
}
