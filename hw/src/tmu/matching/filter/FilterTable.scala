// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import chisel3._
import chisel3.util.{is, switch, UIntToOH}
import tmu.params.{TableParams, TmuParams}
import tmu.types.ArrayOperation

/** The younger part of a queue: filter ids in memory rows, searched a row a clock.
  *
  * Entries lie in age order, in a ring of rows. A search reads rows from the oldest on and sends
  * their hits to be verified in age order, one a clock, several at once; it waits only in a row of
  * more than one hit. What is taken leaves a hole that is closed at once: every younger entry moves
  * down by one, a row a clock, so that no later search pays for it.
  *
  * With n rows in use, a hit in row h is answered h + 6 clocks after the request, a miss n + 2, or
  * 6 after its last hit was sent; closing the hole takes n - h + 1 more. The next request is taken
  * in the last clock of closing when the oldest row is not written then. A false hit costs no clock
  * when it is alone in its row, else one.
  *
  * Behind the request whose turn it is another one may be taken ahead, as soon as the first has
  * read all its rows. It reads all rows but the last, up to one where it hits, and waits there
  * until `commit`: then all before it are answered and their appends have come. What it read of
  * rows that a hole moves meanwhile it reads again; and when the hole is in the last row, it
  * compares that row as it is being moved. So a stream of requests that hit the last row of n <= 4
  * is answered every 6 clocks.
  *
  * An append waits for `settled`: at rest, or closing a hole in the last row only, or with nothing
  * but a request ahead of its turn; and it comes without a lift or a request whose turn it is. When
  * full, one must not be asked for. Assertions guard it (R7, R11).
  *
  * Its stages:
  * {{{
  * append      FilterAppend      an entry is folded and written
  * sweep       FilterSweep       rows are read and compared
  * pick        FilterPick        hits of a row, oldest first
  * candidates  FilterCandidates  a hit's entry is read and compared whole
  * close       FilterClose       younger entries move into a hole
  * }}}
  */
class FilterTable(p: TmuParams, t: TableParams) extends Module {
  override def desiredName: String = s"FilterTable${if (t.receives) "Posted" else "Unexpected"}"
  private val (lanes, indexBits) = (p.filterLanes, t.filterIndexBits)
  val io = IO(new FilterPorts(p, t) {

    /** Operation that an entry which does not leave is compared with; the result comes another
      * clock later.
      */
    val asks = Output(new ArrayOperation(p, t))
    val holds = Input(Bool())
  })

  private val state = RegInit(FilterState.idle)
  private val asks = Reg(new ArrayOperation(p, t))
  private val aheadRequest = Reg(new ArrayOperation(p, t))
  private val lifting = Reg(Bool())
  private val liftBudget = Reg(UInt(t.countBits.W))
  private val namedIndex = Reg(UInt(indexBits.W))

  // The request whose turn it is has no answer yet; a request was taken ahead of its turn.
  private val sweepLeads = RegInit(false.B)
  private val ahead = RegInit(false.B)

  private val ring = Module(new FilterRing(t))
  private val append = Module(new FilterAppend(p, t))
  private val sweep = Module(new FilterSweep(p, t))
  private val pick = Module(new FilterPick(p, t))
  private val candidates = Module(new FilterCandidates(p, t))
  private val close = Module(new FilterClose(p, t))
  private val memory = new FilterMemory(p, t)
  private def rowOf(index: UInt): UInt = FilterIndex.row(index, lanes)
  private def laneOf(index: UInt): UInt = FilterIndex.lane(index, lanes)
  private val extent = ring.io.extent
  private val headRow = rowOf(extent.head)
  private val lastRow = rowOf(extent.last)
  private val sweeps = state === FilterState.sweep
  private val verified = candidates.io.verified
  private val found = candidates.io.found
  private val closeStarts = verified && asks.takes
  private val closing = state === FilterState.close
  private val closeInLastRow = Reg(Bool())
  private val pickBegun = pick.io.isAhead && !pick.io.more && laneOf(extent.last) =/= 0.U

  append.io.windows := io.windows
  append.io.append := io.append
  append.io.free := ring.io.free
  append.io.flip := io.fault.flip

  private val rowRead = memory.readIds(sweep.io.read.bits, sweep.io.read.valid)
  sweep.io.start.valid := io.request.fire
  sweep.io.start.bits.wants := FilterLane.wanted(p, t, io.windows, io.request.bits)
  sweep.io.start.bits.byId := io.request.bits.byId.getOrElse(false.B)
  sweep.io.start.bits.reads := !io.request.bits.byPosition && extent.some
  sweep.io.start.bits.ahead := io.ahead
  sweep.io.sweeps := sweeps
  sweep.io.ahead := ahead
  sweep.io.ring := extent
  sweep.io.entering := append.io.entering
  sweep.io.stalls := pick.io.stalls
  sweep.io.verified := verified
  sweep.io.foundRow := found.row
  sweep.io.begun := pickBegun
  sweep.io.close.valid := close.io.reads
  sweep.io.close.bits := close.io.row
  sweep.io.holeLane := close.io.moves.holeLane
  sweep.io.closesLast :=
    closeStarts && closeInLastRow && io.commit && ahead && pickBegun && !pick.io.some
  sweep.io.ids := VecInit(rowRead)

