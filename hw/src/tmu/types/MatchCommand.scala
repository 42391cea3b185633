// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
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
