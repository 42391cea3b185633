// SPDX-License-Identifier: Apache-2.0
package tmu.card.answer

import chisel3._
import chisel3.util.Mux1H
import tmu.card.wire._

/** Bytes of a variable number, byte 0 in the lowest bits; zero behind the last. */
case class Piece(bits: UInt, bytes: UInt) {

  /** With one of several headers in front; exactly one of the conditions holds. */
  def behind(headers: (Bool, Seq[(UInt, Int)])*): Piece = {
    val most = headers.map(_._2.map(_._2).sum).max
    val joined = headers.map { case (condition, parts) =>
      val front = parts.foldRight(bits) { case ((part, bytes), rest) =>
        rest ## part(8 * bytes - 1, 0)
      }
      val length = bytes +& parts.map(_._2).sum.U
      condition -> ((front.pad(bits.getWidth + 8 * most), length))
    }
    Piece(
      Mux1H(joined.map { case (condition, (front, _)) => condition -> front }),
      Mux1H(joined.map { case (condition, (_, length)) => condition -> length })
    )
  }
}

/** The headers of an answer, from the innermost on. Pure, no state. */
object AnswerHeaders {

  /** Forms of the packet itself: each with its bytes. */
  private val ackBytes = PdsType.bytes(PdsType.ack)
  private val nackBytes = PdsType.bytes(PdsType.nack)
  private val responseBytes = NextHeader.bytes(NextHeader.response)
  private val most = ackBytes + responseBytes
  private val hopLimit = 64

