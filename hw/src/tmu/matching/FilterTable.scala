// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{is, log2Ceil, switch, Mux1H, OHToUInt, ShiftRegister, UIntToOH}
import tmu.params.TmuParams

/** The younger part of a queue: filter ids in memory rows, searched a row a clock.
  *
  * Entries lie one behind the other in age order, in a ring of rows. A search reads rows from the
  * oldest on and sends their hits to be verified in age order, one a clock, several on their way at
  * once; it waits only in a row of more than one hit. What is taken leaves a hole that is closed at
  * once: every younger entry moves down by one, a row a clock, so that no later search pays for it.
  *
  * One request at a time. With n rows in use, a hit in row h is answered h + 6 clocks after the
  * request, a miss n + 2, or 6 after its last hit was sent; closing the hole takes n - h + 1 more.
  * The next request is taken in the last clock of closing when the oldest row is not written then.
  * A false hit costs no clock when it is alone in its row, else one.
  *
  * An append waits for `settled`: at rest, or closing a hole in the last row only; and it comes in
  * a clock of its own, without a request or a lift. When full, one must not be asked for.
  * Assertions guard it (R7, R11).
  */
class FilterTable(p: TmuParams, t: TableParams) extends Module {
  override def desiredName: String = s"FilterTable${if (t.receives) "Posted" else "Unexpected"}"
  private val lanes = p.filterLanes
  private val placeBits = t.filterPlaceBits
  private val laneBits = log2Ceil(lanes)
  private val rowBits = placeBits - laneBits
  val io = IO(new FilterPorts(p, t) {

    /** What an entry that does not leave is compared with; the result comes another clock later. */
    val asks = Output(new ArrayOperation(p, t))
    val holds = Input(Bool())
  })

  private object State extends ChiselEnum {
    val idle, locate, name, sweep, extract, close = Value
  }
  private val state = RegInit(State.idle)
  private val asks = Reg(new ArrayOperation(p, t))
  private val wants = Reg(new FilterLane(p, t))
  private val lifting = Reg(Bool())
  private val budget = Reg(UInt(t.countBits.W))
  private val asked = Reg(UInt(placeBits.W))

  private val ring = Module(new FilterRing(t))
  private val head = ring.io.head
  private val last = ring.io.last
  private def rowOf(place: UInt): UInt = place(placeBits - 1, laneBits)
  private def laneOf(place: UInt): UInt = place(laneBits - 1, 0)
  private val lastRow = rowOf(last)

  /** Lanes of a row that hold entries: a ring never comes round into its own first row. */
  private def holding(row: UInt): UInt = {
    val fromHead = VecInit.tabulate(lanes)(i => i.U >= laneOf(head)).asUInt
    val toLast = VecInit.tabulate(lanes)(i => i.U <= laneOf(last)).asUInt
    val all = ~0.U(lanes.W)
    val young = Mux(row === lastRow, toLast, all)
    Mux(ring.io.some, Mux(row === rowOf(head), fromHead, all) & young, 0.U)
  }

  private val memory = new FilterMemory(p, t)
  private val readRow = WireDefault(rowOf(head))
  private val reading = WireDefault(false.B)
  private val row = memory.readIds(readRow, reading)
  private val dataRow = RegNext(readRow)

  // Sweep: read, compare, keep the hits of a row until they are sent. While an earlier row has hits
  // left, those wait; the row that is compared then is read again.
  private val nextRow = Reg(UInt(rowBits.W))
  private val allRead = Reg(Bool())
  private val starts = WireDefault(false.B)
  private val verified = Wire(Bool())
  private val comparing =
    RegNext(starts || (state === State.sweep && reading && !verified), false.B)
  private val hits =
    VecInit(row.map(FilterLane.mayHit(_, wants, asks.byId))).asUInt & holding(dataRow)
  private val fresh = Reg(UInt(lanes.W))
  private val freshRow = Reg(UInt(rowBits.W))
  private val left = Reg(UInt(lanes.W))
  private val leftRow = Reg(UInt(rowBits.W))
  private val more = Reg(Bool())
  when(!more) {
    fresh := Mux(comparing, hits, 0.U)
    freshRow := dataRow
  }

