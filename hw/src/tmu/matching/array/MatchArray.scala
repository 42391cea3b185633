// SPDX-License-Identifier: Apache-2.0
package tmu.matching.array

import chisel3._
import chisel3.util.Valid
import tmu.fault.{FaultFlip, FaultPort, FaultView}
import tmu.mutant.Mutant
import tmu.params.{TableParams, TmuParams}
import tmu.registers.FaultStores
import tmu.rules.LaneParity
import tmu.types.{ArrayOperation, FoundLane, LaneEntry, LaneFault}

/** An ordered table of exact lanes: one search a clock, each seeing all effects of those before it.
  *
  * Rows of lanes, oldest row first. The operation given at clock c is compared in row r at clock c
  * + 1 + r and settled there one clock later, so it is at its end, with its answer known, at clock
  * c + `TableParams.walk`. The youngest entry is always in the top lane of the last row: a new
  * entry comes in there and pushes all above the youngest hole down by one. Holes cost no search
  * anything and need no work of their own (delete and rotate in one).
  *
  * A new entry is decided at the end of an operation of the other stream, and waits one clock in
  * `incoming` before it enters the top lane. The operations close behind have passed the rows by
  * then: the one at its end looks at `incoming`, which is in effect one more row of one lane.
  *
  * When every lane holds an entry, nothing may be appended: the rows' assertions guard it (R11).
  */
class MatchArray(p: TmuParams, t: TableParams) extends Module {
  override def desiredName: String = s"MatchArray${if (t.receives) "Posted" else "Unexpected"}"
  val io = IO(new Bundle {
    val ask = Input(new ArrayOperation(p, t))

    /** At the operation's end: it has found an entry, and what its lane says one clock later. */
    val found = Output(Bool())
    val lane = Output(new FoundLane(p, t))

    /** Entry that the operation of the other stream at its end would append, and whether it does.
      */
    val append = Flipped(Valid(new LaneEntry(p, t)))

    /** Lanes that lost a bit and that the operation has met, at the same time as `found`. */
    val suspect = Output(new LaneFault)
    val fault = new FaultPort
  })

  private val rows = Seq.tabulate(t.rows)(r => Module(new ArrayRow(p, t)).suggestName(s"row$r"))
  private val incoming = Reg(new LaneEntry(p, t))
  private val arrives = RegInit(false.B)
  private val laneStore =
    if (t.receives) FaultStores.postedLanes else FaultStores.unexpectedLanes
  private val (entering, flipped) =
    FaultFlip(p, laneStore, io.append.bits, io.fault.flip, io.append.valid)
  incoming := entering
  arrives := io.append.valid

  // The end: what follows the last row, for the operation that has passed them all.
  private val last = rows.last.io
  private val endPassed = RegNext(last.out)
  private val hitsIncoming = RegNext(ArrayOperation.hits(p, t, endPassed, entering))
  private val suspectsIncoming = RegNext(LaneParity.suspect(endPassed, entering, false.B))
  private val endOpen = RegNext(last.openOut, false.B)
  private val endSearches = RegNext(last.out.searches, false.B)
  private val endSearched = RegNext(endSearches, false.B)
  private val endTakes = RegNext(endPassed.takes)

  // All but what arrives is known a clock before: it comes late, and what is decided comes after it.
  private val foundInRows = RegNext(endSearches && !last.openOut, false.B)
  private val searchesIncoming = RegNext(last.openOut && !endPassed.byPosition, false.B)
  private val findsIncoming =
    Mutant("incoming", searchesIncoming && arrives && hitsIncoming)(_ => false.B)
  io.found := foundInRows || findsIncoming
  private val rowsFault = RegNext(last.faultOut, 0.U.asTypeOf(new LaneFault))
  io.suspect.compared := endSearched && (rowsFault.compared || (endOpen && arrives && suspectsIncoming))
  io.suspect.found := endSearched && (rowsFault.found || (findsIncoming && suspectsIncoming))
  io.fault.view := FaultView(laneStore, io.suspect.compared, flipped)
  io.lane := Mux(RegNext(findsIncoming), RegNext(FoundLane(p, t, incoming)), last.laneOut)

  // The new entry pushes from the last row down to the first that has a hole then. Whether one
  // comes is the slowest bit of all: which rows it would push meets it behind the registers. A
  // register stands for a few rows, so that many of them are no chain before it.
  private val beyondFull = Seq.tabulate(t.rows) { r =>
    val groups = rows.drop(r + 2).reverse.grouped(MatchArray.rowsTogether(t.rows))
    groups
      .map {
        case Seq(row) => row.io.full
        case group    => RegNext(group.map(_.io.fullNext).reduce(_ && _), false.B)
      }
      .toSeq
      .padTo(2, true.B)
  }

  for ((row, r) <- rows.zipWithIndex) {
    val isLast = r == t.rows - 1
    row.io.number := r.U
    row.io.in := (if (r == 0) io.ask else rows(r - 1).io.out)
    row.io.openIn := (if (r == 0) row.io.out.searches else rows(r - 1).io.openOut)
    row.io.faultIn :=
      (if (r == 0) 0.U.asTypeOf(new LaneFault) else rows(r - 1).io.faultOut)
    row.io.laneIn :=
      (if (r == 0) 0.U.asTypeOf(new FoundLane(p, t)) else rows(r - 1).io.laneOut)
    row.io.append := io.append.valid
    row.io.nextFull :=
      (if (isLast) true.B else Mutant("push_through", rows(r + 1).io.full)(_ => true.B))
    row.io.beyondFull := VecInit(beyondFull(r))
    if (!isLast) row.io.above := rows(r + 1).io.foot
    else {
      row.io.above.oldest := incoming
      row.io.above.second := entering
      row.io.above.remains := arrives && !(findsIncoming && endTakes)
      row.io.above.shifts := true.B
    }
  }
}

object MatchArray {

  /** Rows whose being full is one register: so many that there are two such registers at most. */
  def rowsTogether(rows: Int): Int = math.max(1, (rows - 1) / 2)
}
