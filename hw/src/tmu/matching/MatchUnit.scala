// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{ShiftRegister, Valid}
import tmu.buffer.UpDown
import tmu.fault.{FaultPort, FaultRaise}
import tmu.layout.Opcodes
import tmu.matching.array.{EntryCount, EntryStore, MatchArray}
import tmu.matching.endpoints.{EndpointRequests, EndpointTable, SpillMarks, TableRooms}
import tmu.params.{TableParams, TmuParams}
import tmu.rules.{CommandCheck, Decision, MatchRules, OperationRules, Outcome, Resolve, Rooms}
import tmu.types.{ArrayOperation, LaneEntry, Operation, SpillPorts}

/** The two queues and the rule that connects them: two operations a clock, two verdicts a clock.
  *
  * Each clock takes a slot: at most one operation that searches messages (`post`) and one that
  * searches receives (`arrival`). Both arrays work on the same slot in step, so that both
  * operations are at their ends in the same clock; there they are decided in the order of the law,
  * the post first (R5, R6, R7), and what was not found is appended to the other array. Slots never
  * wait on their way: one is let in only when there is room for its answers.
  *
  * Clocks of a slot, R rows: 0 accepted; R + 2 decided (its endpoints are asked for 4 clocks
  * before); R + 3 bodies read and written; R + 4 verdicts; offered from R + 6 on.
  *
  * A flush, and a change of an endpoint, has the unit to itself.
  */
class MatchUnit(p: TmuParams) extends Module {
  private val postedTable = TableParams.posted(p)
  private val unexpectedTable = TableParams.unexpected(p)

  val io = IO(new MatchUnitPorts(p))

  private val walk = postedTable.walk
  private val posted = Module(new MatchArray(p, postedTable))
  private val unexpected = Module(new MatchArray(p, unexpectedTable))
  private val postedStore = Module(new EntryStore(p, postedTable))
  private val unexpectedStore = Module(new EntryStore(p, unexpectedTable))
  private val endpoints = Module(new EndpointTable(p))
  private val flush = Module(new FlushSequencer(p))
  private val now = RegInit(0.U(32.W))
  now := now + 1.U
  io.spill.now := now

  // Accept: as many slots as there is room for answers.
  private val answers = Module(new Answers(p))
  private val drained = answers.io.drained
  private val marks = Module(new SpillMarks(p))

  private val ways = Seq(io.post, io.arrival)
  private val canIssue = endpoints.io.ready && answers.io.room
  private val requests = Module(new EndpointRequests(p))
  private val (requested, configuring) = (requests.io.requested, requests.io.configuring)
  private val flushNext = io.post.valid && io.post.bits.flushes
  CommandCheck.checkFlush(p, io.post)
  ways.foreach(CommandCheck.checkEarly(p, _))
  private val overflow = Option.when(p.hasFilter)(Module(new Overflow(p)))
  private val holdsBack = overflow.fold(false.B)(_.io.holdsBack)
  private val inspects =
    ways.map(w => w.valid && MatchRules.is(w.bits.opcode, Opcodes.inspect)).reduce(_ || _)
  private val lent = SpillPorts.lent(io.spill, drained)
  private val opensAlone = endpoints.io.ready && !requested && !configuring && !holdsBack &&
    (!io.spill.lent || lent) &&
    !overflow.fold(false.B)(o => inspects && o.io.holdsInspects)
  private val opens = canIssue && opensAlone && !flush.io.busy && !flushNext
  // While memory is lent, one command a slot, so that one is deferred at most.
  io.post.ready := Mux(flushNext, flush.io.start.ready && opensAlone, opens)
  io.arrival.ready := opens && !(io.spill.lent && io.post.valid)
  flush.io.start.valid := flushNext && opensAlone
  flush.io.start.bits := io.post.bits
  flush.io.now := now
  flush.io.canIssue := canIssue
  flush.io.drained := drained

