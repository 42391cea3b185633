// SPDX-License-Identifier: Apache-2.0
package tmu.card.send

import chisel3._
import chisel3.util._
import tmu.buffer.PointerQueue
import tmu.card.fetch.{FetchPiece, FetchedPacket}
import tmu.card.initiator.PacketOrder
import tmu.card.request.PacketRequest
import tmu.card.wire._
import tmu.layout.SendLayout

/** Envelope of packets; registers of the driver. */
class SourceSettings extends Bundle {

  /** Of this card. */
  val address = UInt(128.W)
  val dscp = UInt(6.W)
}

/** From an order to a packet: its semantic header is that of its message, its payload lies in one
  * to four pieces, one a clock.
  *
  * Its header leaves when the payload has been read; where memory has failed it says so, and the
  * target ends the message.
  */
class PacketSource(p: SendParams) extends Module {
  val io = IO(new Bundle {
    val order = Flipped(Decoupled(new PacketOrder(p.initiator)))
    val settings = Input(new SourceSettings)
    val ask = Output(UInt(p.initiator.messageBits.W))
    val record = Input(new SendRecord(p))

    /** Of its target. */
    val generation = Input(UInt(8.W))
    val piece = Decoupled(new FetchPiece)
    val fetched = Flipped(Decoupled(new FetchedPacket))
    val request = Decoupled(new PacketRequest)

    /** Nothing of the oldest packet is read any more. */
    val done = Output(Bool())
    val idle = Output(Bool())
  })
  private class Waiting extends Bundle {
    val request = new PacketRequest
    val fetches = Bool()
  }
  private val waiting = Module(new PointerQueue(new Waiting, PacketSource.entries))
  private val busy = RegInit(false.B)
  private val order = Reg(new PacketOrder(p.initiator))
  private val record = Reg(new SendRecord(p))
  private val generation = Reg(UInt(8.W))
  private val number = Reg(UInt(log2Ceil(SendLayout.pieces).W))
  private val skip = Reg(UInt(32.W))
  private val left = Reg(UInt(PacketRequest.payloadBits.W))
  private val packet = order.packet

  io.ask := io.order.bits.packet.message
  io.order.ready := !busy
  when(io.order.fire) {
    busy := true.B
    order := io.order.bits
    record := io.record
    generation := io.generation
    number := 0.U
    skip := io.order.bits.packet.offset
    left := io.order.bits.packet.bytes
  }

  // A piece that ends before the packet begins is passed over.
  private val control = order.pds.kind === PdsType.control.U
  private val source = record.piece(number)
  private val atHand = record.count === 0.U
  private val passed = !atHand && left =/= 0.U && skip >= source.bytes
  private val inPiece = source.bytes - skip
  private val whole = atHand || left <= inPiece
  private val bytes = Mux(whole, left, inPiece)(PacketRequest.payloadBits - 1, 0)
  private val ends = control || whole && !passed
  private val able = waiting.io.enq.ready || !ends
  private val goes = busy && able && (control || passed || io.piece.ready)
  io.piece.valid := busy && able && !control && !passed
  io.piece.bits.address := source.address + skip
  io.piece.bits.bytes := bytes
  io.piece.bits.atHand := atHand
  io.piece.bits.data := record.atHand >> (skip(4, 0) << 3)
  io.piece.bits.last := whole
  when(goes) {
    busy := !ends
    number := number + 1.U
    skip := Mux(passed, skip - source.bytes, 0.U)
    when(!passed)(left := left - bytes)
  }

  waiting.io.enq.valid := goes && ends
  waiting.io.enq.bits.fetches := !control
  waiting.io.enq.bits.request := request
  private val head = waiting.io.deq
  private val ready = !head.bits.fetches || io.fetched.valid
  io.request.valid := head.valid && ready
  io.request.bits := head.bits.request
  when(head.bits.fetches && io.fetched.bits.failed)(
    io.request.bits.ses.flags := head.bits.request.ses.flags | SesLayout.initiatorError.U
  )
  head.ready := io.request.ready && ready
  io.fetched.ready := io.request.ready && head.valid && head.bits.fetches
  io.done := head.fire
  io.idle := !busy && !head.valid

  private def request: PacketRequest = {
    val made = WireDefault(0.U.asTypeOf(new PacketRequest))
    val (key, own) = (order.key, io.settings.address)
    def mac(address: UInt): UInt = PacketSource.macPrefix.U(16.W) ## address(31, 0)
    made.ethernet.destinationMac := mac(key.address)
    made.ethernet.sourceMac := mac(own)
    made.internet.ipv6 := key.ipv6
    made.internet.dscp := io.settings.dscp
    made.internet.ecn := PacketSource.ecnCapable.U
    made.internet.source := own
    made.internet.destination := key.address
    // A connection keeps its path: its packets have one entropy.
    made.internet.sourcePort := PacketSource.ports.U | order.pds.spdcid(13, 0)
    made.pds := order.pds
    val ses = made.ses
    def flag(of: Bool, mask: Int): UInt = Mux(of, mask.U(6.W), 0.U)
    ses.opcode := Mux(packet.aborts, Opcode.messageError.U, Opcode.taggedSend.U)
    ses.flags := SesLayout.relative.U | flag(packet.first, SesLayout.first) |
      flag(packet.last, SesLayout.last) |
      flag(packet.first && record.hasHeaderData, SesLayout.hasHeaderData)
    ses.messageId := packet.id
    ses.generation := generation
    ses.job := key.job
    ses.pid := record.pid
    ses.index := record.index
    ses.initiator := record.initiator
    ses.matchBits := record.matchBits
    ses.headerData := record.headerData
    ses.payloadLength := packet.bytes
    ses.messageOffset := packet.offset
    ses.requestLength := record.length
    made.payloadBytes := Mux(control, 0.U, packet.bytes)
    made
  }
}

object PacketSource {

  /** Packets whose payload is on its way. */
  private val entries = 31

  /** Hardware addresses are made of IP addresses: locally administered, then the last 32 bits. */
  private val macPrefix = 0x0200
  private val ecnCapable = 2
  private val ports = 0xc000
}
