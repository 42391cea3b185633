// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{is, log2Ceil, switch, Pipe, Queue, ShiftRegister}
import tmu.fault.FaultPort
import tmu.matching.endpoints.EndpointTable
import tmu.matching.filter.{EntryCheck, FilterTable}
import tmu.params.{TableParams, TmuParams}
import tmu.rules.OperationRules
import tmu.types.{ArrayOperation, FilterWindows, FoundLane}

/** The younger parts of both queues, and the slots that have to search them.
  *
  * A queue that is longer than its array gets its new entries in memory rows. A slot that may have
  * to search them is parked at the end of its walk, and so are all behind it until the unit is
  * empty again: parked slots are decided one by one, and what was not found in the array is
  * searched in the rows, for the slot behind too, ahead of its turn. Their own entries go to the
  * rows, so that an array only shrinks while slots that have walked it are parked, and every walk
  * is complete. A slot is decided in the clock of its last answer, but for an append that has to
  * wait until its rows are settled.
  *
  * When enough lanes are free the unit is emptied, and the oldest entries of the rows are lifted
  * into the array, one a clock; as soon as a few have room, and not many at once, so that nobody
  * waits long. When somebody waits, a slot is decided between two lifts.
  *
  * Index 0 is the post of a slot, which searches messages; 1 is the arrival, which searches
  * receives.
  */
class Overflow(p: TmuParams) extends Module {
  private val posted = TableParams.posted(p)
  private val unexpected = TableParams.unexpected(p)
  val io = IO(new OverflowPorts(p))

  private object State extends ChiselEnum {
    val idle, search, lift = Value
  }
  private val state = RegInit(State.idle)
  private val messages = Module(new FilterTable(p, unexpected))
  private val receives = Module(new FilterTable(p, posted))
  private val inRows = Seq(messages.io.some, receives.io.some)
  private val longer = inRows.reduce(_ || _)
  private val rowsIdle = messages.io.idle && receives.io.idle
  io.unexpectedInRows := inRows(0)
  io.postedInRows := inRows(1)

  // Whether the array has an answer would be known too late: who may have to search the rows parks.
  // So does who comes right behind the first entry that goes there.
  private val parkGrows = Seq(io.appendUnexpected.valid, io.appendPosted.valid)
  private val parkMode = RegInit(false.B)
  when(Seq.tabulate(2)(s => io.searchesNext(s) && (inRows(s) || parkGrows(s))).reduce(_ || _)) {
    parkMode := true.B
  }.elsewhen(io.drained && !io.entered && state === State.idle && rowsIdle)(parkMode := false.B)
  io.parks := parkMode

  // Windows change only while nothing is filtered by them.
  private val windows = Reg(new FilterWindows(p))
  when(!longer && !parkMode && !parkGrows.reduce(_ || _))(windows := io.windows)
  messages.io.windows := windows
  receives.io.windows := windows

  // Park.
  private val parked = Module(
    new Queue(new SearchedSlot(p), posted.inFlight, useSyncReadMem = true)
  )
  private val parkArrives = io.walked.slot.post.valid || io.walked.slot.arrival.valid
  parked.io.enq.valid := RegNext(parkMode && parkArrives, false.B)
  parked.io.enq.bits := RegNext(io.walked)
  parked.io.enq.bits.postFound := io.walked.postFound
  parked.io.enq.bits.arrivalFound := io.walked.arrivalFound
  // The oldest waits in a register, as from a memory to a decision it is far; so does the one behind
  // it, which is searched ahead.
  private val parkNext = Queue(parked.io.deq, 1, pipe = true)
  private val parkOldest = Queue(parkNext, 1, pipe = true)
  private val parkFirst = parkOldest.bits
  private def ways(slot: SearchedSlot) = Seq(slot.slot.post, slot.slot.arrival)
  private val parkOperations = ways(parkFirst)