  private val accepted = OperationRules.slot(p, io.post, !flushNext, io.arrival, now)
  private val slot = Mux(flush.io.busy, flush.io.slot, accepted)
  private val enters = slot.post.valid || slot.arrival.valid
  unexpected.io.ask := OperationRules.ask(p, unexpectedTable, slot.post)
  posted.io.ask := OperationRules.ask(p, postedTable, slot.arrival)

  // One clock before the end of the walk the operations come back.
  private val delay = Module(new SlotDelay(p, walk - 1))
  delay.io.in := slot
  private val near = delay.io.out

  private val walked = Wire(new ParkedSlot(p))
  walked.slot.post := Operation.later(p, near.post)
  walked.slot.arrival := Operation.later(p, near.arrival)
  walked.found := VecInit(unexpected.io.found, posted.io.found)
  walked.faults := VecInit(unexpected.io.suspect, posted.io.suspect)
  walked.postFound := unexpected.io.lane
  walked.arrivalFound := posted.io.lane

  // The arrival of a slot may match the post that is appended at the same time. Both are there from
  // the start, and what comes of it is a bit.
  private val asking = RegNext(OperationRules.ask(p, postedTable, slot.arrival))
  private val posting = RegNext(OperationRules.lane(p, postedTable, slot.post.bits, 0.U))
  walked.pairs := ShiftRegister(ArrayOperation.hits(p, postedTable, asking, posting), walk - 1)

  // The slot to decide: the one that has walked, or a parked one while a queue is long.
  private val parks = overflow.fold(false.B)(_.io.parks)
  private val parked = RegNext(parks)
  private def choose[T <: Data](late: Overflow => T, direct: T, parks: Bool = parks): T =
    overflow.fold(direct)(o => Mux(parks, late(o), direct))
  overflow.foreach { o =>
    o.io.arrived := walked
    o.io.searchesNext := near.searches
    o.io.windows := io.windows
  }
  private val decided = choose(_.io.decide, walked.slot)
  private val (post, arrival) = (decided.post, decided.arrival)
  private val inArray = choose(_.io.inArray, walked.found)

  // Endpoints go ahead of their slots, to be there when these are decided.
  private val early = walk - EndpointTable.lead
  private val ahead =
    Seq(slot.post, slot.arrival).map(op => ShiftRegister(Operation.endpoint(p, op.bits), early))
  private val readFor = Seq(
    choose(o => Operation.endpoint(p, o.io.first.post.bits), ahead(0)),
    choose(o => Operation.endpoint(p, o.io.first.arrival.bits), ahead(1))
  )
  marks.io.read := endpoints.io.read
  // Nothing enters while a request waits, but for a flush.
  private val asked = requested && drained && !flush.io.busy
  for (s <- 0 to 1) endpoints.io.read(s) := Mux(asked, io.endpoint.bits.endpoint, readFor(s))

  // Decide. Answers for a parked slot come late; what goes to the arrays is known without them.
  private val postedEntries = Module(new EntryCount(p.postedEntries))
  private val unexpectedEntries = Module(new EntryCount(p.unexpectedEntries))
  private val tables = Module(new TableRooms(p))
  private val rooms = Wire(new Rooms)
  tables.io.counts := VecInit(postedEntries.io.count, unexpectedEntries.io.count)
  tables.io.below := VecInit(postedEntries.io.below, unexpectedEntries.io.below)
  rooms.spill := marks.io.views
  rooms.post := endpoints.io.room(0) && tables.io.spare(0)
  rooms.arrival := endpoints.io.room(1) && tables.io.spare(1)
  rooms.afterTake := endpoints.io.roomAfterTake && tables.io.afterTake
  rooms.afterOther := endpoints.io.room(1) && tables.io.afterOther
  private val direct = Decision(p, walked.slot, walked.found, walked.pairs, rooms)
  private val decision =
    choose(o => Decision(p, o.io.decide, o.io.found, o.io.pairs, rooms), direct)
  private val (postOutcome, arrivalOutcome) = (decision.post, decision.arrival)
  private val takesPost = decision.takesPost
  assert(!takesPost || postOutcome.appends, "R7: an arrival took a post that was not queued")
  marks.io.deciding := decided
  marks.io.spare := tables.io.spare
  marks.io.allowed := endpoints.io.room
  marks.io.lent := io.spill.lent && lent
  marks.io.outcomes := VecInit(postOutcome, arrivalOutcome)
  tables.io.outcomes := marks.io.outcomes
  tables.io.reserves := endpoints.io.reserves
  tables.io.same := Operation.endpoint(p, post.bits) === Operation.endpoint(p, arrival.bits)
  unexpectedEntries.io.comes := arrivalOutcome.appends
  unexpectedEntries.io.goes := postOutcome.takes
  endpoints.io.there := VecInit(post.valid, arrival.valid)
  endpoints.io.step(0) := Resolve.step(p, post, postOutcome)
  endpoints.io.step(1) := Resolve.step(p, arrival, arrivalOutcome)

