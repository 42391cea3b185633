// SPDX-License-Identifier: Apache-2.0
package tmu.card.fetch

import chisel3._
import tmu.card.request.PacketRequest

/** Bytes of a packet that lie behind each other; a packet has one such piece at least. */
class FetchPiece extends Bundle {

  /** In host memory, unless the bytes are at hand. */
  val address = UInt(64.W)
  val bytes = UInt(PacketRequest.payloadBits.W)

  /** The bytes are these, the first in the lowest bits. */
  val atHand = Bool()
  val data = UInt((8 * FetchPiece.atHandBytes).W)

  /** The packet's last piece. */
  val last = Bool()
}

object FetchPiece {

  /** As many as a send command has. */
  val atHandBytes: Int = 24
}

/** All bytes of a packet have been read. */
class FetchedPacket extends Bundle {

  /** Memory has answered a read of it with an error: its bytes are anything. */
  val failed = Bool()
}
