// SPDX-License-Identifier: Apache-2.0
package tmu.card.wire

// Numbers of Ultra Ethernet that the card knows. The codec of sim/wire has typed them from the same
// tables a second time, and is the judge.

/** Types of the packet delivery header. */
object PdsType {
  val encrypted = 1
  val rudRequest = 2
  val rodRequest = 3
  val rudiRequest = 4
  val rudiResponse = 5
  val uudRequest = 6
  val ack = 7
  val ackCc = 8
  val ackCcx = 9
  val nack = 10
  val control = 11
  val nackCcx = 12
  val rudCcRequest = 13
  val rodCcRequest = 14

  /** Bytes of the header by type: of every type that is read. */
  val bytes: Map[Int, Int] = Map(
    rudRequest -> 12,
    rodRequest -> 12,
    ack -> 12,
    ackCc -> 32,
    ackCcx -> 40,
    nack -> 16,
    control -> 16,
    nackCcx -> 32,
    rudCcRequest -> 16,
    rodCcRequest -> 16
  )

  /** Types that no semantic header follows, whatever their `next` says. */
  val headless: Seq[Int] = Seq(nack, control, nackCcx)

  /** Types that exist and are not read. */
  val omitted: Seq[Int] = Seq(rudiRequest, rudiResponse, uudRequest)
}

/** Header or payload behind the packet delivery header. */
object NextHeader {
  val none = 0
  val small = 1
  val medium = 2
  val standard = 3
  val response = 4
  val responseData = 5
  val responseDataSmall = 6

  /** Bytes of the semantic header, without the extension of a rendezvous. */
  val bytes: Map[Int, Int] = Map(
    none -> 0,
    small -> 20,
    medium -> 32,
    standard -> 44,
    response -> 12,
    responseData -> 20,
    responseDataSmall -> 12
  )
  val rendezvousBytes = 24
}

/** Opcodes of requests. */
object Opcode {
  val noOperation = 0x00
  val rendezvousSend = 0x06
  val taggedSend = 0x09
  val rendezvousTaggedSend = 0x0a
  val deferrableTaggedSend = 0x0b
  val messageError = 0x0f
}

/** Outcome of a frame: the number of its counter (W6).
  *
  * All but `accepted` are dropped without an answer: the reasons of uet_error.h, and a frame that
  * the Ethernet port calls bad.
  */
object Verdict {
  val accepted = 0
  val badFrame = 1
  val foreign = 2
  val short = 3
  val ipLength = 4
  val udpLength = 5
  val ipOptions = 6
  val ipFragment = 7
  val ipChecksum = 8
  val ipVersion = 9
  val crc = 10
  val pdsType = 11
  val encrypted = 12
  val pdsOmitted = 13
  val count = 14
  val bits = 4
}

/** Bytes that a CRC32C covers. */
object CrcCoverage {
  val none = 0

  /** From the IP addresses to the end of the payload. */
  val addresses = 1

  /** From behind the UDP or entropy header on. */
  val behindUdp = 2
}

/** Why a packet is refused. */
object NackCode {
  val trimmed = 0x01
  val trimmedLastHop = 0x02
  val noPdcAvailable = 0x04
  val noCongestionContext = 0x05
  val noBitmap = 0x06
  val noPacketBuffer = 0x07
  val noResponseRoom = 0x08
  val noMessage = 0x09
  val noResource = 0x0a
  val outOfWindow = 0x0b
  val outOfOrder = 0x0d
  val unknownPdc = 0x0e
  val headerMismatch = 0x0f
  val closing = 0x10
  val closingInError = 0x11
  val notReceived = 0x12
  val responseLost = 0x13
  val invalidSyn = 0x15
  val modeMismatch = 0x16
  val inProgress = 0x18
  val unexpectedEvent = 0x19
  val inferredLoss = 0x1a
}

/** Kinds of control packets, which have them in place of the next header. */
object ControlKind {
  val noOperation = 0
  val ackRequest = 1
  val clear = 2
  val close = 4
  val probe = 6
}

/** Outcome of an accepted frame at the table of connections: the number of its counter (W6). */
object PdcVerdict {

  /** Goes on to the unit. */
  val delivered = 0

  /** A control packet that was in order. */
  val control = 1

  /** Refused by a NACK. */
  val refused = 2

  /** Known already: acknowledged again, or dropped when it is no retransmission. */
  val repeated = 3
  val duplicate = 4

  /** Behind a gap that has been told. */
  val gap = 5

  /** Answers to an initiator, of which there is none, and what deserves no answer. */
  val unasked = 6

  /** Dropped by the parser: counted there. */
  val none = 7

  /** Refused by a NACK for a shortage: it may come again. */
  val noRoom = 8
  val bits = 4
}

/** Kinds of answers to a request. */
object ResponseCode {

  /** All is well. */
  val default = 0

  /** The response has to be read. */
  val response = 1

  /** The packet has come, the message's answer comes later. */
  val later = 3
}

/** Lists of an answer: whether the message found a receive. */
object ResponseList {
  val expected = 0
  val overflow = 1
}

/** Answers to a request; of table 3-19 those that the card gives. */
object ReturnCode {
  val ok = 0x01
  val badGeneration = 0x02
  val disabled = 0x03
  val disabledGeneration = 0x04
  val noMatch = 0x05
  val unsupportedOperation = 0x06
  val unsupportedSize = 0x07
  val violation = 0x18
  val badIndex = 0x19
  val badPid = 0x1a
  val badJob = 0x1b
  val badAddress = 0x1d
  val undeliverable = 0x1f
  val uncorrectable = 0x20
  val initiatorError = 0x23
  val bits = 6
}
