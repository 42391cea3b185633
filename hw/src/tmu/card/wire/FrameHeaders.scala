// SPDX-License-Identifier: Apache-2.0
package tmu.card.wire

import chisel3._

/** Headers of Ethernet, IP and UDP around a packet that leaves, from the innermost on. Pure but for
  * the checksum.
  *
  * @param ethernet
  *   addresses and tags as they stand in the frame
  * @param internet
  *   addresses, traffic class, form and entropy as they stand in the frame
  * @param following
  *   bytes of the IP packet behind every piece: payload and CRC
  */
case class FrameHeaders(
    ethernet: EthernetPart,
    internet: InternetPart,
    settings: WireSettings,
    following: UInt
) {
  import FrameHeaders._
  private val v6 = internet.ipv6
  private val protocol =
    Mux(internet.native, settings.nativeProtocol, UdpLayout.protocol.U)

  /** The packet with UDP or the entropy header in front. */
  def withTransport(packet: Piece): Piece = {
    val entropy = UdpLayout.sourcePort -> internet.sourcePort
    val udp = Octets.build(
      UdpLayout.bytes,
      entropy,
      UdpLayout.destinationPort -> settings.udpPort,
      UdpLayout.length -> (packet.bytes +& following +& UdpLayout.bytes.U)
    )
    packet.behind(
      internet.native ->
        Seq(Octets.build(UdpLayout.entropyBytes, entropy) -> UdpLayout.entropyBytes),
      !internet.native -> Seq(udp -> UdpLayout.bytes)
    )
  }

  /** Both IP addresses, the source first: in the order of the wire. */
  private def addresses(bytes: Int): UInt = {
    val (from, to) = (internet.source(8 * bytes - 1, 0), internet.destination(8 * bytes - 1, 0))
    Octets.reverse(from ## to)
  }

  /** Bytes that a CRC covers: the packet, with addresses and transport in front or without. */
  def covered(packet: Piece, transport: Piece): Piece = {
    val all = transport.behind(
      v6 -> Seq(addresses(16) -> 32),
      !v6 -> Seq(addresses(4) -> 8)
    )
    val some = settings.crc === CrcCoverage.addresses.U
    Piece(
      Mux(some, all.bits, packet.bits.pad(all.bits.getWidth)),
      Mux(some, all.bytes, packet.bytes)
    )
  }

  /** The IPv4 header without its checksum and addresses. */
  private def ipv4(transport: Piece): UInt =
    Octets.build(
      Ipv4Layout.bytes - 8,
      Ipv4Layout.version -> 4.U,
      Ipv4Layout.headerWords -> 5.U,
      Ipv4Layout.dscp -> internet.dscp,
      Ipv4Layout.ecn -> internet.ecn,
      Ipv4Layout.totalLength -> (transport.bytes +& following +& Ipv4Layout.bytes.U),
      Ipv4Layout.dontFragment -> 1.U,
      Ipv4Layout.hopLimit -> hopLimit.U,
      Ipv4Layout.protocol -> protocol
    )

  /** Checksum of the IPv4 header, a clock later. */
  def checksum(transport: Piece): UInt = {
    val header = addresses(4) ## ipv4(transport)
    val words = (0 until Ipv4Layout.bytes by 2).map(at => new Octets(header)(Field(at, 16)))
    val sum = RegNext(VecInit(words.grouped(2).map(_.reduce(_ +& _)).toSeq)).reduceTree(_ +& _)
    val folded = sum(15, 0) +& (sum >> 16)
    ~(folded(15, 0) + folded(16))
  }

  /** With the IP header in front. */
  def withInternet(checksum: UInt, transport: Piece): Piece = {
    val sum = Octets.build(Ipv4Layout.bytes - 8, Ipv4Layout.checksum -> checksum)
    val wide = Octets.build(
      Ipv6Layout.bytes - 32,
      Ipv6Layout.version -> 6.U,
      Ipv6Layout.dscp -> internet.dscp,
      Ipv6Layout.ecn -> internet.ecn,
      Ipv6Layout.payloadLength -> (transport.bytes +& following),
      Ipv6Layout.protocol -> protocol,
      Ipv6Layout.hopLimit -> hopLimit.U
    )
    transport.behind(
      v6 -> Seq(wide -> (Ipv6Layout.bytes - 32), addresses(16) -> 32),
      !v6 -> Seq((ipv4(transport) | sum) -> (Ipv4Layout.bytes - 8), addresses(4) -> 8)
    )
  }

  /** With addresses, tags and the EtherType in front. */
  def withEthernet(inner: Piece): Piece = {
    val kind = Mux(v6, EthernetLayout.ipv6.U, EthernetLayout.ipv4.U)
    inner.behind((0 to 2).map { tags =>
      val bytes = EthernetLayout.bytes + EthernetLayout.tagBytes * tags
      val header = Octets.build(
        bytes,
        Seq(
          EthernetLayout.destination -> ethernet.destinationMac,
          EthernetLayout.source -> ethernet.sourceMac,
          EthernetLayout.etherType(tags) -> kind
        ) ++ (0 until tags).map(i => EthernetLayout.tag(i) -> ethernet.tag(i)): _*
      )
      (ethernet.tags === tags.U) -> Seq(header -> bytes)
    }: _*)
  }
}

object FrameHeaders {
  private val hopLimit = 64

  /** Of a frame on Ethernet, without its check sequence. */
  val leastBytes: Int = 60
  val crcBytes: Int = 4

  /** A CRC in the order of the wire, byte 0 in the lowest bits. */
  def crcOctets(settings: WireSettings, crc: UInt): UInt =
    Mux(settings.crcBigEndian, Octets.reverse(crc), crc)
}
