// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.Valid
import tmu.fault.FaultPort
import tmu.matching.array.StoredEntry
import tmu.params.{TableParams, TmuParams}
import tmu.types.{FilterActivity, FilterWindows, LaneEntry, Slot}

/** Ports of the overflow: index 0 is the post of a slot, 1 the arrival. */
class OverflowPorts(p: TmuParams) extends Bundle {
  private val posted = TableParams.posted(p)
  private val unexpected = TableParams.unexpected(p)

  /** A slot that has walked the arrays; which of the next one's operations search, a clock ahead.
    */
  val walked = Input(new SearchedSlot(p))
  val searchesNext = Input(Vec(2, Bool()))
  val windows = Input(new FilterWindows(p))

  /** A slot that has walked is parked. `parked` is there in the clock in which it is decided, with
    * what arrays and rows have found for it; `first` is that slot, or the one that is next.
    */
  val parks = Output(Bool())
  val first = Output(new Slot(p))
  val parked = Output(new SearchedSlot(p))

  /** The entry found for an operation lies in its array, so that a lane's parity counts. */
  val inArray = Output(Vec(2, Bool()))

  /** A queue has entries in its rows: its next one goes there too. */
  val postedInRows = Output(Bool())
  val unexpectedInRows = Output(Bool())
  val appendPosted = Flipped(Valid(new LaneEntry(p, posted)))
  val appendUnexpected = Flipped(Valid(new LaneEntry(p, unexpected)))

  /** Free lanes of the arrays: of posted receives, of unexpected messages. */
  val freePosted = Input(UInt(posted.countBits.W))
  val freeUnexpected = Input(UInt(unexpected.countBits.W))

  /** An operation waits to enter, and no inspect: those come when no lift is left to do and none is
    * under way, so that entries stay at their positions while a queue is read out.
    */
  val waiting = Input(Bool())

  /** Nothing may enter the unit, or no inspect; it is empty, so entries can be lifted. */
  val holdsBack = Output(Bool())
  val holdsInspects = Output(Bool())
  val drained = Input(Bool())

  /** A slot enters, which is counted as inside from the next clock on. */
  val entered = Input(Bool())
  val liftPosted = Valid(new LaneEntry(p, posted))
  val liftUnexpected = Valid(new LaneEntry(p, unexpected))
  val readPosted = Valid(UInt(posted.slotBits.W))
  val readUnexpected = Valid(UInt(unexpected.slotBits.W))
  val entryPosted = Input(new StoredEntry(p, posted))
  val entryUnexpected = Input(new StoredEntry(p, unexpected))
  val fault = new FaultPort
  val activity = Output(Vec(2, new FilterActivity))
}
