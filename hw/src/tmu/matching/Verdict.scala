// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{DecoupledIO, Fill}
import tmu.params.TmuParams

/** A command as the matching unit sees it: decoded, its endpoint settled by the page it came from.
  */
class MatchCommand(p: TmuParams) extends Bundle {
  val opcode = UInt(8.W)

  /** Unknown opcode, a field that must be zero is not, or a value wider than the configuration. */
  val malformed = Bool()
  val privileged = Bool()

  /** A flush that will be carried out: `MatchRules.flushes`. */
  val flushes = Bool()

  /** Searches its queue; without it, `status` is the answer from the start: `MatchRules.early`. */
  val searches = Bool()
  val status = UInt(8.W)
  val page = UInt(p.pageBits.W)
  val endpoint = UInt(32.W)
  val key = new MatchKey(p)
  val ignore = new MatchKey(p)
  val handle = UInt(64.W)
  val address = UInt(p.addressBits.W)
  val length = UInt(p.lengthBits.W)
  val id = UInt(p.idBits.W)

  /** Inspect: which entry. */
  val position = UInt(32.W)
  val inspectUnexpected = Bool()

  /** Clock at which the doorbell took the command. */
  val stamp = UInt(32.W)

  /** Not a command of the host's: is not answered, and does not search unless it retries. */
  val spill = new SpillRequest(p)
}

object MatchCommand {

  /** The matching unit relies on what the decoder says of a command. */
  def checkFlush(p: TmuParams, way: DecoupledIO[MatchCommand]): Unit = assert(
    !way.valid || way.bits.flushes === MatchRules.flushes(p, way.bits),
    "R14: a flush that is not taken for one, or the other way round"
  )

  /** The same of its early answer; what is injected has none. */
  def checkEarly(p: TmuParams, way: DecoupledIO[MatchCommand]): Unit = {
    val (searches, status) = MatchRules.early(p, way.bits, MatchRules.noId(p, way.bits.id))
    assert(
      !way.valid || way.bits.spill.injected ||
        (way.bits.searches === searches && (searches || way.bits.status === status)),
      "R13: a command with the wrong early answer, %d",
      way.bits.status
    )
  }
}

object Verdict {

  /** Clocks since an earlier one, as completions bear them: 16 bits that saturate. */
  def clocks(now: UInt, since: UInt): UInt = {
    val passed = now - since
    passed(15, 0) | Fill(16, (passed >> 16).orR)
  }
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
}
