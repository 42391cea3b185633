// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import tmu.params.TmuParams

/** Memories of a filter table's rows: an id to compare and a slot for each lane.
  *
  * Each lane has memories of its own, because lanes of one row are written at different places when
  * a hole is closed; and ids lie apart from slots, because while ids of a row are compared the
  * slots of an earlier one are read. Reads answer in the next clock; what is read in the clock of
  * its write is undefined.
  */
class FilterMemory(p: TmuParams, t: TableParams) {
  private val ids = Seq.tabulate(p.filterLanes)(i =>
    SyncReadMem(t.filterRows, new FilterLane(p, t)).suggestName(s"lane$i")
  )
  private val slots = Seq.tabulate(p.filterLanes)(i =>
    SyncReadMem(t.filterRows, UInt(t.slotBits.W)).suggestName(s"slot$i")
  )

  def readIds(row: UInt, enable: Bool): Seq[FilterLane] = ids.map(_.read(row, enable))
  def readSlots(row: UInt): Seq[UInt] = slots.map(_.read(row))

  def write(lane: Int, enable: Bool, row: UInt, id: FilterLane, slot: UInt): Unit =
    when(enable) {
      ids(lane).write(row, id)
      slots(lane).write(row, slot)
    }
}
