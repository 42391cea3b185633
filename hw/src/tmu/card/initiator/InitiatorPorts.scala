// SPDX-License-Identifier: Apache-2.0
package tmu.card.initiator

import chisel3._
import tmu.card.request.PacketRequest
import tmu.card.wire._

/** Whom a connection leads to: all messages to one address and job share one. */
class SendKey extends Bundle {
  val ipv6 = Bool()
  val address = UInt(128.W)
  val job = UInt(24.W)
}

/** A message to be sent. Its number is in use until its `MessageEnd`. */
class OutMessage(p: InitiatorParams) extends Bundle {
  val message = UInt(p.messageBits.W)
  val key = new SendKey
  val length = UInt(32.W)
}

/** A packet of a message, by where it lies in it: payload is fetched when the packet is sent, and
  * fetched again when it is sent again.
  */
class PacketRecordOut(p: InitiatorParams) extends Bundle {
  val message = UInt(p.messageBits.W)
  val id = UInt(16.W)
  val offset = UInt(32.W)
  val bytes = UInt(PacketRequest.payloadBits.W)
  val first = Bool()
  val last = Bool()

  /** Ends a message that its target has refused: MSG_ERROR, no payload. */
  val aborts = Bool()

  /** No message: the connection is closed with it. */
  val closes = Bool()
}

/** A packet to be sent now. Its delivery header is complete; of a request the rest is its
  * message's.
  */
class PacketOrder(p: InitiatorParams) extends Bundle {
  val key = new SendKey
  val pds = new PdsPart

  /** Of a request: `pds.kind` tells. */
  val packet = new PacketRecordOut(p)
}

/** A message has come to its end: all its packets are answered, and so is it (W4); or its peer is
  * lost, and nobody knows (W7).
  */
class MessageEnd(p: InitiatorParams) extends Bundle {
  val message = UInt(p.messageBits.W)
  val lost = Bool()

  /** Unless it is lost, what its target says: ReturnCode, ResponseList, the generation to use, and
    * bytes of the receive that it changed.
    */
  val code = UInt(ReturnCode.bits.W)
  val list = UInt(2.W)
  val generation = UInt(8.W)
  val modifiedLength = UInt(32.W)
}

/** An ACK or NACK of a packet of ours. */
class SendAnswer extends Bundle {
  val ipv6 = Bool()
  val source = UInt(128.W)
  val pds = new PdsPart
  val response = new ResponsePart
}

object SendAnswer {
  val kinds: Seq[Int] =
    Seq(PdsType.ack, PdsType.ackCc, PdsType.ackCcx, PdsType.nack, PdsType.nackCcx)

  /** Whether the packet of a record is one. */
  def is(record: PacketRecord): Bool = kinds.map(record.pds.kind === _.U).reduce(_ || _)

  def of(record: PacketRecord): SendAnswer = {
    val answer = Wire(new SendAnswer)
    answer.ipv6 := record.internet.ipv6
    answer.source := record.internet.source
    answer.pds := record.pds
    answer.response.list := record.ses.list
    answer.response.opcode := record.ses.opcode
    answer.response.returnCode := record.ses.flags
    answer.response.messageId := record.ses.messageId
    answer.response.generation := record.ses.generation
    answer.response.job := record.ses.job
    answer.response.modifiedLength := record.ses.modifiedLength
    answer
  }
}

/** Settings of the driver. */
class InitiatorSettings extends Bundle {

  /** Bytes of payload of every packet but a message's last; change while nothing is sent. */
  val payloadMtu = UInt(PacketRequest.payloadBits.W)

  /** Microseconds before a packet is sent again the first time; they double each time. */
  val retransmit = UInt(32.W)

  /** Such times in a row after which a peer is given up; 0 is never (W7). */
  val attempts = UInt(32.W)

  /** Microseconds after which a connection without messages is closed; 0 is never. */
  val idle = UInt(32.W)

  /** Differs after each start of a card, so that its numbers do (W9). */
  val seed = UInt(32.W)
}

/** Events, a pulse for each (W6). */
class InitiatorCounts extends Bundle {

  /** ACKs and NACKs that changed something or might have; those of no connection; all others. */
  val taken = Bool()
  val foreign = Bool()
  val ignored = Bool()

  /** Requests, those that are sent again among them. */
  val sent = Bool()
  val again = Bool()
  val timeout = Bool()
  val lost = Bool()
}
