// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import chisel3._
import chisel3.util.{is, log2Ceil, switch, UIntToOH}
import tmu.mutant.Mutant
import tmu.params.{TableParams, TmuParams}
import tmu.rules.OldestFirst
import tmu.types.ArrayOperation

/** The younger part of a queue: filter ids in memory rows, searched a row a clock.
  *
  * Entries lie in age order, in a ring of rows. A search reads rows from the oldest on and sends
  * their hits to be verified in age order, one a clock, several on their way at once; it waits only
  * in a row of more than one hit. What is taken leaves a hole that is closed at once: every younger
  * entry moves down by one, a row a clock, so that no later search pays for it.
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
  */
class FilterTable(p: TmuParams, t: TableParams) extends Module {
  override def desiredName: String = s"FilterTable${if (t.receives) "Posted" else "Unexpected"}"
  private val (lanes, placeBits) = (p.filterLanes, t.filterPlaceBits)
  private val rowBits = placeBits - log2Ceil(lanes)
  val io = IO(new FilterPorts(p, t) {

    /** What an entry that does not leave is compared with; the result comes another clock later. */
    val asks = Output(new ArrayOperation(p, t))
    val holds = Input(Bool())
  })

  private val state = RegInit(FilterState.idle)
  private val asks = Reg(new ArrayOperation(p, t))
  private val following = Reg(new ArrayOperation(p, t))
  private val wants = Reg(new FilterLane(p, t))
  private val wantsById = Reg(Bool())
  private val lifting = Reg(Bool())
  private val budget = Reg(UInt(t.countBits.W))
  private val asked = Reg(UInt(placeBits.W))

  private val ring = Module(new FilterRing(t))
  private val head = ring.io.head
  private val last = ring.io.last

  // The request whose turn it is has no answer yet; a request was taken ahead of its turn.
  private val leading = RegInit(false.B)
  private val ahead = RegInit(false.B)
  private def rowOf(place: UInt): UInt = FilterPlace.row(place, lanes)
  private def laneOf(place: UInt): UInt = FilterPlace.lane(place, lanes)
  private val lastRow = rowOf(last)

  private val memory = new FilterMemory(p, t)
  private val readRow = WireDefault(rowOf(head))
  private val reading = WireDefault(false.B)
  private val row = memory.readIds(readRow, reading)
  private val dataRow = RegNext(readRow)

  // An append is folded in one clock and written in the next; it may come with the clock in which
  // a hole begins to be closed, into the place that is left then.
  private val appended = Reg(new FilterLane(p, t))
  private val appendedSlot = RegNext(io.append.bits.slot)
  private val appendedPlace = RegNext(ring.io.free)
  private val enters = RegNext(io.append.valid, false.B)
  private val entering =
    FilterEntering(enters, rowOf(appendedPlace), laneOf(appendedPlace), appended, appendedSlot)
  private def isWritten(row: UInt): Bool = enters && entering.row === row

  // Sweep: read, compare, keep the hits of a row until they are sent. While an earlier row has hits
  // left, or hits whose turn has not come, those wait; the row that is compared then is read again.
  private val nextRow = Reg(UInt(rowBits.W))
  private val allRead = Reg(Bool())
  private val starts = WireDefault(false.B)
  private val close = Module(new FilterClose(p, t))
  private val candidates = Module(new FilterCandidates(p, t))
  private val verified = candidates.io.verified
  private val moved = RegInit(false.B)
  private val comparing =
    RegNext(starts || (state === FilterState.sweep && reading && !verified), false.B) || moved
  private val mayHit = FilterLane.mayHit(_, wants, wantsById)
  private val holding = FilterRing.holding(ring, lanes, dataRow)
  private val hits =
    VecInit(FilterLane.hits(row, mayHit, moved, close.io.moves.holeLane, entering)).asUInt &
      holding
  private val fresh = Reg(UInt(lanes.W))
  private val freshRow = Reg(UInt(rowBits.W))
  private val freshAhead = Reg(Bool())
  private val left = Reg(UInt(lanes.W))
  private val leftRow = Reg(UInt(rowBits.W))
  private val more = Reg(Bool())
  private val some = fresh.orR
  private val waits = (ahead && freshAhead) || state === FilterState.close
  private val stalls = more || (some && waits)
  when(!stalls) {
    fresh := Mux(comparing, hits, 0.U)
    freshRow := dataRow
    freshAhead := ahead
  }

