// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.Valid
import tmu.fault.FaultPort
import tmu.matching.array.EntryCount
import tmu.matching.endpoints.{EndpointTable, SpillMarks, TableRooms}
import tmu.mutant.Mutant
import tmu.params.TmuParams
import tmu.rules.{Decision, Outcome, Resolve, Rooms}
import tmu.types.{Allowance, Operation, QuotaChange, Slot}

/** Decide, clock R + 2: what becomes of a slot's operations, the post first (R5, R6, R7).
  *
  * The states of the endpoints, the counts of the tables and the marks of memory are those after
  * every slot before, whatever is under way (R11, R13). With memory rows the slot that is decided
  * is the one that has walked, or a parked one while `parks`.
  */
class DecideStage(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val walked = Input(new SearchedSlot(p))
    val parked = Option.when(p.hasFilter)(Input(new SearchedSlot(p)))
    val parks = Input(Bool())

    /** `EndpointTable.lead` clocks before a slot is decided: its endpoints. */
    val read = Input(Vec(2, UInt(p.endpointBits.W)))
    val setQuota = Flipped(Valid(new QuotaChange(p)))

    /** Memory counts: a full table need not refuse. */
    val spills = Input(Bool())

    /** The endpoints' states are cleared; their marks are, too. */
    val endpointsReady = Output(Bool())
    val ready = Output(Bool())

    /** The slot and what becomes of it; and what would become of the one that has walked. */
    val slot = Output(new Slot(p))
    val decision = Output(new Decision(p))
    val walkedDecision = Output(new Decision(p))

    /** The state of an operation's endpoint has lost a bit. */
    val broken = Output(Vec(2, Bool()))

    /** Two clocks after the read: the depth of each queue. */
    val depths = Output(Vec(2, UInt(p.depthBits.W)))

    /** Two clocks after the decision: verdicts before it, and what the quota leaves. */
    val serials = Output(Vec(2, UInt(32.W)))
    val allowances = Output(Vec(2, new Allowance(p)))

    /** Receives and messages in the tables; and their slots that are in use or reserved. */
    val counts = Output(Vec(2, UInt(p.depthBits.W)))
    val taken = Output(Vec(2, UInt(p.depthBits.W)))

    /** Of the endpoints, of the marks. */
    val faults = Vec(2, new FaultPort)
  })
  private val endpoints = Module(new EndpointTable(p))
  private val marks = Module(new SpillMarks(p))
  private val tables = Module(new TableRooms(p))
  private val postedEntries = Module(new EntryCount(p.postedEntries))
  private val unexpectedEntries = Module(new EntryCount(p.unexpectedEntries))
  endpoints.io.read := io.read
  endpoints.io.setQuota := io.setQuota
  marks.io.read := io.read
  io.endpointsReady := endpoints.io.ready
  io.ready := endpoints.io.ready && marks.io.ready

  private val rooms = Wire(new Rooms)
  tables.io.counts := VecInit(postedEntries.io.count, unexpectedEntries.io.count)
  tables.io.below := VecInit(postedEntries.io.below, unexpectedEntries.io.below)
  rooms.spill := marks.io.views
  rooms.post := endpoints.io.room(0) && Mutant("no_room", tables.io.spare(0))(_ => true.B)
  rooms.arrival := endpoints.io.room(1) && tables.io.spare(1)
  rooms.afterTake := endpoints.io.roomAfterTake && tables.io.afterTake
  rooms.afterOther := endpoints.io.room(1) && tables.io.afterOther

  // Both are decided, and one is chosen: whether slots are parked is known before what they find.
  private def decide(searched: SearchedSlot): Decision =
    Decision(p, searched.slot, searched.found, searched.pairs, rooms)
  private val direct = decide(io.walked)
  private def choose[T <: Data](parked: SearchedSlot => T, direct: T): T =
    io.parked.fold(direct)(slot => Mux(io.parks, parked(slot), direct))
  private val decided = choose(_.slot, io.walked.slot)
  private val decision = choose(decide, direct)
  private val (post, arrival) = (decided.post, decided.arrival)
  private val outcomes: Vec[Outcome] = VecInit(decision.post, decision.arrival)
  assert(
    !decision.takesPost || decision.post.appends,
    "R7: an arrival took a post that was not queued"
  )
  io.slot := decided
  io.decision := decision
  io.walkedDecision := direct

  marks.io.deciding := decided
  marks.io.spare := tables.io.spare
  marks.io.allowed := endpoints.io.room
  marks.io.spills := io.spills
  marks.io.outcomes := outcomes
  tables.io.outcomes := outcomes
  tables.io.reserves := endpoints.io.reserves
  tables.io.same := Operation.endpoint(p, post.bits) === Operation.endpoint(p, arrival.bits)
  postedEntries.io.comes := decision.post.appends && !decision.takesPost
  postedEntries.io.goes := decision.takesQueued
  unexpectedEntries.io.comes := decision.arrival.appends
  unexpectedEntries.io.goes := decision.post.takes
  endpoints.io.there := VecInit(post.valid, arrival.valid)
  endpoints.io.step(0) := Resolve.step(p, post, decision.post)
  endpoints.io.step(1) := Resolve.step(p, arrival, decision.arrival)

  io.broken := endpoints.io.broken.zip(marks.io.broken).map { case (state, mark) => state || mark }
  io.depths := endpoints.io.depth
  io.serials := endpoints.io.serial
  io.allowances := endpoints.io.allowance
  io.counts := tables.io.counts
  io.taken := tables.io.taken
  io.faults(0) <> endpoints.io.fault
  io.faults(1) <> marks.io.fault
}
