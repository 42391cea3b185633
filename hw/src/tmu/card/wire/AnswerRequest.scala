// SPDX-License-Identifier: Apache-2.0
package tmu.card.wire

import chisel3._

/** The semantic part of an answer; fields as in SesLayout. */
class ResponsePart extends Bundle {
  val list = UInt(2.W)
  val opcode = UInt(6.W)
  val returnCode = UInt(6.W)
  val messageId = UInt(16.W)
  val generation = UInt(8.W)
  val job = UInt(24.W)
  val modifiedLength = UInt(32.W)
}

/** A packet without payload that goes back to where another one came from. */
class AnswerRequest extends Bundle {

  /** Of the packet that is answered: its source is where the answer goes. */
  val ethernet = new EthernetPart
  val internet = new InternetPart

  /** The answer's own: an ACK, with `next` a response or nothing, or a NACK. */
  val pds = new PdsPart

  /** With an ACK whose `next` is a response. */
  val response = new ResponsePart

  /** Ethernet as it stands in the answer: back to the source, with the same tags. */
  def backEthernet: EthernetPart = {
    val back = WireInit(ethernet)
    back.destinationMac := ethernet.sourceMac
    back.sourceMac := ethernet.destinationMac
    back
  }

  /** IP as it stands in the answer: back to the source, in a traffic class of its own. */
  def backInternet(dscp: UInt): InternetPart = {
    val back = WireInit(internet)
    back.source := internet.destination
    back.destination := internet.source
    back.dscp := dscp
    back.ecn := 0.U
    back
  }
}
