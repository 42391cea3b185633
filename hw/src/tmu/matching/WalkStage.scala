// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{ShiftRegister, Valid}
import tmu.fault.FaultPort
import tmu.matching.array.MatchArray
import tmu.matching.endpoints.EndpointTable
import tmu.mutant.Mutant
import tmu.params.{TableParams, TmuParams}
import tmu.rules.OperationRules
import tmu.types.{ArrayOperation, LaneEntry, Operation, Slot}

/** Walk, clocks 1 to R + 2: both operations of a slot search the arrays in step.
  *
  * The operations come back from a delay in the clock of their results, whatever is in the unit: a
  * walk takes `TableParams.walk` clocks and never stops. Of a slot's two operations it says whether
  * they match each other, for the arrival may take the post beside it (R5, R6).
  */
class WalkStage(p: TmuParams) extends Module {
  private val postedTable = TableParams.posted(p)
  private val unexpectedTable = TableParams.unexpected(p)
  val io = IO(new Bundle {
    val slot = Input(new Slot(p))

    /** An entry that goes to the array of its queue. */
    val appendPosted = Flipped(Valid(new LaneEntry(p, postedTable)))
    val appendUnexpected = Flipped(Valid(new LaneEntry(p, unexpectedTable)))

    /** The endpoints of a slot, `EndpointTable.lead` clocks before it has walked; and which of its
      * operations search, a clock before.
      */
    val endpoints = Output(Vec(2, UInt(p.endpointBits.W)))
    val searchesNext = Output(Vec(2, Bool()))
    val walked = Output(new SearchedSlot(p))

    /** Of the receives' array, of the messages'. */
    val faults = Vec(2, new FaultPort)
  })
  private val walk = postedTable.walk
  private val posted = Module(new MatchArray(p, postedTable))
  private val unexpected = Module(new MatchArray(p, unexpectedTable))
  unexpected.io.ask := OperationRules.ask(p, unexpectedTable, io.slot.post)
  posted.io.ask := OperationRules.ask(p, postedTable, io.slot.arrival)
  unexpected.io.append := io.appendUnexpected
  posted.io.append := io.appendPosted
  io.faults(0) <> posted.io.fault
  io.faults(1) <> unexpected.io.fault

  // The operations come back a clock before their results.
  private val delay = Module(new SlotDelay(p, walk - 1))
  delay.io.in := io.slot
  private val near = delay.io.out
  io.searchesNext := near.searches
  private val early = walk - EndpointTable.lead
  io.endpoints := Seq(io.slot.post, io.slot.arrival).map { op =>
    ShiftRegister(Operation.endpoint(p, op.bits), early)
  }

  // Both operations are known from the start, and what is carried on of their comparison is a bit.
  private val asking = RegNext(OperationRules.ask(p, postedTable, io.slot.arrival))
  private val posting = RegNext(OperationRules.lane(p, postedTable, io.slot.post.bits, 0.U))
  private val pairs = ShiftRegister(ArrayOperation.hits(p, postedTable, asking, posting), walk - 1)

  private val post = Operation.delayed(p, near.post)
  private val arrival = Operation.delayed(p, near.arrival)
  io.walked.slot.post := post
  io.walked.slot.arrival := arrival
  io.walked.found := VecInit(unexpected.io.found, posted.io.found)
  io.walked.faults := VecInit(unexpected.io.suspect, posted.io.suspect)
  io.walked.pairs := Mutant("pair", pairs)(_ => false.B)
  io.walked.postFound := unexpected.io.lane
  io.walked.arrivalFound := posted.io.lane
}
