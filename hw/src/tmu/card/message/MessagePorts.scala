// SPDX-License-Identifier: Apache-2.0
package tmu.card.message

import chisel3._
import tmu.card.pdc.PdcRecord
import tmu.card.wire.{EthernetPart, InternetPart, PacketRecord, PdsPart, ReturnCode, SesPart}

/** A packet of a connection, in order, once (W1); else only beats of payload to be dropped. */
class MessagePacket extends Bundle {
  val deliver = Bool()

  /** Its connection ends with it. */
  val closes = Bool()

  /** Our PDCID of the connection. */
  val pdc = UInt(16.W)
  val ethernet = new EthernetPart
  val internet = new InternetPart
  val pds = new PdsPart
  val ses = new SesPart
  val payloadBytes = UInt(16.W)
  val beats = UInt(PacketRecord.beatBits.W)
}

object MessagePacket {
  def of(from: PdcRecord): MessagePacket = {
    val packet = Wire(new MessagePacket)
    packet.deliver := from.deliver
    packet.closes := from.closes
    packet.pdc := from.pdcid
    packet.ethernet := from.record.ethernet
    packet.internet := from.record.internet
    packet.pds := from.record.pds
    packet.ses := from.record.ses
    packet.payloadBytes := from.record.payloadBytes
    packet.beats := from.record.beats
    packet
  }
}

/** Settings that both sides of the wire must agree on. */
class MessageSettings extends Bundle {

  /** Bytes of every packet of a message but the last. */
  val payloadMtu = UInt(14.W)

  /** The longest message. */
  val limit = UInt(32.W)

  /** Clocks of a period; 0: never. A message of which nothing comes for two whole ones ends. */
  val idle = UInt(32.W)
}

/** Entry of an endpoint, written by the driver. */
class EndpointEntry(m: MessageParams) extends Bundle {

  /** Of the unit. */
  val endpoint = UInt(m.endpointBits.W)

  /** Takes messages; cleared while its owner has no room, or is gone (W5). */
  val enabled = Bool()
  val usesGeneration = Bool()
  val generation = UInt(8.W)
}

/** Name of an endpoint on the wire. Of an absolute address the job is no part. */
class EndpointName extends Bundle {
  val relative = Bool()
  val job = UInt(24.W)
  val pid = UInt(12.W)
  val index = UInt(12.W)
}

/** A change by the driver: of an endpoint, or of which jobs and processes there are at all, which
  * decides what an unknown one is answered.
  */
class EndpointChange(m: MessageParams) extends Bundle {

  /** EndpointLevel. */
  val level = UInt(2.W)
  val remove = Bool()
  val name = new EndpointName
  val entry = new EndpointEntry(m)
}

object EndpointLevel {
  val job = 0
  val process = 1
  val endpoint = 2
}

/** A packet behind the checks: refused, or good so far. */
class CheckedPacket(m: MessageParams) extends Bundle {
  val packet = new MessagePacket

  /** Of the first packet of a message. */
  val entry = new EndpointEntry(m)
  val refused = Bool()

  /** ReturnCode. */
  val code = UInt(ReturnCode.bits.W)

  /** Its generation, which changes with shortages, is to be looked at before what else refuses it.
    */
  val byGeneration = Bool()
}

/** A message on its way to the unit: once, with its first packet (W1). */
class Arrival(m: MessageParams) extends Bundle {
  val message = UInt(m.messageBits.W)
  val endpoint = UInt(m.endpointBits.W)
  val matchBits = UInt(64.W)
  val initiator = UInt(32.W)
  val length = UInt(32.W)

  /** 0 where the message has none. */
  val headerData = UInt(64.W)
}

/** Answer of the unit to an arrival. */
class ArrivalAnswer(m: MessageParams) extends Bundle {
  val message = UInt(m.messageBits.W)

  /** ArrivalKind. */
  val kind = UInt(ArrivalKind.bits.W)

  /** Bytes of the receive. */
  val room = UInt(32.W)
}

object ArrivalKind {
  val expected = 0
  val unexpected = 1

  /** The unit has no room for it: nothing is kept of it. */
  val stalled = 2

  /** The unit has lost what it needs to know. */
  val lost = 3
  val bits = 2
}

/** Answer that a packet is to get. */
class AnswerIntent(m: MessageParams) extends Bundle {
  val packet = new MessagePacket

  /** A packet, not only the end of a message; is answered at all. */
  val delivered = Bool()
  val sends = Bool()

  /** ReturnCode. */
  val code = UInt(ReturnCode.bits.W)
  val generation = UInt(8.W)

  /** The last packet of a message that was taken: the unit has the say. */
  val asks = Bool()

  /** Nothing more is answered for this message. */
  val ends = Bool()
  val message = UInt(m.messageBits.W)
}