  // Append. Without memory rows all go to the array: what has room has a lane. With them, an entry
  // goes to the rows once older ones lie there. A lane that the slot itself frees is free.
  private val postedAppends = postOutcome.appends && !takesPost
  private val unexpectedAppends = arrivalOutcome.appends
  postedEntries.io.comes := postedAppends
  postedEntries.io.goes := decision.takesQueued
  private val postedFree = RegInit(p.arrayEntries.U(p.depthBits.W))
  private val unexpectedFree = RegInit(p.arrayEntries.U(p.depthBits.W))
  private val postedLane =
    OperationRules.lane(p, postedTable, post.bits, postedStore.io.allocate.bits)
  private val unexpectedLane =
    OperationRules.lane(p, unexpectedTable, arrival.bits, unexpectedStore.io.allocate.bits)
  postedStore.io.allocate.ready := postedAppends
  unexpectedStore.io.allocate.ready := unexpectedAppends
  private val postedLeaves = arrivalOutcome.takes && inArray(1)
  private val unexpectedLeaves = postOutcome.takes && inArray(0)
  private def fits(free: UInt, leaves: Outcome, inRows: Overflow => Bool): Bool =
    overflow.fold(true.B)(o => !parks && !inRows(o) && (free =/= 0.U || leaves.takes))
  private val toPosted =
    direct.post.appends && !direct.takesPost && fits(postedFree, direct.arrival, _.io.postedInRows)
  private val toUnexpected =
    direct.arrival.appends && fits(unexpectedFree, direct.post, _.io.unexpectedInRows)
  private def appends(decided: Bool, lane: LaneEntry, lift: Overflow => Valid[LaneEntry]) = {
    val append = Wire(Valid(chiselTypeOf(lane)))
    append.valid := decided || overflow.fold(false.B)(lift(_).valid)
    append.bits := overflow.fold(lane)(o => Mux(lift(o).valid, lift(o).bits, lane))
    append
  }
  posted.io.append := appends(toPosted, postedLane, _.io.liftPosted)
  unexpected.io.append := appends(toUnexpected, unexpectedLane, _.io.liftUnexpected)
  postedFree := UpDown.next(postedFree, postedLeaves, posted.io.append.valid)
  unexpectedFree := UpDown.next(unexpectedFree, unexpectedLeaves, unexpected.io.append.valid)
  overflow.foreach { o =>
    o.io.appendPosted.valid := postedAppends && !toPosted
    o.io.appendPosted.bits := postedLane
    o.io.appendUnexpected.valid := unexpectedAppends && !toUnexpected
    o.io.appendUnexpected.bits := unexpectedLane
    o.io.freePosted := postedFree
    o.io.freeUnexpected := unexpectedFree
    o.io.waiting := ways.map(_.valid).reduce(_ || _) && !inspects
    o.io.drained := drained && !flush.io.busy && !configuring
    o.io.entered := enters
    o.io.entryPosted := postedStore.io.read
    o.io.entryUnexpected := unexpectedStore.io.read
  }