  private val pending = more || fresh.orR

  // Send: the hits of one row in age order, one a clock; slot and lane two clocks later.
  private val current = Mux(more, left, fresh)
  private val currentRow = Mux(more, leftRow, freshRow)
  private val oldest = OldestFirst.first(current)
  private val sends = state === State.sweep || state === State.extract
  private val picks = sends && pending && !verified && (!lifting || budget =/= 0.U)
  left := current & ~oldest
  leftRow := currentRow
  more := OldestFirst.atLeastTwo(current)
  private val closeStarts = verified && asks.takes
  private val closingRow = closeStarts || state === State.close
  private val slotsRead = memory.readSlots(Mux(closingRow, readRow, currentRow))
  private val one = Reg(UInt(lanes.W))
  one := oldest
  private val marked = RegNext(picks, false.B)
  private val named = RegNext(marked && !verified, false.B)
  private val namedSlot = RegNext(Mux1H(one.asBools, slotsRead))
  private val namedLane = RegNext(OHToUInt(one))
  private val namedRow = ShiftRegister(currentRow, 2)
  io.readSlot.valid := named
  io.readSlot.bits := namedSlot

  // Verify: the whole key of the entry, or nothing when its place was named. The first that holds
  // is the answer; what was sent behind it is dropped.
  private val verifying = RegNext(named && !verified, false.B)
  private val slot = RegNext(namedSlot)
  private val lane = RegNext(namedLane)
  private val verifyingRow = RegNext(namedRow)
  private val checked = RegNext(verifying && !lifting && !verified, false.B)
  verified := checked && io.holds
  io.asks := asks
  io.lifted.valid := verifying && lifting
  io.lifted.bits := slot
  private val foundSlot = RegNext(slot)
  private val foundLane = RegNext(lane)
  private val foundRow = RegNext(verifyingRow)
  private val inLastRow = Reg(Bool())
  when(!closingRow)(inLastRow := asks.takes && verifyingRow === lastRow)
  private val pipeEmpty = !marked && !named && !verifying

  private val missed = RegInit(false.B)
  missed := false.B
  io.reply.valid := verified || missed
  io.reply.bits.found := verified
  io.reply.bits.slot := foundSlot

  // Close: every entry behind the hole moves down by one, a row a clock.
  private val holeRow = Reg(UInt(rowBits.W))
  private val holeLane = Reg(UInt(laneBits.W))
  private val freedRow = Reg(UInt(rowBits.W))
  private val freedLane = Reg(UInt(laneBits.W))
  private val oldestAtRest = Reg(Bool())
  private val closing = RegNext(closingRow && reading && !starts, false.B)
  private val closes = RegNext(
    Mux(closeStarts, inLastRow, state === State.close && !allRead && nextRow === freedRow),
    false.B
  )

  // An append is folded in one clock and written in the next; it may come with the clock in which
  // a hole begins to be closed, into the place that is left then.
  private val appended = Reg(new FilterLane(p, t))
  private val appendedSlot = RegNext(io.append.bits.slot)
  private val appendedPlace = RegNext(ring.io.free)
  private val enters = RegNext(io.append.valid, false.B)
  private val ignored = io.append.bits.ignore.getOrElse(MatchKey.exact(p))
  appended.endpoint := io.append.bits.endpoint
  appended.filter := FilterFold(p, io.windows, io.append.bits.key, ignored)
  for { to <- appended.id; from <- io.append.bits.id } to := from(to.getWidth - 1, 0)
  memory.write(
    FilterMoves(closing, dataRow, holeRow, holeLane, freedRow, freedLane),
    row,
    slotsRead,
    FilterEntering(enters, rowOf(appendedPlace), laneOf(appendedPlace), appended, appendedSlot)
  )
  ring.io.enters := io.append.valid
  ring.io.leaves := closeStarts
  ring.io.lifts := state === State.extract && lifting && picks