  // Send: the hits of one row in age order, one a clock, to be verified.
  private val current = Mux(more, left, fresh)
  private val currentRow = Mux(more, leftRow, freshRow)
  private val oldest = OldestFirst.first(current)
  private val sends = state === FilterState.sweep || state === FilterState.extract
  private val pending = more || (some && !waits)
  private val picks = sends && pending && !verified && (!lifting || budget =/= 0.U)
  left := current & ~oldest
  leftRow := currentRow
  more := (more || !waits) && OldestFirst.atLeastTwo(current)
  private val closeStarts = verified && asks.takes
  private val closingRow = closeStarts || state === FilterState.close
  private val slotsRead = memory.readSlots(Mux(closingRow, readRow, currentRow))
  candidates.io.picks := picks
  candidates.io.oldest := oldest
  candidates.io.row := currentRow
  candidates.io.slots := slotsRead
  candidates.io.lifting := lifting
  candidates.io.holds := io.holds
  private val found = candidates.io.found
  io.readSlot := candidates.io.readSlot
  io.asks := asks
  io.lifted.valid := candidates.io.lifted
  io.lifted.bits := candidates.io.reading.slot
  private val inLastRow = Reg(Bool())
  when(!closingRow)(inLastRow := asks.takes && candidates.io.reading.row === lastRow)

  private val missed = RegInit(false.B)
  missed := false.B
  io.reply.valid := verified || missed
  io.reply.bits.found := verified
  io.reply.bits.slot := found.slot

  close.io.start := closeStarts
  close.io.hole := found
  close.io.last := last
  close.io.inLastRow := inLastRow
  close.io.headRow := rowOf(head)
  private val (folded, flipped) = FilterLane.stored(p, t, io.windows, io.append, io.fault.flip)
  appended := folded
  memory.write(close.io.moves, row, slotsRead, entering)
  ring.io.enters := io.append.valid
  ring.io.leaves := closeStarts
  ring.io.lifts := state === FilterState.extract && lifting && picks

  // Closing writes its last row in its last clock, and the last lane of the row before.
  private val leavesClose = close.io.ends && close.io.headRests && !io.request.bits.byPlace
  private val aheadReady = ring.io.some && !ahead && !verified &&
    (state === FilterState.idle || (state === FilterState.sweep && leading && allRead && !more))
  io.request.ready := !isWritten(rowOf(head)) &&
    Mux(io.ahead, aheadReady, state === FilterState.idle || leavesClose)
  io.lift.ready := state === FilterState.idle && !io.request.valid
  io.count := ring.io.count
  io.some := ring.io.some
  io.idle := state === FilterState.idle
  io.settled := state === FilterState.idle || (inLastRow && (verified || state === FilterState.close)) ||
    (ahead && !leading && state === FilterState.sweep)

  switch(state) {
    is(FilterState.idle) {
      lifting := false.B
      when(io.lift.fire) {
        lifting := true.B
        budget := io.lift.bits
        when(ring.io.some)(state := FilterState.name)
      }
    }
    // Places that are named, a clock or two ahead of the rest: they are no hurry, and it is far.
    is(FilterState.locate) {
      val place = asks.place - t.arrayEntries.U
      asked := (head + place)(placeBits - 1, 0)
      missed := asks.place < t.arrayEntries.U || place >= ring.io.count
      state := FilterState.name
    }
    is(FilterState.name) {
      fresh := Mux(
        lifting,
        FilterRing.holding(ring, lanes, rowOf(head)),
        UIntToOH(laneOf(asked), lanes)
      )
      freshRow := Mux(lifting, rowOf(head), rowOf(asked))
      more := false.B
      state := Mux(missed, FilterState.idle, FilterState.extract)
    }
    is(FilterState.sweep) {
      val mayRead = !allRead && !(ahead && nextRow === lastRow) && !isWritten(nextRow) &&
        ring.io.some
      reading := Mux(stalls, comparing, mayRead)
      readRow := Mux(stalls, dataRow, nextRow)
      when(!stalls && mayRead) {
        nextRow := nextRow + 1.U
        when(nextRow === lastRow)(allRead := true.B)
      }
      // Requests before it have taken everything.
      when(!ahead && !ring.io.some)(allRead := true.B)
      val allSent = Mux(ahead, freshAhead && !more, allRead && !comparing && !pending)
      when(leading && allSent && candidates.io.empty && !verified) {
        missed := true.B
        leading := false.B
        when(!ahead)(state := FilterState.idle)
      }
    }
    is(FilterState.extract) {
      when(picks)(budget := budget - 1.U)
      when(lifting && candidates.io.empty && (!pending || budget === 0.U))(
        state := FilterState.idle
      )
    }
    is(FilterState.close) {
      when(close.io.ends)(state := Mux(ahead || leading, FilterState.sweep, FilterState.idle))
    }
  }