  /** Packet delivery header, and what follows. */
  def packet(request: AnswerRequest): Piece = {
    val pds = request.pds
    val nack = pds.kind === PdsType.nack.U
    val responds = !nack && pds.next === NextHeader.response.U
    val header = Octets.build(
      most,
      PdsLayout.kind -> pds.kind,
      PdsLayout.next -> pds.next,
      PdsLayout.flags -> pds.flags,
      PdsLayout.offset -> pds.offset,
      PdsLayout.psn -> pds.psn,
      PdsLayout.spdcid -> pds.spdcid,
      PdsLayout.dpdcid -> pds.dpdcid,
      PdsLayout.payload -> Mux(nack, pds.payload, 0.U)
    )
    val response = request.response
    val semantic = Octets.build(
      responseBytes,
      SesLayout.list -> response.list,
      SesLayout.opcode -> response.opcode,
      SesLayout.flags -> response.returnCode,
      SesLayout.messageId -> response.messageId,
      SesLayout.generation -> response.generation,
      SesLayout.job -> response.job,
      SesLayout.modifiedLength -> response.modifiedLength
    )
    Piece(
      header | Mux(responds, semantic ## 0.U((8 * ackBytes).W), 0.U),
      Mux(nack, nackBytes.U, Mux(responds, most.U, ackBytes.U))
    )
  }

  /** With UDP or the entropy header in front; `crcBytes` will follow it. */
  def transport(request: AnswerRequest, port: UInt, inner: Piece, crcBytes: UInt): Piece = {
    val native = request.internet.native
    val entropy = UdpLayout.sourcePort -> request.internet.sourcePort
    val udp = Octets.build(
      UdpLayout.bytes,
      entropy,
      UdpLayout.destinationPort -> port,
      UdpLayout.length -> (inner.bytes +& crcBytes +& UdpLayout.bytes.U)
    )
    inner.behind(
      native -> Seq(Octets.build(UdpLayout.entropyBytes, entropy) -> UdpLayout.entropyBytes),
      !native -> Seq(udp -> UdpLayout.bytes)
    )
  }

  /** Both IP addresses, the answer's source first: in the order of the wire. */
  private def addresses(request: AnswerRequest, bytes: Int): UInt = {
    val internet = request.internet
    val (from, to) = (internet.destination(8 * bytes - 1, 0), internet.source(8 * bytes - 1, 0))
    Octets.reverse(from ## to)
  }

  /** Bytes that a CRC covers: the packet, with transport in front or without. */
  def covered(request: AnswerRequest, coverage: UInt, packet: Piece, transport: Piece): Piece = {
    val v6 = request.internet.ipv6
    val all = transport.behind(
      v6 -> Seq(addresses(request, 16) -> 32),
      !v6 -> Seq(addresses(request, 4) -> 8)
    )
    val some = coverage === CrcCoverage.addresses.U
    Piece(
      Mux(some, all.bits, packet.bits.pad(all.bits.getWidth)),
      Mux(some, all.bytes, packet.bytes)
    )
  }

  private def totalLength(transport: Piece, crcBytes: UInt): UInt =
    transport.bytes +& crcBytes +& Ipv4Layout.bytes.U

  private def ipv4(request: AnswerRequest, dscp: UInt, protocol: UInt, length: UInt): UInt =
    Octets.build(
      Ipv4Layout.bytes - 8,
      Ipv4Layout.version -> 4.U,
      Ipv4Layout.headerWords -> 5.U,
      Ipv4Layout.dscp -> dscp,
      Ipv4Layout.totalLength -> length,
      Ipv4Layout.dontFragment -> 1.U,
      Ipv4Layout.hopLimit -> hopLimit.U,
      Ipv4Layout.protocol -> protocol
    )

  /** Checksum of the IPv4 header, a clock later. */
  def checksum(
      request: AnswerRequest,
      dscp: UInt,
      protocol: UInt,
      transport: Piece,
      crcBytes: UInt
  ): UInt = {
    val header = addresses(request, 4) ##
      ipv4(request, dscp, protocol, totalLength(transport, crcBytes))
    val words = (0 until Ipv4Layout.bytes by 2).map(at => new Octets(header)(Field(at, 16)))
    val sum = RegNext(VecInit(words.grouped(2).map(_.reduce(_ +& _)).toSeq)).reduceTree(_ +& _)
    val folded = sum(15, 0) +& (sum >> 16)
    ~(folded(15, 0) + folded(16))
  }

  /** With the IP header in front. */
  def internet(
      request: AnswerRequest,
      dscp: UInt,
      protocol: UInt,
      checksum: UInt,
      transport: Piece,
      crcBytes: UInt
  ): Piece = {
    val v6 = request.internet.ipv6
    val sum = Octets.build(Ipv4Layout.bytes - 8, Ipv4Layout.checksum -> checksum)
    val early = ipv4(request, dscp, protocol, totalLength(transport, crcBytes)) | sum
    val wide = Octets.build(
      Ipv6Layout.bytes - 32,
      Ipv6Layout.version -> 6.U,
      Ipv6Layout.dscp -> dscp,
      Ipv6Layout.payloadLength -> (transport.bytes +& crcBytes),
      Ipv6Layout.protocol -> protocol,
      Ipv6Layout.hopLimit -> hopLimit.U
    )
    transport.behind(
      v6 -> Seq(wide -> (Ipv6Layout.bytes - 32), addresses(request, 16) -> 32),
      !v6 -> Seq(early -> (Ipv4Layout.bytes - 8), addresses(request, 4) -> 8)
    )
  }

  /** With addresses, the tags of the packet that is answered, and the EtherType in front. */
  def ethernet(request: AnswerRequest, inner: Piece): Piece = {
    val part = request.ethernet
    val kind = Mux(request.internet.ipv6, EthernetLayout.ipv6.U, EthernetLayout.ipv4.U)
    inner.behind((0 to 2).map { tags =>
      val bytes = EthernetLayout.bytes + EthernetLayout.tagBytes * tags
      val header = Octets.build(
        bytes,
        Seq(
          EthernetLayout.destination -> part.sourceMac,
          EthernetLayout.source -> part.destinationMac,
          EthernetLayout.etherType(tags) -> kind
        ) ++ (0 until tags).map(i => EthernetLayout.tag(i) -> part.tag(i)): _*
      )
      (part.tags === tags.U) -> Seq(header -> bytes)
    }: _*)
  }
}
