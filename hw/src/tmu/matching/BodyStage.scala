// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.Valid
import tmu.fault.{FaultPort, FaultRaise}
import tmu.matching.array.{EntryStore, StoredEntry}
import tmu.mutant.Mutant
import tmu.params.{TableParams, TmuParams}
import tmu.rules.Decision
import tmu.types.{FoundLane, LaneFault, Slot}

/** Bodies, clocks R + 3 and R + 4: what was appended is written to its store, what was found is
  * read, and what was taken is freed.
  *
  * An entry comes back as it was written (R15), or its endpoint is raised before its verdict can
  * leave the unit (R13). A candidate of the memory rows is read instead of what was found.
  */
class BodyStage(p: TmuParams) extends Module {
  private val postedTable = TableParams.posted(p)
  private val unexpectedTable = TableParams.unexpected(p)

  /** Candidates of the memory rows that are to be read. */
  class Candidates extends Bundle {
    val posted = Valid(UInt(postedTable.slotBits.W))
    val unexpected = Valid(UInt(unexpectedTable.slotBits.W))
  }
  val io = IO(new Bundle {

    /** The slot that is decided, what becomes of it, what it met of broken lanes and states. */
    val slot = Input(new Slot(p))
    val decision = Input(new Decision(p))
    val faults = Input(Vec(2, new LaneFault))
    val broken = Input(Vec(2, Bool()))

    /** Of the receives' store and the messages': its next slot, and that it is used. */
    val appends = Input(Vec(2, Bool()))
    val postedSlot = Output(UInt(postedTable.slotBits.W))
    val unexpectedSlot = Output(UInt(unexpectedTable.slotBits.W))

    /** A clock after the decision: where what was found lies. */
    val postFound = Input(new FoundLane(p, unexpectedTable))
    val arrivalFound = Input(new FoundLane(p, postedTable))
    val candidates = Option.when(p.hasFilter)(Input(new Candidates))

    /** Two clocks after the decision, one after a candidate: the entry. */
    val receive = Output(new StoredEntry(p, postedTable))
    val message = Output(new StoredEntry(p, unexpectedTable))

    /** Two clocks after the decision: endpoints that can not be trusted any more. */
    val raised = Vec(4, Valid(UInt(p.endpointBits.W)))
    val everyone = Output(Bool())

    /** Of the receives' store, of the messages'. */
    val stores = Vec(2, new FaultPort)
  })
  private val postedStore = Module(new EntryStore(p, postedTable))
  private val unexpectedStore = Module(new EntryStore(p, unexpectedTable))
  private val decision = io.decision
  private val raises = Seq.fill(2)(Module(new FaultRaise(p)))
  for ((raise, s) <- raises.zipWithIndex) {
    raise.io.op := Seq(io.slot.post, io.slot.arrival)(s)
    raise.io.lane := io.faults(s)
    raise.io.state := io.broken(s)
  }
  postedStore.io.allocate.ready := io.appends(0)
  unexpectedStore.io.allocate.ready := io.appends(1)
  io.postedSlot := postedStore.io.allocate.bits
  io.unexpectedSlot := unexpectedStore.io.allocate.bits

  BodyPort(
    p,
    unexpectedTable,
    unexpectedStore,
    appender = io.slot.arrival.bits,
    outcome = decision.post,
    paired = false.B,
    takes = decision.post.takes,
    at = io.postFound,
    candidate = io.candidates.map(_.unexpected),
    raises(0)
  )
  BodyPort(
    p,
    postedTable,
    postedStore,
    appender = io.slot.post.bits,
    outcome = decision.arrival,
    paired = decision.takesPost,
    takes =
      Mutant("slot", decision.takesQueued)(_ => decision.arrival.found && !decision.takesPost),
    at = io.arrivalFound,
    candidate = io.candidates.map(_.posted),
    raises(1)
  )
  io.receive := postedStore.io.read
  io.message := unexpectedStore.io.read
  io.raised := VecInit(raises.flatMap(_.io.raised))
  io.everyone := raises.map(_.io.everyone).reduce(_ || _)
  io.stores(0) <> postedStore.io.fault
  io.stores(1) <> unexpectedStore.io.fault
}
