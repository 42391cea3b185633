// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import tmu.fault.FaultPort
import tmu.matching.endpoints.EndpointRequests
import tmu.params.TmuParams
import tmu.types.{Operation, SpillPorts}

/** The two queues and the rule that connects them: two operations a clock, two verdicts a clock.
  *
  * Each clock takes a slot: at most one operation that searches messages (`post`) and one that
  * searches receives (`arrival`). A slot goes through the stages in step with its arrays and never
  * waits in one:
  * {{{
  * accept  0       it enters, if there is room for its answers
  * walk    1..R+2  both operations search their arrays of R rows
  * decide  R+2     in the order of the law, the post first (R5, R6, R7)
  * append  R+2     what was not found goes to the other array
  * body    R+3     bodies are written, read and freed
  * answer  R+4     verdicts, offered from R+6 on
  * }}}
  * With memory rows, `Overflow` parks a slot between walk and decision until it has searched them.
  * A flush, and a change of an endpoint, has the unit to itself.
  */
class MatchUnit(p: TmuParams) extends Module {
  val io = IO(new MatchUnitPorts(p))

  private val accept = Module(new AcceptStage(p))
  private val walk = Module(new WalkStage(p))
  private val overflow = Option.when(p.hasFilter)(Module(new Overflow(p)))
  private val decide = Module(new DecideStage(p))
  private val append = Module(new AppendStage(p))
  private val body = Module(new BodyStage(p))
  private val answers = Module(new AnswerStage(p))
  private val requests = Module(new EndpointRequests(p))

  private val now = RegInit(0.U(32.W))
  now := now + 1.U
  private val drained = answers.io.drained
  private val (requested, configuring) = (requests.io.requested, requests.io.configuring)
  private val spills = SpillPorts.spills(io.spill, drained)
  private val idle = drained && !accept.io.flushing && !configuring
  private val parks = overflow.fold(false.B)(_.io.parks)
  private def choose[T <: Data](parked: Overflow => T, walked: T, parks: Bool = parks): T =
    overflow.fold(walked)(o => Mux(parks, parked(o), walked))

  accept.io.post <> io.post
  accept.io.arrival <> io.arrival
  accept.io.now := now
  accept.io.ready := decide.io.endpointsReady
  accept.io.room := answers.io.room
  accept.io.drained := drained
  accept.io.requested := requested || configuring
  accept.io.holdsBack := overflow.fold(false.B)(_.io.holdsBack)
  accept.io.holdsInspects := overflow.fold(false.B)(_.io.holdsInspects)
  accept.io.registered := io.spill.registered
  accept.io.spills := spills

  walk.io.slot := accept.io.slot
  walk.io.appendPosted := append.io.posted
  walk.io.appendUnexpected := append.io.unexpected

  private val walked = walk.io.walked
  decide.io.walked := walked
  decide.io.parked.zip(overflow).foreach { case (to, o) => to := o.io.parked }
  decide.io.parks := parks
  decide.io.spills := io.spill.registered && spills
  decide.io.setQuota := requests.io.setQuota
  // Nothing enters while a request waits, but for a flush.
  private val requestReads = requested && drained && !accept.io.flushing
  private val decideAhead = choose(
    o =>
      VecInit(Seq(o.io.first.post, o.io.first.arrival).map(op => Operation.endpoint(p, op.bits))),
    walk.io.endpoints
  )
  decide.io.read := decideAhead.map(Mux(requestReads, io.endpoint.bits.endpoint, _))
  private val (post, arrival) = (decide.io.slot.post, decide.io.slot.arrival)
  private val decision = decide.io.decision

  append.io.slot := decide.io.slot
  append.io.decision := decision
  append.io.walkedDecision := decide.io.walkedDecision
  append.io.inArray := choose(_.io.inArray, walked.found)
  append.io.parks := parks
  append.io.postedSlot := body.io.postedSlot
  append.io.unexpectedSlot := body.io.unexpectedSlot

