// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import chisel3._
import chisel3.util.{log2Ceil, Cat, Valid}
import tmu.fault.{FaultFlip, FaultRequest, FaultView}
import tmu.layout.Code
import tmu.mutant.Mutant
import tmu.params.{TableParams, TmuParams}
import tmu.registers.FaultStores
import tmu.rules.FilterFold
import tmu.types.{ArrayOperation, FilterId, FilterWindows, LaneEntry, MatchKey}

/** Fields of an entry that a lane of a memory row compares; its slot lies beside. */
class FilterLane(p: TmuParams, t: TableParams) extends Bundle {
  val endpoint = UInt(p.endpointBits.W)
  val filter = new FilterId(FilterFold.widths(p.filterBits))

  /** Low bits of a receive's id: what a cancel is filtered by. */
  val id = if (t.receives) Some(UInt(FilterLane.idBits(p, t).W)) else None

  /** Of all of them. */
  val parity = Option.when(p.parity)(Bool())
}

class FilterReply(t: TableParams) extends Bundle {
  val found = Bool()
  val slot = UInt(t.slotBits.W)
}

object FilterLane {

  /** Lane of an entry. */
  def apply(p: TmuParams, t: TableParams, windows: FilterWindows, entry: LaneEntry): FilterLane = {
    val ignored = entry.ignore.getOrElse(MatchKey.exact(p))
    fold(p, t, windows, entry.endpoint, entry.key, ignored, entry.id)
  }

  /** Checked memory of a table's lanes. */
  def store(t: TableParams): Code =
    if (t.receives) FaultStores.postedFilters else FaultStores.unexpectedFilters

  /** Lane that is stored of an appended entry; and flipped bits, for tests. */
  def stored(
      p: TmuParams,
      t: TableParams,
      windows: FilterWindows,
      append: Valid[LaneEntry],
      flip: Valid[FaultRequest]
  ): (FilterLane, FaultView) =
    FaultFlip(p, store(t), FilterLane(p, t, windows, append.bits), flip, append.valid)

  /** View of a row that was read, of the lanes that count. */
  def view(t: TableParams, row: Seq[FilterLane], count: UInt, flips: FaultView): FaultView = {
    val lost = VecInit(row.map(broken(_))).asUInt & count
    FaultView(store(t), RegNext(lost.orR, false.B), flips)
  }

  /** Lane that others are compared with. */
  def wanted(
      p: TmuParams,
      t: TableParams,
      windows: FilterWindows,
      asks: ArrayOperation
  ): FilterLane =
    fold(p, t, windows, asks.endpoint, asks.key, asks.ignore, asks.id)

  private def fold(
      p: TmuParams,
      t: TableParams,
      windows: FilterWindows,
      endpoint: UInt,
      key: MatchKey,
      ignore: MatchKey,
      id: Option[UInt]
  ): FilterLane = {
    val lane = Wire(new FilterLane(p, t))
    lane.endpoint := endpoint
    lane.filter := FilterFold(FilterFold.widths(p.filterBits), windows, key, ignore)
    for { to <- lane.id; from <- id } to := from(to.getWidth - 1, 0)
    lane.parity.foreach(_ := ones(lane))
    lane
  }

  private def ones(lane: FilterLane): Bool =
    Cat(Seq(lane.endpoint, lane.filter.asUInt) ++ lane.id).xorR

  /** A bit of it was lost. */
  def broken(lane: FilterLane): Bool = lane.parity.fold(false.B)(_ ^ ones(lane))

  /** Whether the entry of a lane may be wanted: by its key, or by its id (R10), always within the
    * endpoint (R13). One that has lost a bit may be: the entry tells, and nothing is missed.
    */
  def mayHit(lane: FilterLane, wants: FilterLane, byId: Bool): Bool = {
    val named = for { have <- lane.id; want <- wants.id } yield have === want
    broken(lane) || (lane.endpoint === wants.endpoint && Mux(
      byId,
      named.getOrElse(false.B),
      FilterFold.mayMatch(lane.filter, wants.filter)
    ))
  }

  /** Bits of a receive's id that a cancel is filtered by: ids that a driver counts up differ in
    * them.
    */
  def idBits(p: TmuParams, t: TableParams): Int = math.min(p.idBits, log2Ceil(t.filterEntries))

  /** Hits of a row; of a last row also while a hole in it is closed: an entry that moves hits where
    * it goes, and what enters hits where it will be.
    *
    * @param row
    *   as it was read
    * @param moved
    *   it is being closed
    * @param holeLane
    *   lane of the hole, into which its right neighbour moves
    * @param in
    *   what enters the row in this clock
    */
  def hits(
      row: Seq[FilterLane],
      mayHit: FilterLane => Bool,
      moved: Bool,
      holeLane: UInt,
      in: FilterEntering
  ): Seq[Bool] = {
    val read = row.map(mayHit)
    val enters = Mutant("entering", moved && in.now && mayHit(in.id))(_ => false.B)
    for ((hit, i) <- read.zipWithIndex) yield {
      val nextHit = if (i == row.size - 1) false.B else read(i + 1)
      val keptHit = Mux(moved && i.U >= holeLane, nextHit, hit)
      Mux(moved && in.now && in.lane === i.U, enters, keptHit)
    }
  }
}
