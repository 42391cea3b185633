// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import chisel3.util.Fill
import tmu.params.TmuParams

object Verdict {

  /** Clocks since an earlier one, as completions bear them: 16 bits that saturate. */
  def clocks(now: UInt, since: UInt): UInt = {
    val passed = now - since
    passed(15, 0) | Fill(16, (passed >> 16).orR)
  }
}

/** Of a verdict, what it is to a send; nothing to all others. */
class Sending extends Bundle {

  /** Nothing to be written: the command has become a message, whose completion its page is owed. */
  val starts = Bool()

  /** The completion that is owed, and for which configuration of the page. */
  val owed = Bool()
  val life = UInt(Sending.lifeBits.W)
}

object Sending {

  /** Configurations of a page that are told apart while a message of it is under way. */
  val lifeBits: Int = 16
}

/** The unit's answer to one command, on its way to the ring of the page that asked. */
class Verdict(p: TmuParams) extends Bundle {
  val page = UInt(p.pageBits.W)
  val opcode = UInt(8.W)
  val status = UInt(8.W)
  val truncated = Bool()
  val unexpected = Bool()
  val serial = UInt(32.W)
  val endpoint = UInt(32.W)
  val handle = UInt(64.W)

  /** Handle of the other entry, or the two counts of a finished flush. */
  val other = UInt(64.W)
  val key = new MatchKey(p)

  /** Inspect only. */
  val ignore = new MatchKey(p)
  val messageLength = UInt(p.lengthBits.W)
  val receiveLength = UInt(p.lengthBits.W)
  val address = UInt(p.addressBits.W)

  /** Clocks from acceptance by the matching unit to this verdict, saturating. */
  val latency = UInt(16.W)
  val stamp = UInt(32.W)

  /** On a card: page that has posted the receive that was found; and, on the path to rings, that
    * this is nothing to be written, but says that the page is owed a completion less.
    */
  val owner = Option.when(p.hasNetwork)(UInt(p.pageBits.W))
  val settles = Option.when(p.hasNetwork)(Bool())

  /** On a card that sends. */
  val sending = Option.when(p.hasSend)(new Sending)
}
