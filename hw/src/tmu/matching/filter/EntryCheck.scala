// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import chisel3._
import tmu.matching.array.StoredEntry
import tmu.params.{TableParams, TmuParams}
import tmu.rules.LaneParity
import tmu.types.{ArrayOperation, LaneEntry}

/** Verifies a candidate of the memory rows: the whole entry, as its store gives it, against what is
  * asked.
  *
  * A filter may let a wrong entry through; this comparator is what makes a candidate an answer
  * (R1). Its result is a register, because the entry comes straight from a memory.
  */
class EntryCheck(p: TmuParams, t: TableParams) extends Module {
  override def desiredName: String = s"EntryCheck${if (t.receives) "Posted" else "Unexpected"}"
  val io = IO(new Bundle {
    val asks = Input(new ArrayOperation(p, t))
    val read = Input(new StoredEntry(p, t))
    val slot = Input(UInt(t.slotBits.W))

    /** The entry as a lane keeps it, in the same clock. */
    val lane = Output(new LaneEntry(p, t))

    /** One clock later: it is what was asked for, or its position was. One that is not what was
      * stored is an answer too, so that its asker gets to know.
      */
    val holds = Output(Bool())
  })
  io.lane.endpoint := io.read.entry.endpoint
  io.lane.key := io.read.entry.key
  for { to <- io.lane.ignore; from <- io.read.entry.ignore } to := from
  for { to <- io.lane.id; from <- io.read.entry.id } to := from
  io.lane.slot := io.slot
  LaneParity.set(io.lane, io.read.broken, io.read.lost)
  io.holds :=
    RegNext(io.asks.byPosition || io.read.broken || ArrayOperation.hits(p, t, io.asks, io.lane))
}

object EntryCheck {

  /** Verifies what a filter table reads from its store.
    *
    * @return
    *   the entry that was read, one clock after `readSlot`, as a lane keeps it
    */
  def apply(
      p: TmuParams,
      t: TableParams,
      table: FilterTable,
      read: StoredEntry
  ): LaneEntry = {
    val check = Module(new EntryCheck(p, t))
    check.io.asks := table.io.asks
    check.io.read := read
    check.io.slot := table.io.lifted.bits
    table.io.holds := check.io.holds
    check.io.lane
  }
}
