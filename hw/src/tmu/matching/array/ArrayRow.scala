// SPDX-License-Identifier: Apache-2.0
package tmu.matching.array

import chisel3._
import chisel3.util.{Cat, Fill, Reverse}
import tmu.mutant.Mutant
import tmu.params.{TableParams, TmuParams}
import tmu.rules.{LaneParity, OldestFirst}
import tmu.types.{ArrayOperation, FoundLane, LaneEntry, LaneFault}

/** Two oldest lanes of a row, as shown to the row below, which may get them next. */
class RowFoot(p: TmuParams, t: TableParams) extends Bundle {
  val oldest = new LaneEntry(p, t)
  val second = new LaneEntry(p, t)

  /** Lane 0 holds an entry, and the operation that settles in this row does not take it. */
  val remains = Bool()

  /** Lane 0 takes its upper neighbour at the end of this clock. */
  val shifts = Bool()
}

/** A row of lanes of a match array: compares, settles its own live bits, shifts.
  *
  * An operation is compared in one clock and settled in the next, while the one behind it is
  * compared: each sees the completed effects of all earlier ones. Lane 0 is the oldest. A lane's
  * data come from its upper neighbour and from nowhere else; a push from above moves every lane
  * down that has no hole above it, so that it ends in the row's youngest hole.
  *
  * An entry that crosses from the row above moves against the searches. The operation that settles
  * here in that clock would pass it by, so it counts the crossing entry as its youngest candidate;
  * the operation one older, which settles in the row above, has the first claim.
  */
class ArrayRow(p: TmuParams, t: TableParams) extends Module {
  override def desiredName: String = s"ArrayRow${if (t.receives) "Posted" else "Unexpected"}"
  private val lanes = t.lanes
  val io = IO(new Bundle {

    /** Which row this is, 0 the oldest: a constant from outside keeps all rows one module. */
    val number = Input(UInt(t.rowNumberBits.W))

    /** The operation, one clock before it is compared here; and passed on. */
    val in = Input(new ArrayOperation(p, t))
    val out = Output(new ArrayOperation(p, t))

    /** The operation has found nothing below this row yet; and after this row. */
    val openIn = Input(Bool())
    val openOut = Output(Bool())

    /** Lanes that lost a bit and that the operation has met, before this row and with it. */
    val faultIn = Input(new LaneFault)
    val faultOut = Output(new LaneFault)

    /** Lane that was found, two clocks after the row settled. */
    val laneIn = Input(new FoundLane(p, t))
    val laneOut = Output(new FoundLane(p, t))

    /** A new entry arrives in the last row in the next clock. */
    val append = Input(Bool())

    /** The entry reaches this row if no row above has a hole, neither the next one nor those
      * beyond, which are told in two parts: with what comes, they meet in one LUT in front of every
      * lane. Then the row above gives its lane 0 to this row, or this is the last one and gets the
      * entry itself. With no hole in this row either, this one gives its own to the row below.
      */
    val nextFull = Input(Bool())
    val beyondFull = Input(Vec(2, Bool()))
    val above = Input(new RowFoot(p, t))
    val foot = Output(new RowFoot(p, t))

    /** No hole but for what was taken in the clock before: a push goes through. And the same of the
      * next clock.
      */
    val full = Output(Bool())
    val fullNext = Output(Bool())
  })

  private val entries = Reg(Vec(lanes, new LaneEntry(p, t)))
  private val valid = RegInit(0.U(lanes.W))

  // Every lane above the youngest hole takes its upper neighbour: one new entry, one hole less.
  // Which lanes those are is a register, so that a lane's enable is one LUT behind registers: a
  // hole that is made in this clock is seen in the one after next, which no push comes before. A
  // full row moves as a whole, with its lane 0 going to the row below.
  private val absorbs = RegInit(0.U((lanes - 1).W))
  private val pushArrives = RegNext(io.append, false.B)
  private val push = WireDefault(pushArrives && io.nextFull && io.beyondFull.reduce(_ && _))
  private val shifts = Cat(1.U(1.W), absorbs) & Fill(lanes, push)
  private val column = entries :+ io.above.oldest
  for (i <- 0 until lanes) when(shifts(i))(entries(i) := column(i + 1))
  // Remaining entries are known in either case before it is known whether there is a push, and the
  // bit that a push brings into the top lane comes last of all.
  private val below =
    VecInit.tabulate(lanes - 1)(i => Mux(absorbs(i), valid(i + 1), valid(i))).asUInt
  private val pushed = OldestFirst.allAbove(below) & Fill(lanes - 1, io.above.remains)
  absorbs := Mux(push, pushed, OldestFirst.allAbove(valid)(lanes - 2, 0))
  io.fullNext := Mux(push, below.andR && io.above.remains, valid.andR)
  io.full := RegNext(io.fullNext, false.B)

