// SPDX-License-Identifier: Apache-2.0
package tmu.card.placement

import chisel3._

/** Order for the payload of one packet: in the order in which the payload came. */
class PlacementOrder(p: PlacementParams) extends Bundle {

  /** Beats of the payload stream that are the packet's. */
  val beats = UInt(p.beatBits.W)

  /** Part of a message; else its beats are dropped, and nothing else here means anything. */
  val belongs = Bool()
  val message = UInt(p.messageBits.W)

  /** Offset of the packet's bytes in the message, and their number: none if its payload must not be
    * used.
    */
  val offset = UInt(p.lengthBits.W)
  val bytes = UInt(p.packetBits.W)

  /** Of the whole message, the same in all of its packets. */
  val length = UInt(p.lengthBits.W)

  /** Nothing of this message follows: it is completed. */
  val last = Bool()

  /** With `last`: not all of its bytes have come (W7). */
  val aborted = Bool()
}

/** Destination of a message: the verdict of the unit, once for each message, in any order. */
class Destination(p: PlacementParams) extends Bundle {
  val message = UInt(p.messageBits.W)
  val address = UInt(p.addressBits.W)

  /** Bytes of the receive; 0 where nothing may be written. */
  val room = UInt(p.lengthBits.W)
}

/** A message all of whose writes memory has answered (W3). */
class Placed(p: PlacementParams) extends Bundle {
  val message = UInt(p.messageBits.W)

  /** Of the message and of its receive: truncated when there was less room (R12). */
  val length = UInt(p.lengthBits.W)
  val room = UInt(p.lengthBits.W)
  val aborted = Bool()

  /** Memory has answered one of its writes with an error. */
  val failed = Bool()
}

/** A contiguous write of a packet: `bytes` at `address`, then all of its `beats` have been taken.
  */
class WriteCommand(p: PlacementParams) extends Bundle {
  val beats = UInt(p.beatBits.W)
  val address = UInt(p.addressBits.W)
  val bytes = UInt(p.packetBits.W)
  val message = UInt(p.messageBits.W)
  val completes = Bool()
}

/** One clock of a write command: a beat of payload, a beat to memory, or both. */
class WriteStep(p: PlacementParams) extends Bundle {

  /** Takes a beat of payload. */
  val takes = Bool()

  /** Writes a beat to memory. */
  val writes = Bool()

  /** Byte 0 of the payload goes to this byte of a beat in memory. */
  val shift = UInt(p.byteBits.W)

  /** Of the beat in memory: its address, which of its bytes, and whether a burst begins or ends. */
  val address = UInt(p.addressBits.W)
  val strobe = UInt(p.bytes.W)
  val begins = Bool()
  val finishes = Bool()

  /** Beats of the burst but one. */
  val more = UInt(p.burstBits.W)
}

/** Answer that memory owes, and its consequence, in the order of the writes. */
class LedgerEntry(p: PlacementParams) extends Bundle {

  /** Stands for a burst; else only for the completion of a message without one. */
  val burst = Bool()
  val completes = Bool()
  val message = UInt(p.messageBits.W)
}
