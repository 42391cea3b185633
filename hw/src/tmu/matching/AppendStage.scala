// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.Valid
import tmu.buffer.UpDown
import tmu.mutant.Mutant
import tmu.params.{TableParams, TmuParams}
import tmu.rules.{Decision, OperationRules, Outcome}
import tmu.types.{LaneEntry, Slot}

/** Append, in the clock of the decision: where a new entry goes, to its array or to its memory
  * rows.
  *
  * Without memory rows all go to the array: what has room has a lane. With them, an entry goes to
  * the rows once older ones lie there, so that the array has the oldest (R3, R4); so it does while
  * slots are parked. A lane that the slot itself frees is free.
  */
class AppendStage(p: TmuParams) extends Module {
  private val postedTable = TableParams.posted(p)
  private val unexpectedTable = TableParams.unexpected(p)

  /** Of the memory rows: what lies there, and what is lifted from there into the array. */
  class Rows extends Bundle {
    val holdPosted = Bool()
    val holdUnexpected = Bool()
    val liftPosted = Valid(new LaneEntry(p, postedTable))
    val liftUnexpected = Valid(new LaneEntry(p, unexpectedTable))
  }
  val io = IO(new Bundle {

    /** The slot and its decision; that of the slot which has walked, whose entries alone may go to
      * the arrays; where what was found lies.
      */
    val slot = Input(new Slot(p))
    val decision = Input(new Decision(p))
    val walkedDecision = Input(new Decision(p))
    val inArray = Input(Vec(2, Bool()))

    /** The store's slots for a receive and for a message; which of them are used. */
    val postedSlot = Input(UInt(postedTable.slotBits.W))
    val unexpectedSlot = Input(UInt(unexpectedTable.slotBits.W))
    val appends = Output(Vec(2, Bool()))

    /** Slots are parked. */
    val parks = Input(Bool())
    val rows = Option.when(p.hasFilter)(Input(new Rows))

    /** Entries for the arrays, lifted ones among them; and entries for the rows. */
    val posted = Valid(new LaneEntry(p, postedTable))
    val unexpected = Valid(new LaneEntry(p, unexpectedTable))
    val postedToRows = Valid(new LaneEntry(p, postedTable))
    val unexpectedToRows = Valid(new LaneEntry(p, unexpectedTable))

    /** Free lanes of the arrays. */
    val freePosted = Output(UInt(p.depthBits.W))
    val freeUnexpected = Output(UInt(p.depthBits.W))
  })
  private val direct = io.walkedDecision
  private val postedAppends = io.decision.post.appends && !io.decision.takesPost
  private val unexpectedAppends = io.decision.arrival.appends
  io.appends := VecInit(postedAppends, unexpectedAppends)

  private val postedFree = RegInit(p.arrayEntries.U(p.depthBits.W))
  private val unexpectedFree = RegInit(p.arrayEntries.U(p.depthBits.W))
  private def fits(free: UInt, leaves: Outcome, inRows: Rows => Bool): Bool =
    io.rows.fold(true.B)(r => !io.parks && !inRows(r) && (free =/= 0.U || leaves.takes))
  private val toPosted =
    direct.post.appends && Mutant("pair_twice", !direct.takesPost)(_ => true.B) &&
      fits(postedFree, direct.arrival, _.holdPosted)
  private val toUnexpected =
    Mutant("lost", direct.arrival.appends)(_ && !direct.post.appends) &&
      fits(unexpectedFree, direct.post, _.holdUnexpected)

  private val postedLane = OperationRules.lane(p, postedTable, io.slot.post.bits, io.postedSlot)
  private val unexpectedLane =
    OperationRules.lane(p, unexpectedTable, io.slot.arrival.bits, io.unexpectedSlot)
  private def append(decided: Bool, lane: LaneEntry, lift: Rows => Valid[LaneEntry]) = {
    val append = Wire(Valid(chiselTypeOf(lane)))
    append.valid := decided || io.rows.fold(false.B)(lift(_).valid)
    append.bits := io.rows.fold(lane)(r => Mux(lift(r).valid, lift(r).bits, lane))
    append
  }
  io.posted := append(toPosted, postedLane, _.liftPosted)
  io.unexpected := append(toUnexpected, unexpectedLane, _.liftUnexpected)
  io.postedToRows.valid := postedAppends && !toPosted
  io.postedToRows.bits := postedLane
  io.unexpectedToRows.valid := unexpectedAppends && !toUnexpected
  io.unexpectedToRows.bits := unexpectedLane

  private val postedLeaves = io.decision.arrival.takes && io.inArray(1)
  private val unexpectedLeaves = io.decision.post.takes && io.inArray(0)
  postedFree := UpDown.next(postedFree, postedLeaves, io.posted.valid)
  unexpectedFree := UpDown.next(unexpectedFree, unexpectedLeaves, io.unexpected.valid)
  io.freePosted := postedFree
  io.freeUnexpected := unexpectedFree
}
