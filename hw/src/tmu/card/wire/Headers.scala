// SPDX-License-Identifier: Apache-2.0
package tmu.card.wire

// Layouts of the headers, typed once for all hardware: reading and building use the same tables.
// Certainty of each: docs/wire.md.

/** IEEE 802.3 and 802.1Q. */
object EthernetLayout {
  val destination = Field(0, 48)
  val source = Field(6, 48)
  val bytes = 14
  val tagBytes = 4
  val ipv4 = 0x0800
  val ipv6 = 0x86dd
  val tagTypes = Seq(0x8100, 0x88a8)

  /** Type and tag of the outer and of the inner VLAN, where there are so many. */
  def tag(index: Int): Field = Field(12 + tagBytes * index, 32)
  def etherType(tags: Int): Field = Field(12 + tagBytes * tags, 16)
}

/** RFC 791. */
object Ipv4Layout {
  val bytes = 20
  val version = Field(byte = 0, skip = 0, width = 4)
  val headerWords = Field(byte = 0, skip = 4, width = 4)
  val dscp = Field(byte = 1, skip = 0, width = 6)
  val ecn = Field(byte = 1, skip = 6, width = 2)
  val totalLength = Field(2, 16)
  val dontFragment = Field(byte = 6, skip = 1, width = 1)

  /** More fragments, and the offset of this one. */
  val fragment = Field(byte = 6, skip = 2, width = 14)
  val hopLimit = Field(8, 8)
  val protocol = Field(9, 8)
  val checksum = Field(10, 16)
  val source = Field(12, 32)
  val destination = Field(16, 32)
}

/** RFC 8200. */
object Ipv6Layout {
  val bytes = 40
  val version = Field(byte = 0, skip = 0, width = 4)
  val dscp = Field(byte = 0, skip = 4, width = 6)
  val ecn = Field(byte = 1, skip = 2, width = 2)
  val payloadLength = Field(4, 16)
  val protocol = Field(6, 8)
  val hopLimit = Field(7, 8)
  val source = Field(8, 128)
  val destination = Field(24, 128)
}

/** RFC 768, and the entropy header in place of it, which has the source port alone. */
object UdpLayout {
  val bytes = 8
  val entropyBytes = 4
  val protocol = 17
  val sourcePort = Field(0, 16)
  val destinationPort = Field(2, 16)
  val length = Field(4, 16)
}

/** Packet delivery header. All types have the first twelve bytes alike but for what is in them. */
object PdsLayout {
  val kind = Field(byte = 0, skip = 0, width = 5)
  val next = Field(byte = 0, skip = 5, width = 4)
  val flags = Field(byte = 1, skip = 1, width = 7)

  /** clear_psn_offset, ack_psn_offset, probe_opaque, or nack_code and vendor_code. */
  val offset = Field(2, 16)

  /** psn, cack_psn, nack_psn. */
  val psn = Field(4, 32)
  val spdcid = Field(8, 16)

  /** dpdcid; with SYN pdc_info (4) and psn_offset (12). */
  val dpdcid = Field(10, 16)

  /** NACK and control packets: payload; requests: ccc_id and credit_target; ACK_CC: from cc_type to
    * sack_psn_offset.
    */
  val payload = Field(12, 32)

  // Flags of requests and control packets.
  val retransmitted = 0x10
  val wantsAck = 0x08
  val syn = 0x04

  // Of control packets on a connection that keeps order.
  val ordered = 0x20

  // Flags of acknowledgements; the last two share a field.
  val marked = 0x20
  val probed = 0x08
  val wantsClear = 0x02
  val wantsClose = 0x04
  val wants = wantsClear | wantsClose
}

/** Semantic header: bytes 0 to 11 of all requests, then those of standard and medium ones. */
object SesLayout {
  val list = Field(byte = 0, skip = 0, width = 2)
  val opcode = Field(byte = 0, skip = 2, width = 6)
  val version = Field(byte = 1, skip = 0, width = 2)

  /** Of a response: its return code. */
  val flags = Field(byte = 1, skip = 2, width = 6)
  val messageId = Field(2, 16)

  /** request_length of a medium header, payload_length of a small response with data. */
  val shortLength = Field(byte = 2, skip = 2, width = 14)
  val generation = Field(4, 8)
  val job = Field(5, 24)
  val pid = Field(byte = 8, skip = 4, width = 12)
  val index = Field(byte = 10, skip = 4, width = 12)
  val bufferOffset = Field(12, 64)
  val initiator = Field(20, 32)
  val matchBits = Field(24, 64)
  val headerData = Field(32, 64)
  val payloadLength = Field(byte = 34, skip = 2, width = 14)
  val messageOffset = Field(36, 32)
  val requestLength = Field(40, 32)
  val modifiedLength = Field(8, 32)
  val modifiedLengthWithData = Field(12, 32)

  // Flags.
  val dataComplete = 0x20
  val initiatorError = 0x10
  val relative = 0x08
  val hasHeaderData = 0x04
  val last = 0x02
  val first = 0x01
}

/** Behind the standard header of a rendezvous; bytes count from its own first one. */
object RendezvousLayout {
  val eagerLength = Field(0, 32)
  val generation = Field(4, 8)
  val pid = Field(5, 12)
  val index = Field(byte = 6, skip = 4, width = 12)
  val offset = Field(8, 64)
  val key = Field(16, 64)
}