  private val sweep = Mux(post.valid, post.bits.sweeps, arrival.valid && arrival.bits.sweeps)
  flush.io.removed := sweep && (postOutcome.found || arrivalOutcome.found)
  flush.io.missed := sweep && !(postOutcome.found || arrivalOutcome.found)

  // Bodies, and the endpoints whose stored words have lost a bit.
  private val raises = Seq.fill(2)(Module(new FaultRaise(p)))
  for ((raise, s) <- raises.zipWithIndex) {
    raise.io.op := Seq(post, arrival)(s)
    raise.io.lane := choose(_.io.faults, walked.faults)(s)
    raise.io.state := endpoints.io.broken(s) || marks.io.broken(s)
  }
  StorePort(
    p,
    unexpectedTable,
    unexpectedStore,
    arrival.bits,
    postOutcome,
    false.B,
    postOutcome.takes,
    choose(_.io.postFound, unexpected.io.lane, parked),
    overflow.map(_.io.readUnexpected),
    raises(0)
  )
  StorePort(
    p,
    postedTable,
    postedStore,
    post.bits,
    arrivalOutcome,
    takesPost,
    decision.takesQueued,
    choose(_.io.arrivalFound, posted.io.lane, parked),
    overflow.map(_.io.readPosted),
    raises(1)
  )
  io.raised := VecInit(raises.flatMap(_.io.raised))
  io.everyone := raises.map(_.io.everyone).reduce(_ || _)
  private val arrays = Seq(posted.io.fault, unexpected.io.fault) ++ overflow.map(_.io.fault)
  private val stores = Seq(postedStore.io.fault, unexpectedStore.io.fault)
  FaultPort.join(io.fault, arrays ++ stores :+ endpoints.io.fault :+ marks.io.fault)

  answers.io.now := now
  answers.io.entered := enters
  answers.io.slow := parks || overflow.fold(false.B) { o =>
    (io.post.valid && o.io.unexpectedInRows) || (io.arrival.valid && o.io.postedInRows)
  }
  answers.io.decided := decided
  answers.io.outcomes := VecInit(postOutcome, arrivalOutcome)
  answers.io.takesPost := takesPost
  answers.io.serials := endpoints.io.serial
  answers.io.allowances := endpoints.io.allowance
  io.spill.deferred := answers.io.deferred
  io.spill.injected := answers.io.injected
  io.spill.counts := tables.io.taken
  answers.io.message := unexpectedStore.io.read.entry
  answers.io.receive := postedStore.io.read.entry
  answers.io.removed := flush.io.counts
  io.verdicts <> answers.io.verdicts

  requests.io.request <> io.endpoint
  requests.io.quiet := drained && endpoints.io.ready && !flush.io.busy && !holdsBack
  requests.io.depths := endpoints.io.depth
  endpoints.io.setQuota := requests.io.setQuota
  io.endpointState := requests.io.state
  io.ready := endpoints.io.ready && marks.io.ready
  io.idle := drained && !flush.io.busy && !configuring
  io.activity.busy := !io.idle
  io.activity.filters := overflow.fold(0.U.asTypeOf(io.activity.filters))(_.io.activity)
  io.activity.long := overflow.fold(false.B)(o => o.io.postedInRows || o.io.unexpectedInRows)
  io.activity.accepted := io.post.fire || io.arrival.fire
  io.activity.postedCount := postedEntries.io.count
  io.activity.unexpectedCount := unexpectedEntries.io.count
  io.activity.postedVisited.valid := arrival.valid && arrival.bits.command.searches
  io.activity.postedVisited.bits := postedEntries.io.count
  io.activity.unexpectedVisited.valid := post.valid && post.bits.command.searches
  io.activity.unexpectedVisited.bits := unexpectedEntries.io.count
}