  // Search the rows for what the arrays do not have: for the oldest slot, and for the one behind it
  // as soon as that has been asked.
  private def searchMissing(slot: SearchedSlot): Seq[Bool] =
    ways(slot).zip(slot.found).map { case (op, found) =>
      op.valid && op.bits.command.searches && !found
    }
  private def searchAsks(slot: SearchedSlot): Seq[ArrayOperation] = Seq(
    OperationRules.ask(p, unexpected, slot.slot.post),
    OperationRules.ask(p, posted, slot.slot.arrival)
  )
  private val searchWaiting = Reg(Vec(2, Bool()))
  private val searchUnsent = Reg(Vec(2, Bool()))
  private val searchSentAhead = RegInit(VecInit(false.B, false.B))
  private val searchFound = Reg(Vec(2, Bool()))
  private val decideNow = Wire(Bool())
  private val searchStarts = state === State.idle && parkOldest.valid
  private val searchRequests = Seq(messages, receives).zipWithIndex.map { case (table, s) =>
    val turn =
      Mux(state === State.search, searchUnsent(s), searchStarts && searchMissing(parkFirst)(s))
    val behind = searchAsks(parkNext.bits)(s)
    val ahead =
      state === State.search && !searchUnsent(s) && !searchSentAhead(s) && parkNext.valid &&
        searchMissing(parkNext.bits)(s) && !behind.byPlace
    table.io.request.valid := turn || ahead
    table.io.request.bits := Mux(ahead, behind, searchAsks(parkFirst)(s))
    table.io.ahead := ahead
    table.io.commit := decideNow
    table.io.request.fire
  }
  private val searchReplies = Seq(messages.io.reply, receives.io.reply)
  private val searchSlots = Seq(Reg(UInt(unexpected.slotBits.W)), Reg(UInt(posted.slotBits.W)))
  for (s <- 0 to 1) when(searchReplies(s).valid) {
    searchWaiting(s) := false.B
    searchFound(s) := searchReplies(s).bits.found
    searchSlots(s) := searchReplies(s).bits.slot
  }
  private val searchAnswered = Seq.tabulate(2)(s => !searchWaiting(s) || searchReplies(s).valid)
  private val decideFound = Seq.tabulate(2) { s =>
    parkFirst.found(s) || searchFound(s) || (searchReplies(s).valid && searchReplies(s).bits.found)
  }

  // Decide: the answers are there, the endpoints' states have come, and rows take what is appended.
  private val decideAge = RegInit(0.U(log2Ceil(EndpointTable.lead + 1).W))
  private val decideStateKnown = decideAge === EndpointTable.lead.U
  private val decideAppendable = Seq(receives.io.settled, messages.io.settled)
  private val decideAppends = Seq.tabulate(2) { s =>
    parkOperations(s).valid && parkOperations(s).bits.appends && !decideFound(s)
  }
  decideNow := state === State.search && decideStateKnown && searchAnswered.reduce(_ && _) &&
    Seq.tabulate(2)(s => decideAppendable(s) || !decideAppends(s)).reduce(_ && _)
  when(decideNow || !parkOldest.valid)(decideAge := 0.U)
    .elsewhen(!decideStateKnown)(decideAge := decideAge + 1.U)

  // Lift: worth it when some lanes can be filled, or when all that is in the rows can go.
  private val liftTables = Seq(messages -> io.freeUnexpected, receives -> io.freePosted)
  private val liftFills = liftTables.map { case (table, free) =>
    table.io.count >= posted.lift.U && free >= posted.lift.U
  }
  private val liftEmpties = liftTables.map { case (table, free) => free >= table.io.count }
  private val liftServed = RegInit(true.B)
  private val liftWorth =
    RegNext(liftFills.reduce(_ || _) || (longer && liftEmpties.reduce(_ && _)), false.B)
  private val liftDue = liftWorth && (liftServed || !RegNext(io.waiting, false.B))
  private def liftAtMost(free: UInt): UInt = Mux(free > posted.liftMost.U, posted.liftMost.U, free)
  // A slot may enter again while entries are lifted, if it ends its walk after the last of them, and
  // if no other lift has to follow. Nothing changes while the unit is empty, so it is known ahead.
  private val liftMost =
    RegNext(
      liftTables.map { case (_, free) => liftAtMost(free) }.reduce((a, b) => Mux(a > b, a, b))
    )
  private val liftClocks = RegNext(liftMost + Overflow.liftClocks.U)
  private val liftWait = Reg(UInt(posted.countBits.W))
  private val liftEarly = RegInit(false.B)
  // With the rows empty, the unit only has to empty too.
  io.holdsBack := liftDue || liftEarly || (parkMode && !longer)
  io.holdsInspects := liftWorth || state === State.lift
  // Nothing enters when there is something to lift.
  private val liftStarts = state === State.idle && rowsIdle && io.drained && liftDue
  when(decideNow)(liftServed := true.B).elsewhen(liftStarts)(liftServed := false.B)
  messages.io.lift.valid := liftStarts && io.freeUnexpected =/= 0.U && messages.io.some
  messages.io.lift.bits := liftAtMost(io.freeUnexpected)
  receives.io.lift.valid := liftStarts && io.freePosted =/= 0.U && receives.io.some
  receives.io.lift.bits := liftAtMost(io.freePosted)

