// SPDX-License-Identifier: Apache-2.0
package tmu.params

import chisel3.util.log2Ceil

/** One ordered table: of posted receives or of unexpected messages.
  *
  * @param entries
  *   entries on chip
  * @param arrayEntries
  *   of these, the oldest, in lanes
  * @param lanes
  *   lanes of a row of the array
  * @param filterLanes
  *   lanes of a memory row
  * @param receives
  *   whether entries carry wildcards and receive ids
  * @param losable
  *   slots that may get lost before there are too few: one with each flipped bit at most
  */
case class TableParams(
    entries: Int,
    arrayEntries: Int,
    lanes: Int,
    filterLanes: Int,
    receives: Boolean,
    losable: Int = 0
) {

  /** Rows of the array, oldest first. */
  val rows: Int = arrayEntries / lanes
  val laneBits: Int = log2Ceil(lanes)
  val rowNumberBits: Int = math.max(1, log2Ceil(rows))

  /** Slots of whole entries: more than entries, for those that rest before they are allocated
    * again.
    */
  val slots: Int = entries + TableParams.spare + losable
  val slotBits: Int = log2Ceil(slots)

  /** Counts from 0 to entries, both included. */
  val countBits: Int = log2Ceil(entries + 1)

  /** Clocks from the array's input to the answer. */
  val walk: Int = rows + 2

  /** Slots that the unit holds at most, from acceptance to verdict. */
  val inFlight: Int = 1 << log2Ceil(walk + 10)

  /** Entries beyond the array's lie in memory rows of filter ids. These may have to hold more,
    * while lanes of the array wait to be filled again: less than a row of lanes before the unit is
    * emptied for it, and what the slots inside append until then.
    */
  val filterEntries: Int = math.min(entries, entries - arrayEntries + lanes + inFlight)

  /** Free lanes for which entries are lifted out of the rows, and entries of one lift at most: more
    * than the slots between two lifts can take from the lanes, so that free lanes do not add up.
    */
  val lift: Int = math.max(1, lanes / 8)
  val liftMost: Int = math.min(lanes, 2 * TableParams.few)

  /** The ring of memory rows: one more than filled, because the oldest may be half gone. */
  val filterRows: Int = 1 << log2Ceil((filterEntries + filterLanes - 1) / filterLanes + 1)
  val filterIndexBits: Int = log2Ceil(filterRows) + log2Ceil(filterLanes)

  /** Positions that an inspect can name, in age order: lanes of the array, then what lies beyond.
    */
  val positions: Int = if (entries > arrayEntries) arrayEntries + filterEntries else arrayEntries
  val positionBits: Int = log2Ceil(positions)
}

object TableParams {

  /** Clocks from a slot's last use to its next, and a little more. */
  val spare: Int = 8

  /** Slots that flipped bits may take away; with parity a slot also takes a clock more to come
    * back.
    */
  val losable: Int = 16

  /** Slots that keep the memory rows busy: to decide so many takes longer than a walk of the
    * arrays, for each takes five clocks at least.
    */
  val few: Int = 8

  def posted(p: TmuParams): TableParams = table(p, p.postedEntries, receives = true)
  def unexpected(p: TmuParams): TableParams = table(p, p.unexpectedEntries, receives = false)

  private def table(p: TmuParams, entries: Int, receives: Boolean): TableParams =
    TableParams(
      entries = entries,
      arrayEntries = p.arrayEntries,
      lanes = p.lanes,
      filterLanes = p.filterLanes,
      receives = receives,
      losable = if (p.parity) TableParams.losable else 0
    )
}