  pick.io.hits := sweep.io.hits
  pick.io.ahead := ahead
  pick.io.closes := closing
  pick.io.sends := sweeps || state === FilterState.extract
  pick.io.allowed := !lifting || liftBudget =/= 0.U
  pick.io.named.valid := state === FilterState.name
  pick.io.named.bits.lanes := Mux(
    lifting,
    FilterExtent.holding(extent, lanes, headRow),
    UIntToOH(laneOf(namedIndex), lanes)
  )
  pick.io.named.bits.row := Mux(lifting, headRow, rowOf(namedIndex))
  pick.io.verified := verified
  pick.io.keeps := pickBegun && !sweep.io.goesBack
  pick.io.restart.valid := io.request.fire && (!io.ahead || state === FilterState.idle)
  pick.io.restart.bits := io.ahead

  private val slotsRead =
    memory.readSlots(Mux(closeStarts || closing, sweep.io.read.bits, pick.io.row))
  candidates.io.picks := pick.io.picks
  candidates.io.oldest := pick.io.oldest
  candidates.io.row := pick.io.row
  candidates.io.slots := slotsRead
  candidates.io.lifting := lifting
  candidates.io.holds := io.holds
  when(!(closeStarts || closing)) {
    closeInLastRow := asks.takes && candidates.io.reading.row === lastRow
  }

  close.io.start := closeStarts
  close.io.hole := found
  close.io.last := extent.last
  close.io.inLastRow := closeInLastRow
  close.io.headRow := headRow
  memory.write(close.io.moves, rowRead, slotsRead, append.io.entering)
  ring.io.enters := io.append.valid
  ring.io.leaves := closeStarts
  ring.io.lifts := state === FilterState.extract && lifting && pick.io.picks

  private val replyMissed = RegInit(false.B)
  replyMissed := false.B
  io.reply.valid := verified || replyMissed
  io.reply.bits.found := verified
  io.reply.bits.slot := found.slot
  io.readSlot := candidates.io.readSlot
  io.asks := asks
  io.lifted.valid := candidates.io.lifted
  io.lifted.bits := candidates.io.reading.slot

  // Closing writes its last row in its last clock, and the last lane of the row before.
  private val closeLeaves = close.io.ends && close.io.headRests && !io.request.bits.byPosition
  private val aheadReady = extent.some && !ahead && !verified &&
    (state === FilterState.idle || (sweeps && sweepLeads && sweep.io.allRead && !pick.io.more))
  private val appendsToHead = append.io.entering.now && append.io.entering.row === headRow
  io.request.ready := !appendsToHead &&
    Mux(io.ahead, aheadReady, state === FilterState.idle || closeLeaves)
  io.lift.ready := state === FilterState.idle && !io.request.valid
  io.count := ring.io.count
  io.some := extent.some
  io.idle := state === FilterState.idle
  io.settled := state === FilterState.idle || (closeInLastRow && (verified || closing)) ||
    (ahead && !sweepLeads && sweeps)

  switch(state) {
    is(FilterState.idle) {
      lifting := false.B
      when(io.lift.fire) {
        lifting := true.B
        liftBudget := io.lift.bits
        when(extent.some)(state := FilterState.name)
      }
    }
    // Positions that are named, a clock or two ahead of the rest: they are no hurry, and it is far.
    is(FilterState.locate) {
      val beyond = asks.position - t.arrayEntries.U
      namedIndex := (extent.head + beyond)(indexBits - 1, 0)
      replyMissed := asks.position < t.arrayEntries.U || beyond >= ring.io.count
      state := FilterState.name
    }
    is(FilterState.name)(state := Mux(replyMissed, FilterState.idle, FilterState.extract))
    is(FilterState.sweep) {
      val allSent = Mux(
        ahead,
        pick.io.isAhead && !pick.io.more,
        sweep.io.allRead && !sweep.io.hits.valid && !pick.io.pending
      )
      when(sweepLeads && allSent && candidates.io.empty && !verified) {
        replyMissed := true.B
        sweepLeads := false.B
        when(!ahead)(state := FilterState.idle)
      }
    }
    is(FilterState.extract) {
      when(pick.io.picks)(liftBudget := liftBudget - 1.U)
      when(lifting && candidates.io.empty && (!pick.io.pending || liftBudget === 0.U))(
        state := FilterState.idle
      )
    }
    is(FilterState.close) {
      when(close.io.ends)(state := Mux(ahead || sweepLeads, FilterState.sweep, FilterState.idle))
    }
  }

  when(verified) {
    state := Mux(asks.takes, FilterState.close, Mux(ahead, FilterState.sweep, FilterState.idle))
    sweepLeads := false.B
  }

  // The turn of what was taken ahead.
  when(io.commit && ahead) {
    ahead := false.B
    sweepLeads := true.B
    asks := aheadRequest
  }

  when(io.request.fire) {
    val itsTurn = !io.ahead || io.commit
    when(itsTurn) {
      asks := io.request.bits
      sweepLeads := sweep.io.start.bits.reads
    }
    aheadRequest := io.request.bits
    ahead := !itsTurn
    when(!io.request.bits.byPosition && !extent.some)(replyMissed := true.B)
    state := Mux(
      io.request.bits.byPosition,
      FilterState.locate,
      Mux(extent.some, FilterState.sweep, FilterState.idle)
    )
  }

  private val sweepCompared = Mux(sweep.io.hits.valid, sweep.io.holding, 0.U)
  io.fault.view := FilterLane.view(t, rowRead, sweepCompared, append.io.flipped)
  io.activity.pass := sweep.io.hits.valid && !pick.io.stalls
  io.activity.candidate := candidates.io.checked
  io.activity.lift := io.lifted.valid
  io.activity.falsePositive := candidates.io.checked && !io.holds

  assert(
    !io.append.valid || (io.settled && !(io.request.fire && !io.ahead) && !io.lift.fire),
    "R7: appended to memory rows that are at work"
  )
  assert(!io.request.fire || io.ahead || !(ahead || sweepLeads), "R7: a request out of its turn")
}
