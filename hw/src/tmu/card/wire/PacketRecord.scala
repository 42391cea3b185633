// SPDX-License-Identifier: Apache-2.0
package tmu.card.wire

import chisel3._

/** Settings that both sides of a link must agree on, because no packet says them: registers of the
  * driver.
  */
class WireSettings extends Bundle {
  val udpPort = UInt(16.W)

  /** Read the native form, without UDP, as well; its IP protocol. */
  val native = Bool()
  val nativeProtocol = UInt(8.W)

  /** CrcCoverage. */
  val crc = UInt(2.W)

  /** Most significant byte first; else least, as in iSCSI. */
  val crcBigEndian = Bool()
}

/** Around a packet: Ethernet, of which an answer needs the addresses and tags. */
class EthernetPart extends Bundle {
  val destinationMac = UInt(48.W)
  val sourceMac = UInt(48.W)

  /** VLAN tags, 0 to 2; type and tag of each, the outer first. */
  val tags = UInt(2.W)
  val tag = Vec(2, UInt(32.W))
}

/** Around a packet: IP, and UDP or the entropy header. An IPv4 address is in the lowest bits. */
class InternetPart extends Bundle {
  val ipv6 = Bool()
  val native = Bool()
  val dscp = UInt(6.W)
  val ecn = UInt(2.W)
  val source = UInt(128.W)
  val destination = UInt(128.W)

  /** Entropy: an ACK copies it. */
  val sourcePort = UInt(16.W)
}

/** The packet delivery header; fields as in PdsLayout. */
class PdsPart extends Bundle {
  val kind = UInt(5.W)
  val next = UInt(4.W)
  val flags = UInt(7.W)
  val offset = UInt(16.W)
  val psn = UInt(32.W)
  val spdcid = UInt(16.W)
  val dpdcid = UInt(16.W)
  val payload = UInt(32.W)

  /** The longest form of the header, byte 0 in the lowest bits; shorter forms end before `payload`.
    */
  def octets: UInt = Octets.build(
    PdsLayout.payload.end,
    PdsLayout.kind -> kind,
    PdsLayout.next -> next,
    PdsLayout.flags -> flags,
    PdsLayout.offset -> offset,
    PdsLayout.psn -> psn,
    PdsLayout.spdcid -> spdcid,
    PdsLayout.dpdcid -> dpdcid,
    PdsLayout.payload -> payload
  )

  /** With SYN: the PSN with which the connection begins; `dpdcid` then holds the offset from it. */
  def start: UInt = psn - dpdcid(11, 0)
}

/** The semantic header, the same for standard and medium requests.
  *
  * A medium one has no message id (0), its request length from its own field, and header data in
  * place of the buffer offset. Header data and the offset in the message are 0 where the packet has
  * none. Of a response with data only what all responses have is meant.
  */
class SesPart extends Bundle {

  /** NextHeader: which header it was; 0 for none. */
  val next = UInt(4.W)
  val list = UInt(2.W)
  val opcode = UInt(6.W)
  val version = UInt(2.W)
  val flags = UInt(6.W)
  val messageId = UInt(16.W)
  val generation = UInt(8.W)
  val job = UInt(24.W)
  val pid = UInt(12.W)
  val index = UInt(12.W)
  val bufferOffset = UInt(64.W)
  val initiator = UInt(32.W)
  val matchBits = UInt(64.W)
  val headerData = UInt(64.W)
  val payloadLength = UInt(14.W)
  val messageOffset = UInt(32.W)
  val requestLength = UInt(32.W)
  val modifiedLength = UInt(32.W)
}

/** Extension of a rendezvous: where to read the rest. */
class RendezvousPart extends Bundle {
  val eagerLength = UInt(32.W)
  val generation = UInt(8.W)
  val pid = UInt(12.W)
  val index = UInt(12.W)
  val offset = UInt(64.W)
  val key = UInt(64.W)
}

/** All that is known of a frame: one for each that arrives, once its CRC is known (W6).
  *
  * Of a frame that is not accepted only the verdict and the beats mean anything.
  */
class PacketRecord extends Bundle {

  /** Verdict. */
  val verdict = UInt(Verdict.bits.W)
  val ethernet = new EthernetPart
  val internet = new InternetPart
  val pds = new PdsPart
  val ses = new SesPart
  val rendezvous = new RendezvousPart
  val payloadBytes = UInt(16.W)

  /** Beats of the payload stream that belong to it. */
  val beats = UInt(PacketRecord.beatBits.W)
}

object PacketRecord {

  /** As many as the IP length can say, in beats of 64 bytes. */
  val beatBits: Int = 11
}