  // Compare: this clock's lanes, the hit put where the entry will be when it is settled.
  private val asks = Reg(new ArrayOperation(p, t))
  asks := io.in
  io.out := asks
  private val named = Cat(0.U(1.W), io.number) << t.laneBits
  private def hits(entry: LaneEntry, lane: Int): Bool =
    Mux(asks.byPosition, asks.position === named + lane.U, ArrayOperation.hits(p, t, asks, entry))
  private val candidate = column :+ io.above.second
  private val compared = candidate.zipWithIndex.map { case (e, i) => hits(e, i) }
  private val suspects =
    candidate.zip(compared).map { case (e, hit) => LaneParity.suspect(asks, e, hit) }

  /** Of the lanes, where their entries will be a clock later. */
  private def settled(of: Seq[Bool]): UInt = {
    val moved = Reg(UInt(lanes.W))
    moved := Mutant(
      "comparison_stays",
      VecInit.tabulate(lanes)(i => Mux(shifts(i), of(i + 1), of(i))).asUInt
    )(_ => VecInit(of.take(lanes)).asUInt)
    moved
  }
  private def settledAbove(of: Seq[Bool]): Bool =
    RegNext(Mux(io.above.shifts, of(lanes + 1), of(lanes)))
  private val settleHit = settled(compared)
  private val settleHitAbove = settledAbove(compared)
  private val settleSuspect = settled(suspects)
  private val settleSuspectAbove = settledAbove(suspects)

  // Settle: the oldest hit of this row, if no older row had one (R3, R4).
  private val settleOpen = RegNext(io.openIn, false.B)
  private val settleTakes = RegNext(asks.takes)
  private val settleCrosses = push && io.above.remains
  private def mine =
    Mutant("youngest", settleHit)(h => Reverse(OldestFirst.first(Reverse(h & valid))))
  private val settleCandidates =
    Cat(Mutant("crossing", settleHitAbove && settleCrosses)(_ => false.B), mine & valid)
  private val settleFound = settleOpen && settleCandidates.orR
  private val settleFirst = OldestFirst.first(settleCandidates)
  private val settleRemoved =
    settleFirst & VecInit.fill(lanes + 1)(settleOpen && settleTakes).asUInt
  private val settleLeft = Cat(io.above.remains, valid) & ~settleRemoved
  valid := Mutant(
    "kill",
    VecInit.tabulate(lanes)(i => Mux(shifts(i), settleLeft(i + 1), settleLeft(i))).asUInt
  )(
    _ | (Cat(io.above.remains, valid) >> 1)(lanes - 1, 0) & shifts
  )
  io.openOut := Mutant("goes_on", settleOpen && !settleFound)(_ => settleOpen)
  private val faultBefore = RegNext(io.faultIn, 0.U.asTypeOf(new LaneFault))
  private val faultHere = Cat(settleSuspectAbove && settleCrosses, settleSuspect & valid)
  io.faultOut.compared := faultBefore.compared || (settleOpen && faultHere.orR)
  io.faultOut.found := faultBefore.found || (settleOpen && (settleFirst & faultHere).orR)

  private val aboveHole = Cat(1.U(1.W), absorbs)
  private val youngestHole = aboveHole & ~(aboveHole << 1)(lanes - 1, 0)
  assert(
    !push || (io.full && io.number =/= 0.U) || (youngestHole & valid) === 0.U,
    "R11: row %d took an entry in without a hole",
    io.number
  )

  io.foot.oldest := entries(0)
  io.foot.second := column(1)
  io.foot.shifts := shifts(0)
  // Nothing in this row is older than lane 0: if it is a hit, the operation takes it.
  io.foot.remains :=
    Mutant("remains", valid(0) && !(mine(0) && settleOpen && settleTakes))(_ => valid(0))

  // The oldest candidate: groups first, then among groups, then along the rows.
  private val shown = column.map(FoundLane(p, t, _).asUInt)
  private val groups = (0 to lanes).grouped(8).toSeq
  private val answerGroup = Reg(UInt(groups.size.W))
  answerGroup := VecInit(groups.map(g => settleCandidates(g.last, g.head).orR)).asUInt
  private val answerLanes = groups.map { g =>
    RegNext(OldestFirst.select(settleCandidates(g.last, g.head), g.map(shown(_))))
  }
  private val answerFound = RegNext(settleFound, false.B)
  private val lane = OldestFirst.select(answerGroup, answerLanes).asTypeOf(io.laneOut)
  io.laneOut := RegNext(Mux(answerFound, lane, io.laneIn))
}
