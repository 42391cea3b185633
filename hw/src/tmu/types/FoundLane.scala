// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import tmu.params.{TableParams, TmuParams}

/** What an operation has seen of lanes that lost a bit. */
class LaneFault extends Bundle {

  /** It was compared with one, on which it must not rely, before it had found anything. */
  val compared = Bool()

  /** What it has found is the entry of such a lane. */
  val found = Bool()
}

/** The lane in which an operation has found an entry. */
class FoundLane(p: TmuParams, t: TableParams) extends Bundle {

  /** Where the entry's body lies. */
  val slot = UInt(t.slotBits.W)

  /** Parity of its endpoint, as it was stored: who has found it by its endpoint knows what it
    * should be.
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
