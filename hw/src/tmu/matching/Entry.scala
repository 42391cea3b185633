// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.log2Ceil
import tmu.params.TmuParams

/** What is kept of a posted receive or an unexpected message, beside its place in the order. */
class Entry(p: TmuParams) extends Bundle {
  val endpoint = UInt(p.endpointBits.W)
  val key = new MatchKey(p)

  /** A receive's wildcards; zero for a message. */
  val ignore = new MatchKey(p)

  /** The caller's, returned unchanged (R15). */
  val handle = UInt(p.handleBits.W)

  /** A receive's buffer, a message's place. */
  val address = UInt(p.addressBits.W)
  val length = UInt(p.lengthBits.W)
}

/** The part of an entry that a lane compares, and the slot where the whole entry lies. */
class LaneEntry(p: TmuParams, t: TableParams) extends Bundle {
  val endpoint = UInt(p.endpointBits.W)
  val key = new MatchKey(p)

  /** Kept for receives only: a message ignores nothing. */
  val ignore = if (t.receives) Some(new MatchKey(p)) else None

  /** Kept for receives only: what cancel names (R10). */
  val id = if (t.receives) Some(UInt(p.idBits.W)) else None
  val slot = UInt(t.slotBits.W)
}

/** One ordered table: of posted receives or of unexpected messages.
  *
  * @param entries
  *   entries on chip
  * @param receives
  *   whether entries carry wildcards and receive ids
  */
case class TableParams(entries: Int, lanes: Int, receives: Boolean) {
  val rows: Int = entries / lanes
  val slotBits: Int = log2Ceil(entries)
  val rowBits: Int = log2Ceil(rows)
  val laneBits: Int = log2Ceil(lanes)

  /** Counts from 0 to entries, both included. */
  val countBits: Int = log2Ceil(entries + 1)
}

object TableParams {
  def posted(p: TmuParams): TableParams = TableParams(p.postedEntries, p.lanes, receives = true)
  def unexpected(p: TmuParams): TableParams =
    TableParams(p.unexpectedEntries, p.lanes, receives = false)
}
