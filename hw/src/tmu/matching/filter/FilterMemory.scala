// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import chisel3._
import tmu.params.{TableParams, TmuParams}

/** Memories of a filter table's rows: an id to compare and a slot for each lane.
  *
  * Each lane has memories of its own, because lanes of one row are written at different addresses
  * when a hole is closed; and ids lie apart from slots, because while ids of a row are compared the
  * slots of an earlier one are read. Reads answer in the next clock; what is read in the clock of
  * its write is undefined.
  */
class FilterMemory(p: TmuParams, t: TableParams) {
  private val lanes = p.filterLanes
  private val ids =
    Seq.tabulate(lanes)(i => SyncReadMem(t.filterRows, new FilterLane(p, t)).suggestName(s"lane$i"))
  private val slots =
    Seq.tabulate(lanes)(i => SyncReadMem(t.filterRows, UInt(t.slotBits.W)).suggestName(s"slot$i"))

  def readIds(row: UInt, enable: Bool): Seq[FilterLane] = ids.map(_.read(row, enable))
  def readSlots(row: UInt): Seq[UInt] = slots.map(_.read(row))

  /** Writes what moves into a hole and what enters.
    *
    * Each lane takes its right neighbour of the row that was read; the last lane of a row takes the
    * first one of the next row, when that has been read. The lane that is freed in the end is not
    * written, so what enters may come in there.
    */
  def write(
      moves: FilterMoves,
      rowRead: Seq[FilterLane],
      slotsRead: Seq[UInt],
      in: FilterEntering
  ): Unit =
    for (i <- 0 until lanes) {
      val isLast = i == lanes - 1
      val takesNext =
        if (isLast) moves.now && moves.row =/= moves.holeRow
        else
          moves.now && (moves.row =/= moves.holeRow || i.U >= moves.holeLane) &&
          (moves.row =/= moves.freedRow || i.U < moves.freedLane)
      val row = Mux(takesNext, if (isLast) moves.row - 1.U else moves.row, in.row)
      val next = (i + 1) % lanes
      when(takesNext || (in.now && in.lane === i.U)) {
        ids(i).write(row, Mux(takesNext, rowRead(next), in.id))
        slots(i).write(row, Mux(takesNext, slotsRead(next), in.slot))
      }
    }
}
