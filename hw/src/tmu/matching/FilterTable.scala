// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{
  is,
  log2Ceil,
  switch,
  Decoupled,
  Mux1H,
  OHToUInt,
  ShiftRegister,
  UIntToOH,
  Valid
}
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
  val io = IO(new Bundle {
    val windows = Input(new FilterWindows(p))
    val request = Flipped(Decoupled(new ArrayOperation(p, t)))
    val reply = Valid(new FilterReply(t))
    val append = Flipped(Valid(new LaneEntry(p, t)))

    /** Asks for up to `lift` of the oldest entries to leave, for the array. */
    val lift = Flipped(Decoupled(UInt(t.countBits.W)))

    /** One entry that was read: to be verified, or to leave. */
    val readSlot = Valid(UInt(t.slotBits.W))
    val entry = Input(new Entry(p, t))
    val lifted = Valid(new LaneEntry(p, t))
    val count = Output(UInt(t.countBits.W))
    val idle = Output(Bool())
    val settled = Output(Bool())
    val activity = Output(new FilterActivity)
  })

  private object State extends ChiselEnum {
    val idle, sweep, extract, close = Value
  }
  private val state = RegInit(State.idle)
  private val head = RegInit(0.U(placeBits.W))
  private val count = RegInit(0.U(t.countBits.W))
  private val asks = Reg(new ArrayOperation(p, t))
  private val wants = Reg(new FilterLane(p, t))
  private val lifting = Reg(Bool())
  private val budget = Reg(UInt(t.countBits.W))

  private def rowOf(place: UInt): UInt = place(placeBits - 1, laneBits)
  private def laneOf(place: UInt): UInt = place(laneBits - 1, 0)
  private val tail = (head +& count)(placeBits - 1, 0)
  private val lastRow = rowOf(tail - 1.U)

  /** Lanes of a row that hold entries: a ring never comes round into its own first row. */
  private def holding(row: UInt): UInt = {
    val fromHead = VecInit.tabulate(lanes)(i => i.U >= laneOf(head)).asUInt
    val toTail = VecInit.tabulate(lanes)(i => i.U <= laneOf(tail - 1.U)).asUInt
    val all = ~0.U(lanes.W)
    Mux(count === 0.U, 0.U, Mux(row === rowOf(head), fromHead, all)) &
      Mux(row === lastRow, toTail, all)
  }

  // Ids and slots lie in memories of their own: while ids of a row are compared, the slots of an
  // earlier one are read.
  private val ids =
    Seq.tabulate(lanes)(i => SyncReadMem(t.filterRows, new FilterLane(p, t)).suggestName(s"lane$i"))
  private val slots =
    Seq.tabulate(lanes)(i => SyncReadMem(t.filterRows, UInt(t.slotBits.W)).suggestName(s"slot$i"))
  private val readRow = WireDefault(rowOf(head))
  private val reading = WireDefault(false.B)
  private val row = ids.map(_.read(readRow, reading))
  private val dataRow = RegNext(readRow)

  // Sweep: read, compare, send the hits of the row before. A row that has to wait is read again.
  private val nextRow = Reg(UInt((placeBits - laneBits).W))
  private val allRead = Reg(Bool())
  private val starts = WireDefault(false.B)
  private val comparing = RegNext(starts || (state === State.sweep && reading), false.B)
  private val byId = asks.byId.getOrElse(false.B)
  private def mayHit(lane: FilterLane): Bool = {
    val named = for { have <- lane.id; want <- wants.id } yield have === want
    lane.endpoint === wants.endpoint &&
    Mux(byId, named.getOrElse(false.B), FilterFold.mayMatch(lane.filter, wants.filter))
  }
  private val hits = VecInit(row.map(mayHit)).asUInt & holding(dataRow)

  // Send: the hits of one row in age order, one a clock; slot and lane two clocks later.
  private val left = Reg(UInt(lanes.W))
  private val atRow = Reg(UInt((placeBits - laneBits).W))
  private val stop = WireDefault(false.B)
  private val sends = state === State.sweep || state === State.extract
  private val picks = sends && left.orR && !stop && (!lifting || budget =/= 0.U)
  private val oldest = OldestFirst.first(left)
  private val waits = OldestFirst.atLeastTwo(left)
  private val slotRow = Mux(state === State.close, readRow, atRow)
  private val slotsRead = slots.map(_.read(slotRow, reading || picks))
  private val one = Reg(UInt(lanes.W))
  one := oldest
  private val marked = RegNext(picks, false.B)
  private val named = RegNext(marked && !stop, false.B)
  private val namedSlot = RegNext(Mux1H(one.asBools, slotsRead))
  private val namedLane = RegNext(OHToUInt(one))
  private val namedRow = ShiftRegister(atRow, 2)
  io.readSlot.valid := named
  io.readSlot.bits := namedSlot

  // Verify: the whole key of the entry, or nothing when its place was named.
  private val verifying = RegNext(named && !stop, false.B)
  private val slot = RegNext(namedSlot)
  private val lane = RegNext(namedLane)
  private val verifiedRow = RegNext(namedRow)
  private val whole = Wire(new LaneEntry(p, t))
  whole.endpoint := io.entry.endpoint
  whole.key := io.entry.key
  for { to <- whole.ignore; from <- io.entry.ignore } to := from
  for { to <- whole.id; from <- io.entry.id } to := from
  whole.slot := slot
  private val holds = asks.byPlace || ArrayOperation.hits(p, t, asks, whole)
  private val verified = verifying && !lifting && holds
  stop := verified
  io.lifted.valid := verifying && lifting
  io.lifted.bits := whole
  private val pipeEmpty = !marked && !named && !verifying

  // Close: from the hole on, each lane takes its right neighbour; the last lane of a row takes the
  // first lane of the next row, one clock later, when that row has been read. The place that the
  // youngest entry leaves is not written: an append may come in there.
  private val holeRow = Reg(UInt((placeBits - laneBits).W))
  private val holeLane = Reg(UInt(laneBits.W))
  private val freedRow = Reg(UInt((placeBits - laneBits).W))
  private val freedLane = Reg(UInt(laneBits.W))
  private val closing = RegNext(state === State.close && reading && !starts, false.B)
  private val closes = closing && dataRow === freedRow

  // An append is folded in one clock and written in the next.
  private val appended = Reg(new FilterLane(p, t))
  private val appendedSlot = RegNext(io.append.bits.slot)
  private val appendedPlace = RegNext(tail)
  private val enters = RegNext(io.append.valid, false.B)
  private val ignored = io.append.bits.ignore.getOrElse(MatchKey.exact(p))
  appended.endpoint := io.append.bits.endpoint
  appended.filter := FilterFold(p, io.windows, io.append.bits.key, ignored)
  for { to <- appended.id; from <- io.append.bits.id } to := from(to.getWidth - 1, 0)
  for (i <- 0 until lanes) {
    val isLast = i == lanes - 1
    val moves =
      if (isLast) closing && dataRow =/= holeRow
      else
        closing && (dataRow =/= holeRow || i.U >= holeLane) &&
        (dataRow =/= freedRow || i.U < freedLane)
    val to = if (isLast) dataRow - 1.U else dataRow
    when(moves || (enters && laneOf(appendedPlace) === i.U)) {
      val next = (i + 1) % lanes
      val place = Mux(moves, to, rowOf(appendedPlace))
      ids(i).write(place, Mux(moves, row(next), appended))
      slots(i).write(place, Mux(moves, slotsRead(next), appendedSlot))
    }
  }

  // Closing writes its last row in its last clock, and the last lane of the row before.
  private val oldestAtRest = rowOf(head) =/= freedRow && rowOf(head) =/= freedRow - 1.U
  private val leavesClose = closes && oldestAtRest && !io.request.bits.byPlace
  private val oldestIsWritten = enters && rowOf(appendedPlace) === rowOf(head)
  io.request.ready := (state === State.idle || leavesClose) && !oldestIsWritten
  io.lift.ready := state === State.idle && !io.request.valid
  io.count := count
  io.idle := state === State.idle
  // Known ahead of the clock in which closing starts.
  private val closesOneRow = Reg(Bool())
  when(state =/= State.close)(closesOneRow := verifiedRow === lastRow)
  io.settled := state === State.idle || (state === State.close && closesOneRow)
  private val reply = RegInit(0.U.asTypeOf(io.reply))
  reply.valid := false.B
  io.reply := reply
  private def answer(found: Bool): Unit = {
    reply.valid := true.B
    reply.bits.found := found
    reply.bits.slot := slot
  }
  private def close(): Unit = {
    answer(true.B)
    holeRow := verifiedRow
    holeLane := lane
    freedRow := lastRow
    freedLane := laneOf(tail - 1.U)
    nextRow := verifiedRow
    allRead := false.B
    when(asks.takes)(count := count - 1.U)
    state := Mux(asks.takes, State.close, State.idle)
  }
  when(io.append.valid)(count := count + 1.U)

  switch(state) {
    is(State.idle) {
      lifting := false.B
      when(io.lift.fire) {
        lifting := true.B
        budget := io.lift.bits
        atRow := rowOf(head)
        left := holding(rowOf(head))
        when(count =/= 0.U)(state := State.extract)
      }
    }
    is(State.sweep) {
      when(waits) {
        left := left & ~oldest
        readRow := dataRow
        reading := comparing
      }.otherwise {
        left := Mux(comparing, hits, 0.U)
        atRow := dataRow
        readRow := nextRow
        reading := !allRead
        nextRow := nextRow + 1.U
        when(nextRow === lastRow)(allRead := true.B)
      }
      when(verified)(close())
        .elsewhen(allRead && !comparing && !left.orR && pipeEmpty) {
          answer(false.B)
          state := State.idle
        }
    }
    is(State.extract) {
      when(picks) {
        left := left & ~oldest
        budget := budget - 1.U
        when(lifting) {
          head := head + 1.U
          count := count - 1.U
        }
      }
      when(verified)(close())
        .elsewhen(lifting && pipeEmpty && (!left.orR || budget === 0.U))(state := State.idle)
    }
    is(State.close) {
      reading := !allRead
      readRow := nextRow
      nextRow := nextRow + 1.U
      when(nextRow === freedRow)(allRead := true.B)
      when(closes)(state := State.idle)
    }
  }

  // Start: the oldest row is read at once.
  when(io.request.fire) {
    val place = io.request.bits.place - t.arrayEntries.U
    val inside = io.request.bits.place >= t.arrayEntries.U && place < count
    asks := io.request.bits
    lifting := false.B
    wants.endpoint := io.request.bits.endpoint
    wants.filter := FilterFold(p, io.windows, io.request.bits.key, io.request.bits.ignore)
    for { to <- wants.id; from <- io.request.bits.id } to := from(to.getWidth - 1, 0)
    starts := !io.request.bits.byPlace && count =/= 0.U
    readRow := rowOf(head)
    reading := starts
    nextRow := rowOf(head) + 1.U
    allRead := rowOf(head) === lastRow
    left := 0.U
    when(io.request.bits.byPlace) {
      atRow := rowOf(head + place)
      left := UIntToOH(laneOf(head + place), lanes)
      when(inside)(state := State.extract).otherwise(answer(false.B))
    }.elsewhen(count === 0.U)(answer(false.B)).otherwise(state := State.sweep)
  }

  io.activity.pass := comparing && !waits
  io.activity.candidate := verifying && !lifting
  io.activity.lift := io.lifted.valid
  io.activity.falsePositive := verifying && !lifting && !holds

  assert(
    !io.append.valid || (io.settled && !io.request.fire && !io.lift.fire),
    "R7: appended to memory rows that are at work"
  )
  assert(
    !io.append.valid || count =/= t.filterEntries.U,
    "R11: append to %d full memory rows",
    t.filterRows.U
  )
}