  /** The turn of a slot, whose requests have been taken already or not. */
  private def begin(slot: SearchedSlot, sent: Seq[Bool]): Unit =
    for (s <- 0 to 1) {
      searchWaiting(s) := searchMissing(slot)(s)
      searchUnsent(s) := searchMissing(slot)(s) && !sent(s)
      searchFound(s) := false.B
    }

  parkOldest.ready := decideNow
  switch(state) {
    is(State.idle) {
      when(liftStarts) {
        state := State.lift
        liftEarly := liftClocks > posted.walk.U
        liftWait := liftClocks - posted.walk.U
      }.elsewhen(searchStarts) {
        begin(parkFirst, searchRequests)
        state := State.search
      }
    }
    is(State.search) {
      for (s <- 0 to 1) when(searchRequests(s)) {
        when(searchUnsent(s))(searchUnsent(s) := false.B).otherwise(searchSentAhead(s) := true.B)
      }
      when(decideNow) {
        begin(
          parkNext.bits,
          searchSentAhead.zip(searchRequests).map { case (before, now) => before || now }
        )
        searchSentAhead.foreach(_ := false.B)
        when(!parkNext.valid)(state := State.idle)
      }
    }
    is(State.lift) {
      liftWait := liftWait - 1.U
      when(liftWait === 1.U)(liftEarly := false.B)
      // The last lifted entry is in its lane three clocks after the rows are at rest.
      when(rowsIdle && ShiftRegister(rowsIdle, 1) && ShiftRegister(rowsIdle, 2)) {
        state := State.idle
        liftEarly := false.B
      }
    }
  }

  io.first := parkFirst.slot
  io.parked := parkFirst
  io.parked.slot.post.valid := decideNow && parkOperations(0).valid
  io.parked.slot.arrival.valid := decideNow && parkOperations(1).valid
  io.parked.found := decideFound
  io.inArray := parkFirst.found
  private val decideSlots =
    Seq.tabulate(2)(s => Mux(searchReplies(s).valid, searchReplies(s).bits.slot, searchSlots(s)))
  private def foundLane(found: Bool, lane: FoundLane, slot: UInt): FoundLane = {
    val at = WireDefault(lane)
    when(!found)(at.slot := slot)
    RegNext(at)
  }
  io.parked.postFound := foundLane(parkFirst.found(0), parkFirst.postFound, decideSlots(0))
  io.parked.arrivalFound := foundLane(parkFirst.found(1), parkFirst.arrivalFound, decideSlots(1))

  messages.io.append := io.appendUnexpected
  receives.io.append := io.appendPosted
  io.readUnexpected := messages.io.readSlot
  io.readPosted := receives.io.readSlot
  private val messageRead = EntryCheck(p, unexpected, messages, io.entryUnexpected)
  private val receiveRead = EntryCheck(p, posted, receives, io.entryPosted)
  // Straight from the stores' memories; the arrays compare it in the clock in which they get it.
  io.liftUnexpected := Pipe(messages.io.lifted.valid, messageRead)
  io.liftPosted := Pipe(receives.io.lifted.valid, receiveRead)
  FaultPort.join(io.fault, Seq(messages.io.fault, receives.io.fault))
  io.activity := VecInit(messages.io.activity, receives.io.activity)

  assert(!(liftStarts && io.entered), "R7: a slot enters while entries are lifted")
  assert(!parked.io.enq.valid || parked.io.enq.ready, "R11: no room to park a slot")
  assert(
    !(state === State.lift && (parkOldest.valid || parkArrives)),
    "R7: entries lifted while a slot is at the end of its walk"
  )
}

object Overflow {

  /** Clocks of a lift beside one for each entry: from its start until a slot may be at its end. */
  val liftClocks: Int = 8
}