  // An answer. What it leaves is not sent. A request behind it goes back to the row of the hole; to
  // the first if it has not begun, or if the last row may be empty now; or it goes on with the last
  // row while that is closed.
  private def since(row: UInt): UInt = row - rowOf(head)
  private val resume = Mux(stalls && comparing, dataRow, nextRow)
  private val begun = freshAhead && !more && laneOf(last) =/= 0.U
  private val goesBack = Mutant("ahead", since(resume) > since(found.row))(_ => false.B)
  moved := false.B
  when(verified) {
    state := Mux(asks.takes, FilterState.close, Mux(ahead, FilterState.sweep, FilterState.idle))
    leading := false.B
    more := false.B
    when(!begun || goesBack)(fresh := 0.U)
    freshAhead := ahead
    nextRow := Mux(begun, Mux(goesBack, found.row, resume), rowOf(head))
  }
  when(close.io.reads) {
    reading := true.B
    readRow := close.io.row
  }
  when(
    closeStarts && inLastRow && io.commit && ahead && begun && nextRow === lastRow &&
      rowOf(head) =/= lastRow && !comparing && !some
  ) {
    moved := true.B
    allRead := true.B
    nextRow := lastRow + 1.U
  }

  // The turn of what was taken ahead.
  when(io.commit && ahead) {
    ahead := false.B
    leading := true.B
    asks := following
  }

  // Start: the oldest row is read at once.
  when(io.request.fire) {
    val itsTurn = !io.ahead || io.commit
    val reads = !io.request.bits.byPlace && ring.io.some
    when(itsTurn)(asks := io.request.bits)
    following := io.request.bits
    ahead := !itsTurn
    when(itsTurn)(leading := reads)
    wantsById := io.request.bits.byId.getOrElse(false.B)
    wants := FilterLane.wanted(p, t, io.windows, io.request.bits)
    starts := reads && !(io.ahead && rowOf(head) === lastRow)
    readRow := rowOf(head)
    reading := starts
    nextRow := Mux(starts, rowOf(head) + 1.U, rowOf(head))
    allRead := starts && rowOf(head) === lastRow
    when(!io.ahead || state === FilterState.idle) {
      fresh := 0.U
      freshAhead := io.ahead
      more := false.B
    }
    when(!io.request.bits.byPlace && !ring.io.some)(missed := true.B)
    state := Mux(
      io.request.bits.byPlace,
      FilterState.locate,
      Mux(ring.io.some, FilterState.sweep, FilterState.idle)
    )
  }

  io.fault.view := FilterLane.view(t, row, Mux(comparing, holding, 0.U), flipped)
  io.activity.pass := comparing && !stalls
  io.activity.candidate := candidates.io.checked
  io.activity.lift := io.lifted.valid
  io.activity.falsePositive := candidates.io.checked && !io.holds

  assert(
    !io.append.valid || (io.settled && !(io.request.fire && !io.ahead) && !io.lift.fire),
    "R7: appended to memory rows that are at work"
  )
  assert(!io.request.fire || io.ahead || !(ahead || leading), "R7: a request out of its turn")
}
