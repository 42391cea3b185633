// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import chisel3._
import chisel3.util.{log2Ceil, Valid}
import tmu.fault.{FaultRequest, FaultView}
import tmu.params.{TableParams, TmuParams}
import tmu.types.{FilterWindows, LaneEntry}

/** An entry that is written into a memory row, and where. */
class FilterEntering(p: TmuParams, t: TableParams) extends Bundle {
  private val laneBits = log2Ceil(p.filterLanes)
  val now = Bool()
  val row = UInt((t.filterIndexBits - laneBits).W)
  val lane = UInt(laneBits.W)
  val id = new FilterLane(p, t)
  val slot = UInt(t.slotBits.W)
}

/** Append: an entry is folded to its filter id in one clock and written in the next.
  *
  * An entry may come in the clock in which a hole begins to be closed: it goes to the lane that is
  * free then.
  */
class FilterAppend(p: TmuParams, t: TableParams) extends Module {
  override def desiredName: String = s"FilterAppend${if (t.receives) "Posted" else "Unexpected"}"
  val io = IO(new Bundle {
    val windows = Input(new FilterWindows(p))
    val append = Flipped(Valid(new LaneEntry(p, t)))

    /** Row and lane that are free in this clock. */
    val free = Input(UInt(t.filterIndexBits.W))

    /** A clock later. */
    val entering = Output(new FilterEntering(p, t))
    val flip = Flipped(Valid(new FaultRequest))
    val flipped = Output(new FaultView)
  })
  private val (folded, flipped) = FilterLane.stored(p, t, io.windows, io.append, io.flip)
  private val free = RegNext(io.free)
  io.entering.now := RegNext(io.append.valid, false.B)
  io.entering.row := FilterIndex.row(free, p.filterLanes)
  io.entering.lane := FilterIndex.lane(free, p.filterLanes)
  io.entering.id := RegNext(folded)
  io.entering.slot := RegNext(io.append.bits.slot)
  io.flipped := flipped
}
