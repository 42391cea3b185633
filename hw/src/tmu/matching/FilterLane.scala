// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.log2Ceil
import tmu.params.TmuParams

/** What a lane of a memory row keeps of an entry to compare; its slot lies beside. */
class FilterLane(p: TmuParams, t: TableParams) extends Bundle {
  val endpoint = UInt(p.endpointBits.W)
  val filter = new FilterId(p)

  /** Low bits of a receive's id: what a cancel is filtered by. */
  val id = if (t.receives) Some(UInt(FilterLane.idBits(p, t).W)) else None
}

class FilterReply(t: TableParams) extends Bundle {
  val found = Bool()
  val slot = UInt(t.slotBits.W)
}

/** What a table did in this clock, for the counters. */
class FilterActivity extends Bundle {
  val pass = Bool()
  val candidate = Bool()
  val falsePositive = Bool()
  val lift = Bool()
}

object FilterLane {

  /** Whether the entry of a lane may be wanted: by its key, or by its id (R10), always within the
    * endpoint (R13).
    */
  def mayHit(lane: FilterLane, wants: FilterLane, byId: Option[Bool]): Bool = {
    val named = for { have <- lane.id; want <- wants.id } yield have === want
    lane.endpoint === wants.endpoint &&
    Mux(
      byId.getOrElse(false.B),
      named.getOrElse(false.B),
      FilterFold.mayMatch(lane.filter, wants.filter)
    )
  }

  /** Bits of a receive's id that a cancel is filtered by: ids that a driver counts up differ in
    * them.
    */
  def idBits(p: TmuParams, t: TableParams): Int = math.min(p.idBits, log2Ceil(t.filterEntries))
}
