// SPDX-License-Identifier: Apache-2.0
package tmu.card.request

import chisel3._
import tmu.card.wire._

/** A packet that the card sends by itself: a request, or a control packet. */
class PacketRequest extends Bundle {

  /** Addresses, tags, traffic class and entropy as they stand in the frame. */
  val ethernet = new EthernetPart
  val internet = new InternetPart

  /** Kinds that a request or control packet has; `next` is none, medium or standard. */
  val pds = new PdsPart

  /** Fields of the semantic header that `pds.next` names; of `ses.next` nothing is read. */
  val ses = new SesPart

  /** With a first standard packet of a rendezvous. */
  val rendezvous = new RendezvousPart

  /** Bytes of payload, which come in beats of their own. */
  val payloadBytes = UInt(PacketRequest.payloadBits.W)
}

object PacketRequest {

  /** Width of a packet's payload in bytes: `payload_length` has as many. */
  val payloadBits: Int = 14
}
