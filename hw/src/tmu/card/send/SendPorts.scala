// SPDX-License-Identifier: Apache-2.0
package tmu.card.send

import chisel3._
import chisel3.util.log2Ceil
import tmu.card.initiator.InitiatorParams
import tmu.layout.SendLayout
import tmu.params.TmuParams
import tmu.types.Sending

/** Sizes of what sends.
  *
  * @param peersLog2
  *   of the table of peers, and of that of registered memory
  */
case class SendParams(
    initiator: InitiatorParams = InitiatorParams(),
    endpointBits: Int = 11,
    pageBits: Int = 12,
    peersLog2: Int = 8,
    memoriesLog2: Int = 8
) {
  require(peersLog2 >= 1 && peersLog2 <= 16, s"found 2^$peersLog2 peers; a command names 2^16")
  require(
    memoriesLog2 >= 1 && memoriesLog2 <= 16,
    s"found 2^$memoriesLog2 registered memories; a command names 2^16"
  )

  /** Counts the pieces of all messages. */
  val useBits: Int = initiator.messageBits + 3
}

object SendParams {
  def of(p: TmuParams): SendParams = SendParams(
    initiator = InitiatorParams(connections = p.sendPdcs, messages = p.sends),
    endpointBits = p.endpointBits,
    pageBits = p.pageBits,
    peersLog2 = log2Ceil(p.peers),
    memoriesLog2 = log2Ceil(p.memories)
  )
}

/** A peer as the privileged driver has written it (W8). */
class PeerEntry(p: SendParams) extends Bundle {
  val address = UInt(128.W)
  val job = UInt(24.W)
  val pid = UInt(12.W)
  val index = UInt(12.W)
  val initiator = UInt(32.W)
  val owner = UInt(p.endpointBits.W)
}

/** Registered memory. */
class MemoryEntry(p: SendParams) extends Bundle {
  val base = UInt(64.W)
  val bytes = UInt(64.W)
  val owner = UInt(p.endpointBits.W)
  val read = Bool()
  val write = Bool()

  /** Bytes are an endpoint's, and lie in it all; no bytes always do. */
  def holds(endpoint: UInt, address: UInt, size: UInt): Bool =
    owner === endpoint && address >= base && size <= bytes && address - base <= bytes - size
}

/** Bytes of a receive, in the memory that it names. */
class ReceiveBytes extends Bundle {
  val memory = UInt(16.W)
  val endpoint = UInt(32.W)
  val address = UInt(64.W)
  val bytes = UInt(48.W)
}

/** Bytes of a message, in registered memory. */
class SendPiece extends Bundle {
  val address = UInt(64.W)
  val bytes = UInt(32.W)
  val memory = UInt(16.W)
}

/** Whose a message is. */
class SendOrigin(p: SendParams) extends Bundle {
  val page = UInt(p.pageBits.W)

  /** Of the page's configurations. */
  val life = UInt(Sending.lifeBits.W)

  /** The clock of the doorbell. */
  val stamp = UInt(32.W)

  /** As the command has it, so that one that is not there is told as it was. */
  val endpoint = UInt(32.W)
}

/** A command with the page that it came from and the endpoint that it acts for (R13). */
class SendCommand(p: SendParams) extends Bundle {
  val from = new SendOrigin(p)
  val record = UInt(512.W)
}

/** A message that is on its way out. */
class SendRecord(p: SendParams) extends Bundle {
  val from = new SendOrigin(p)
  val handle = UInt(64.W)
  val peer = UInt(16.W)
  val pid = UInt(12.W)
  val index = UInt(12.W)
  val initiator = UInt(32.W)
  val matchBits = UInt(64.W)
  val hasHeaderData = Bool()
  val headerData = UInt(64.W)
  val length = UInt(32.W)

  /** 0 when the bytes are at hand: the lowest of the pieces' bits. */
  val count = UInt(3.W)
  val piece = Vec(SendLayout.pieces, new SendPiece)

  def atHand: UInt = piece.asUInt(8 * SendLayout.inlineBytes - 1, 0)
}

/** Completion of a send, for the page that sent it; fields as in the host interface.
  *
  * A command that is carried out has two: that it `starts`, which is for nobody to see and makes
  * the page's turn end, and behind that its completion, `owed` to the page.
  */
class SendCompletion(p: SendParams) extends Bundle {
  val from = new SendOrigin(p)
  val starts = Bool()
  val owed = Bool()
  val status = UInt(8.W)
  val handle = UInt(64.W)

  /** Zero unless the command was carried out. */
  val matchBits = UInt(64.W)
  val peer = UInt(16.W)
  val code = UInt(6.W)
  val givenUp = Bool()
  val messageLength = UInt(32.W)
  val receiveLength = UInt(32.W)
  val truncated = Bool()
}
