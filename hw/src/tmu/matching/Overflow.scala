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
  private val grows = Seq(io.appendUnexpected.valid, io.appendPosted.valid)
  private val parks = RegInit(false.B)
  when(Seq.tabulate(2)(s => io.searchesNext(s) && (inRows(s) || grows(s))).reduce(_ || _)) {
    parks := true.B
  }.elsewhen(io.drained && !io.entered && state === State.idle && rowsIdle)(parks := false.B)
  io.parks := parks

  // Windows change only while nothing is filtered by them.
  private val windows = Reg(new FilterWindows(p))
  when(!longer && !parks && !grows.reduce(_ || _))(windows := io.windows)
  messages.io.windows := windows
  receives.io.windows := windows

  // Park.
  private val parked = Module(
    new Queue(new SearchedSlot(p), posted.inFlight, useSyncReadMem = true)
  )
  private val arrives = io.walked.slot.post.valid || io.walked.slot.arrival.valid
  parked.io.enq.valid := RegNext(parks && arrives, false.B)
  parked.io.enq.bits := RegNext(io.walked)
  parked.io.enq.bits.postFound := io.walked.postFound
  parked.io.enq.bits.arrivalFound := io.walked.arrivalFound
  // The oldest waits in a register, as from a memory to a decision it is far; so does the one behind
  // it, which is searched ahead.
  private val next = Queue(parked.io.deq, 1, pipe = true)
  private val oldest = Queue(next, 1, pipe = true)
  private val first = oldest.bits
  private def ways(slot: SearchedSlot) = Seq(slot.slot.post, slot.slot.arrival)
  private val both = ways(first)

  // Search the rows for what the arrays do not have: for the oldest slot, and for the one behind it
  // as soon as that has been asked.
  private def missing(slot: SearchedSlot): Seq[Bool] =
    ways(slot).zip(slot.found).map { case (op, found) =>
      op.valid && op.bits.command.searches && !found
    }
  private def asks(slot: SearchedSlot): Seq[ArrayOperation] = Seq(
    OperationRules.ask(p, unexpected, slot.slot.post),
    OperationRules.ask(p, posted, slot.slot.arrival)
  )
  private val waiting = Reg(Vec(2, Bool()))
  private val unsent = Reg(Vec(2, Bool()))
  private val sentAhead = RegInit(VecInit(false.B, false.B))
  private val found = Reg(Vec(2, Bool()))
  private val decides = Wire(Bool())
  private val starts = state === State.idle && oldest.valid
  private val requests = Seq(messages, receives).zipWithIndex.map { case (table, s) =>
    val turn = Mux(state === State.search, unsent(s), starts && missing(first)(s))
    val behind = asks(next.bits)(s)
    val ahead = state === State.search && !unsent(s) && !sentAhead(s) && next.valid &&
      missing(next.bits)(s) && !behind.byPlace
    table.io.request.valid := turn || ahead
    table.io.request.bits := Mux(ahead, behind, asks(first)(s))
    table.io.ahead := ahead
    table.io.commit := decides
    table.io.request.fire
  }
  private val replies = Seq(messages.io.reply, receives.io.reply)
  private val slots = Seq(Reg(UInt(unexpected.slotBits.W)), Reg(UInt(posted.slotBits.W)))
  for (s <- 0 to 1) when(replies(s).valid) {
    waiting(s) := false.B
    found(s) := replies(s).bits.found
    slots(s) := replies(s).bits.slot
  }
  private val answered = Seq.tabulate(2)(s => !waiting(s) || replies(s).valid)
  private val foundAnywhere = Seq.tabulate(2) { s =>
    first.found(s) || found(s) || (replies(s).valid && replies(s).bits.found)
  }

  // Decide: the answers are there, the endpoints' states have come, and rows take what is appended.
  private val age = RegInit(0.U(log2Ceil(EndpointTable.lead + 1).W))
  private val stateKnown = age === EndpointTable.lead.U
  private val appendable = Seq(receives.io.settled, messages.io.settled)
  private val appends = Seq.tabulate(2) { s =>
    both(s).valid && both(s).bits.appends && !foundAnywhere(s)
  }
  decides := state === State.search && stateKnown && answered.reduce(_ && _) &&
    Seq.tabulate(2)(s => appendable(s) || !appends(s)).reduce(_ && _)
  when(decides || !oldest.valid)(age := 0.U)
    .elsewhen(!stateKnown)(age := age + 1.U)

  // Lift: worth it when some lanes can be filled, or when all that is in the rows can go.
  private val tables = Seq(messages -> io.freeUnexpected, receives -> io.freePosted)
  private val filled = tables.map { case (table, free) =>
    table.io.count >= posted.lift.U && free >= posted.lift.U
  }
  private val emptied = tables.map { case (table, free) => free >= table.io.count }
  private val served = RegInit(true.B)
  private val worth = RegNext(filled.reduce(_ || _) || (longer && emptied.reduce(_ && _)), false.B)
  private val lifts = worth && (served || !RegNext(io.waiting, false.B))
  private def atMost(free: UInt): UInt = Mux(free > posted.liftMost.U, posted.liftMost.U, free)
  // A slot may enter again while entries are lifted, if it ends its walk after the last of them, and
  // if no other lift has to follow. Nothing changes while the unit is empty, so it is known ahead.
  private val mostLifted =
    RegNext(tables.map { case (_, free) => atMost(free) }.reduce((a, b) => Mux(a > b, a, b)))
  private val endsLift = RegNext(mostLifted + Overflow.liftClocks.U)
  private val liftWait = Reg(UInt(posted.countBits.W))
  private val early = RegInit(false.B)
  // With the rows empty, the unit only has to empty too.
  io.holdsBack := lifts || early || (parks && !longer)
  io.holdsInspects := worth || state === State.lift
  // Nothing enters when there is something to lift.
  private val canLift = state === State.idle && rowsIdle && io.drained && lifts
  when(decides)(served := true.B).elsewhen(canLift)(served := false.B)
  messages.io.lift.valid := canLift && io.freeUnexpected =/= 0.U && messages.io.some
  messages.io.lift.bits := atMost(io.freeUnexpected)
  receives.io.lift.valid := canLift && io.freePosted =/= 0.U && receives.io.some
  receives.io.lift.bits := atMost(io.freePosted)

  /** The turn of a slot, whose requests have been taken already or not. */
  private def begin(slot: SearchedSlot, sent: Seq[Bool]): Unit =
    for (s <- 0 to 1) {
      waiting(s) := missing(slot)(s)
      unsent(s) := missing(slot)(s) && !sent(s)
      found(s) := false.B
    }

  oldest.ready := decides
  switch(state) {
    is(State.idle) {
      when(canLift) {
        state := State.lift
        early := endsLift > posted.walk.U
        liftWait := endsLift - posted.walk.U
      }.elsewhen(starts) {
        begin(first, requests)
        state := State.search
      }
    }
    is(State.search) {
      for (s <- 0 to 1) when(requests(s)) {
        when(unsent(s))(unsent(s) := false.B).otherwise(sentAhead(s) := true.B)
      }
      when(decides) {
        begin(next.bits, sentAhead.zip(requests).map { case (before, now) => before || now })
        sentAhead.foreach(_ := false.B)
        when(!next.valid)(state := State.idle)
      }
    }
    is(State.lift) {
      liftWait := liftWait - 1.U
      when(liftWait === 1.U)(early := false.B)
      // The last lifted entry is in its lane three clocks after the rows are at rest.
      when(rowsIdle && ShiftRegister(rowsIdle, 1) && ShiftRegister(rowsIdle, 2)) {
        state := State.idle
        early := false.B
      }
    }
  }

  io.first := first.slot
  io.parked := first
  io.parked.slot.post.valid := decides && both(0).valid
  io.parked.slot.arrival.valid := decides && both(1).valid
  io.parked.found := foundAnywhere
  io.inArray := first.found
  private val lies = Seq.tabulate(2)(s => Mux(replies(s).valid, replies(s).bits.slot, slots(s)))
  private def place(found: Bool, lane: FoundLane, slot: UInt): FoundLane = {
    val place = WireDefault(lane)
    when(!found)(place.slot := slot)
    RegNext(place)
  }
  io.parked.postFound := place(first.found(0), first.postFound, lies(0))
  io.parked.arrivalFound := place(first.found(1), first.arrivalFound, lies(1))

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

  assert(!(canLift && io.entered), "R7: a slot enters while entries are lifted")
  assert(!parked.io.enq.valid || parked.io.enq.ready, "R11: no room to park a slot")
  assert(
    !(state === State.lift && (oldest.valid || arrives)),
    "R7: entries lifted while a slot is at the end of its walk"
  )
}

object Overflow {

  /** Clocks of a lift beside one for each entry: from its start until a slot may be at its end. */
  val liftClocks: Int = 8
}
