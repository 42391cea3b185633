// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import tmu.params.{TableParams, TmuParams}

/** Lanes that lost a bit, as an operation has met them. */
class LaneFault extends Bundle {

  /** The operation was compared with one, on which it must not rely, before it had found anything.
    */
  val compared = Bool()

  /** The entry that the operation has found is that of such a lane. */
  val found = Bool()
}

/** The lane in which an operation has found an entry. */
class FoundLane(p: TmuParams, t: TableParams) extends Bundle {

  /** Slot of the entry's body. */
  val slot = UInt(t.slotBits.W)

  /** Parity of its endpoint, as it was stored; the operation that found the lane by its endpoint
    * knows what it should be.
    */
  val endpointParity = Option.when(p.parity)(Bool())
}

object FoundLane {
  def apply(p: TmuParams, t: TableParams, entry: LaneEntry): FoundLane = {
    val lane = Wire(new FoundLane(p, t))
    lane.slot := entry.slot
    lane.endpointParity.zip(entry.parity).foreach { case (to, from) => to := from(1) }
    lane
  }
}
