// SPDX-License-Identifier: Apache-2.0
package tmu.card.initiator

import chisel3._
import tmu.mutant.Mutant

/** States of a connection that this card opens. */
object SendState {
  val idle = 0.U(2.W)

  /** Its packets have SYN: the target's PDCID is not known. */
  val opening = 1.U(2.W)
  val established = 2.U(2.W)
}

/** A connection of which this card is the initiator. */
class SendEntry(p: InitiatorParams) extends Bundle {

  /** Its key is; it may be idle and have messages that wait. */
  val live = Bool()
  val state = UInt(2.W)
  val key = new SendKey

  /** 0 until it is opened for the first time. */
  val generation = UInt(p.generationBits.W)
  val peer = UInt(16.W)

  /** Sequence numbers: the first; the last of which it and all before are answered; the last that
    * an answer acknowledged with all before, or `clear` when that is behind it; the one that is
    * sent next; the one that is used next.
    */
  val start = UInt(32.W)
  val clear = UInt(32.W)
  val cack = UInt(32.W)
  val sent = UInt(32.W)
  val next = UInt(32.W)

  /** Something has been answered: `clear` is on its way. */
  val walks = Bool()

  /** Messages that wait, a list from `head` to `tail`. */
  val waits = Bool()
  val head = UInt(p.messageBits.W)
  val tail = UInt(p.messageBits.W)

  /** A message that has more packets, and where the next one begins. */
  val begun = Bool()
  val message = UInt(p.messageBits.W)
  val offset = UInt(32.W)

  /** Messages whose packets have come and whose answer has not. */
  val owed = UInt((p.messageBits + 1).W)

  /** When something is due, in microseconds. */
  val armed = Bool()
  val deadline = UInt(32.W)
  val attempts = UInt(32.W)

  /** The target is short of something: nothing is sent until the timer runs out. */
  val paused = Bool()

  /** Has gone back since an answer or timer moved it: once for each loss is enough. */
  val wentBack = Bool()

  /** Packets since one that asked for an answer. */
  val unasked = UInt(p.windowBits.W)

  /** The target wants to be told what it may forget. */
  val clearAsked = Bool()

  /** The newest packet has its answer; the target was asked what it has acknowledged since. */
  val newestAnswered = Bool()
  val cackAsked = Bool()

  /** Takes no further message; its last packet has gone. */
  val closing = Bool()
  val closeSent = Bool()

  /** Ends in error: messages up to `scan` have been told. */
  val losing = Bool()
  val scan = UInt(p.messageBits.W)

  /** Packets without an answer; never more than the window. */
  def open: UInt = (next - clear - 1.U)(p.windowBits, 0)
  def outstanding: Bool = open =/= 0.U
  def usable: Bool = state =/= SendState.idle && !losing

  // Packets that are due, the first line first.
  def opens: Bool = state === SendState.idle && !losing && waits
  def resends: Bool = usable && sent =/= next && !paused
  def cuts: Bool = usable && sent === next && !paused && !closeSent &&
    (begun || waits && !closing) && Mutant("no_window", open < p.window.U)(_ => true.B)
  def clears: Bool = usable && state === SendState.established && clearAsked
  def asks: Bool = usable && state === SendState.established && sent === next && outstanding &&
    newestAnswered && !cackAsked && !walks
  def closes: Bool = usable && state === SendState.established && closing && !closeSent &&
    !outstanding && !begun && owed === 0.U
  def sends: Bool = opens || resends || cuts || clears || asks || closes

  /** Could end to make room for another peer. */
  def spare: Bool = usable && state === SendState.established && !closing && !outstanding &&
    !begun && !waits && owed === 0.U
}

object SendEntry {

  /** Distance of sequence numbers. */
  def behind(a: UInt, b: UInt): Bool = (a - b).asSInt < 0.S
  def upTo(a: UInt, b: UInt): Bool = !behind(b, a)

  def unused(p: InitiatorParams): SendEntry = {
    val entry = WireDefault(0.U.asTypeOf(new SendEntry(p)))
    entry.clear := entry.next - 1.U
    entry.cack := entry.next - 1.U
    entry
  }
}