  body.io.slot := decide.io.slot
  body.io.decision := decision
  body.io.faults := choose(_.io.parked.faults, walked.faults)
  body.io.broken := decide.io.broken
  body.io.appends := append.io.appends
  private val bodyParked = RegNext(parks)
  body.io.postFound := choose(_.io.parked.postFound, walked.postFound, bodyParked)
  body.io.arrivalFound := choose(_.io.parked.arrivalFound, walked.arrivalFound, bodyParked)
  io.raised := body.io.raised
  io.everyone := body.io.everyone

  private val flushTakes = Mux(post.valid, post.bits.sweeps, arrival.valid && arrival.bits.sweeps)
  private val flushFinds = decision.post.found || decision.arrival.found
  accept.io.removed := flushTakes && flushFinds
  accept.io.missed := flushTakes && !flushFinds

  for (o <- overflow) {
    o.io.walked := walked
    o.io.searchesNext := walk.io.searchesNext
    o.io.windows := io.windows
    o.io.appendPosted := append.io.postedToRows
    o.io.appendUnexpected := append.io.unexpectedToRows
    o.io.freePosted := append.io.freePosted
    o.io.freeUnexpected := append.io.freeUnexpected
    o.io.waiting := (io.post.valid || io.arrival.valid) && !accept.io.inspects
    o.io.drained := idle
    o.io.entered := accept.io.enters
    o.io.entryPosted := body.io.receive
    o.io.entryUnexpected := body.io.message
    for (rows <- append.io.rows) {
      rows.holdPosted := o.io.postedInRows
      rows.holdUnexpected := o.io.unexpectedInRows
      rows.liftPosted := o.io.liftPosted
      rows.liftUnexpected := o.io.liftUnexpected
    }
    for (candidates <- body.io.candidates) {
      candidates.posted := o.io.readPosted
      candidates.unexpected := o.io.readUnexpected
    }
  }

  answers.io.now := now
  answers.io.entered := accept.io.enters
  answers.io.slow := parks || overflow.fold(false.B) { o =>
    (io.post.valid && o.io.unexpectedInRows) || (io.arrival.valid && o.io.postedInRows)
  }
  answers.io.decided := decide.io.slot
  answers.io.outcomes := VecInit(decision.post, decision.arrival)
  answers.io.takesPost := decision.takesPost
  answers.io.serials := decide.io.serials
  answers.io.allowances := decide.io.allowances
  answers.io.message := body.io.message.entry
  answers.io.receive := body.io.receive.entry
  answers.io.removed := accept.io.counts
  io.verdicts <> answers.io.verdicts
  io.spill.now := now
  io.spill.deferred := answers.io.deferred
  io.spill.injected := answers.io.injected
  io.spill.counts := decide.io.taken

  requests.io.request <> io.endpoint
  requests.io.quiet := drained && decide.io.endpointsReady && !accept.io.flushing &&
    !accept.io.holdsBack
  requests.io.depths := decide.io.depths
  io.endpointState := requests.io.state

  FaultPort.join(
    io.fault,
    walk.io.faults ++ overflow.map(_.io.fault) ++ body.io.stores ++ decide.io.faults
  )
  io.ready := decide.io.ready
  io.idle := idle
  io.activity.busy := !io.idle
  io.activity.filters := overflow.fold(0.U.asTypeOf(io.activity.filters))(_.io.activity)
  io.activity.long := overflow.fold(false.B)(o => o.io.postedInRows || o.io.unexpectedInRows)
  io.activity.accepted := io.post.fire || io.arrival.fire
  io.activity.postedCount := decide.io.counts(0)
  io.activity.unexpectedCount := decide.io.counts(1)
  io.activity.postedVisited.valid := arrival.valid && arrival.bits.command.searches
  io.activity.postedVisited.bits := decide.io.counts(0)
  io.activity.unexpectedVisited.valid := post.valid && post.bits.command.searches
  io.activity.unexpectedVisited.bits := decide.io.counts(1)
}
