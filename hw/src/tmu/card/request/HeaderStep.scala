// SPDX-License-Identifier: Apache-2.0
package tmu.card.request

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, ShiftRegister}
import tmu.buffer.PointerQueue
import tmu.card.wire._

/** All headers of a frame, byte 0 in the lowest bits; zero behind the last. */
class FrameFront extends Bundle {
  val bits = UInt((8 * FrameFront.most).W)
  val bytes = UInt(log2Ceil(FrameFront.most + 1).W)
  val payloadBytes = UInt(PacketRequest.payloadBits.W)

  /** Bytes from the frame's first one to the first that the CRC covers. */
  val crcBegins = UInt(7.W)
}

object FrameFront {

  /** Ethernet with two tags, IPv6, UDP, the longest delivery and semantic headers. */
  val most: Int = 22 + 40 + 8 + 16 + 44 + 24
}

/** Puts the headers of a packet in front of each other, one packet a clock. */
class HeaderStep extends Module {
  import HeaderStep._
  val io = IO(new Bundle {
    val request = Flipped(Decoupled(new PacketRequest))
    val settings = Input(new WireSettings)
    val front = Decoupled(new FrameFront)
  })
  private val withCrc = io.settings.crc =/= CrcCoverage.none.U
  private def around(request: PacketRequest): FrameHeaders = FrameHeaders(
    ethernet = request.ethernet,
    internet = request.internet,
    settings = io.settings,
    following = request.payloadBytes +& Mux(withCrc, FrameHeaders.crcBytes.U, 0.U)
  )

  // A request is taken while the queue has an entry for all that are inside.
  private val fronts = Module(new PointerQueue(new FrameFront, entries))
  private val inside = RegInit(0.U(log2Ceil(entries + 1).W))
  inside := inside + io.request.fire - io.front.fire
  io.request.ready := inside =/= entries.U
  io.front <> fronts.io.deq

  private val request = RegNext(io.request.bits)
  private val packet = RequestHeaders.packet(request).later
  private val second = RegNext(request)
  private val bare = around(second).withTransport(packet)
  private val sum = around(second).checksum(bare)
  private val transport = bare.later
  private val third = RegNext(second)
  private val network = around(third).withInternet(sum, transport).later
  private val fourth = RegNext(third)
  private val frame = around(fourth).withEthernet(network).later
  private val begins = RegNext(begin(fourth))
  private val taken = RegNext(io.request.fire, false.B)
  assert(!taken || RequestHeaders.known(request), "a packet of a kind that no request has")
  require(frame.bits.getWidth == 8 * FrameFront.most, s"headers of ${frame.bits.getWidth} bits")

  fronts.io.enq.valid := ShiftRegister(io.request.fire, clocks, false.B, true.B)
  fronts.io.enq.bits.bits := frame.bits
  fronts.io.enq.bits.bytes := frame.bytes
  fronts.io.enq.bits.payloadBytes := RegNext(fourth.payloadBytes)
  fronts.io.enq.bits.crcBegins := begins
  assert(fronts.io.enq.ready || !fronts.io.enq.valid, "headers without an entry")

  private def begin(request: PacketRequest): UInt = {
    val v6 = request.internet.ipv6
    val ethernet = EthernetLayout.bytes.U +& request.ethernet.tags * EthernetLayout.tagBytes.U
    val addresses = Mux(v6, Ipv6Layout.source.byte.U, Ipv4Layout.source.byte.U)
    val behind = Mux(v6, Ipv6Layout.bytes.U, Ipv4Layout.bytes.U) +&
      Mux(request.internet.native, UdpLayout.entropyBytes.U, UdpLayout.bytes.U)
    ethernet +& Mux(io.settings.crc === CrcCoverage.addresses.U, addresses, behind)
  }
}

object HeaderStep {

  /** Clocks from a request to its headers in the queue. */
  private val clocks = 5

  /** Entries for a packet a clock, those inside included. */
  private val entries = 7
}