  // Closing writes its last row in its last clock, and the last lane of the row before.
  private val leavesClose = closes && oldestAtRest && !io.request.bits.byPlace
  private val oldestIsWritten = enters && rowOf(appendedPlace) === rowOf(head)
  io.request.ready := (state === State.idle || leavesClose) && !oldestIsWritten
  io.lift.ready := state === State.idle && !io.request.valid
  io.count := ring.io.count
  io.some := ring.io.some
  io.idle := state === State.idle
  io.settled := state === State.idle || (inLastRow && (verified || state === State.close))

  switch(state) {
    is(State.idle) {
      lifting := false.B
      when(io.lift.fire) {
        lifting := true.B
        budget := io.lift.bits
        when(ring.io.some)(state := State.name)
      }
    }
    // Places that are named, a clock or two ahead of the rest: they are no hurry, and it is far.
    is(State.locate) {
      val place = asks.place - t.arrayEntries.U
      asked := (head + place)(placeBits - 1, 0)
      missed := asks.place < t.arrayEntries.U || place >= ring.io.count
      state := State.name
    }
    is(State.name) {
      fresh := Mux(lifting, holding(rowOf(head)), UIntToOH(laneOf(asked), lanes))
      freshRow := Mux(lifting, rowOf(head), rowOf(asked))
      more := false.B
      state := Mux(missed, State.idle, State.extract)
    }
    is(State.sweep) {
      reading := Mux(more, comparing, !allRead)
      readRow := Mux(more, dataRow, nextRow)
      when(!more) {
        nextRow := nextRow + 1.U
        when(nextRow === lastRow)(allRead := true.B)
      }
      when(allRead && !comparing && !pending && pipeEmpty && !verified) {
        missed := true.B
        state := State.idle
      }
    }
    is(State.extract) {
      when(picks)(budget := budget - 1.U)
      when(lifting && pipeEmpty && (!pending || budget === 0.U))(state := State.idle)
    }
    is(State.close) {
      reading := !allRead
      readRow := nextRow
      nextRow := nextRow + 1.U
      when(nextRow === freedRow)(allRead := true.B)
      when(closes)(state := State.idle)
    }
  }
  when(verified)(state := Mux(asks.takes, State.close, State.idle))
  when(closeStarts) {
    holeRow := foundRow
    holeLane := foundLane
    freedRow := lastRow
    freedLane := laneOf(last)
    oldestAtRest := rowOf(head) =/= lastRow && rowOf(head) =/= lastRow - 1.U
    reading := true.B
    readRow := foundRow
    nextRow := foundRow + 1.U
    allRead := inLastRow
  }

  // Start: the oldest row is read at once.
  when(io.request.fire) {
    asks := io.request.bits
    wants.endpoint := io.request.bits.endpoint
    wants.filter := FilterFold(p, io.windows, io.request.bits.key, io.request.bits.ignore)
    for { to <- wants.id; from <- io.request.bits.id } to := from(to.getWidth - 1, 0)
    starts := !io.request.bits.byPlace && ring.io.some
    readRow := rowOf(head)
    reading := starts
    nextRow := rowOf(head) + 1.U
    allRead := rowOf(head) === lastRow
    fresh := 0.U
    more := false.B
    missed := !io.request.bits.byPlace && !ring.io.some
    state := Mux(
      io.request.bits.byPlace,
      State.locate,
      Mux(ring.io.some, State.sweep, State.idle)
    )
  }

  io.activity.pass := comparing && !more
  io.activity.candidate := checked
  io.activity.lift := io.lifted.valid
  io.activity.falsePositive := checked && !io.holds

  assert(
    !io.append.valid || (io.settled && !io.request.fire && !io.lift.fire),
    "R7: appended to memory rows that are at work"
  )
}
