// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{is, switch, Decoupled}
import tmu.layout.{Opcodes, Statuses}
import tmu.params.TmuParams
import tmu.rules.{MatchRules, OperationRules}
import tmu.types.{MatchCommand, Operation, Slot}

/** Carries out a flush as a stream of takes (R14): receives first, then messages, oldest first.
  *
  * The unit is empty before it starts and takes nothing else until it ends, so a take that finds
  * nothing tells that nothing is left. Takes go out one a clock; those behind the first that finds
  * nothing find nothing either. A last operation, without a search, bears the counts.
  */
class FlushSequencer(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val start = Flipped(Decoupled(new MatchCommand(p)))
    val now = Input(UInt(32.W))

    /** The unit can take another slot; no slot is in it. */
    val canIssue = Input(Bool())
    val drained = Input(Bool())
    val slot = Output(new Slot(p))

    /** The take at its end found an entry; or found nothing. */
    val removed = Input(Bool())
    val missed = Input(Bool())

    /** Counts of removed receives and messages, for the last answer. */
    val counts = Output(Vec(2, UInt(32.W)))
    val busy = Output(Bool())
  })

  private object State extends ChiselEnum {
    val idle, posted, unexpected, finish = Value
  }
  private val state = RegInit(State.idle)
  private val command = Reg(new MatchCommand(p))
  private val accepted = Reg(UInt(32.W))
  private val counts = Reg(Vec(2, UInt(32.W)))
  private val exhausted = Reg(Bool())
  private val onUnexpected = state === State.unexpected
  private val takes = (state === State.posted || onUnexpected) && !exhausted && io.canIssue
  private val finishes = state === State.finish && io.canIssue

  io.start.ready := state === State.idle && io.drained

  // As the state says, in a register of its own: it chooses what enters the unit, a thousand bits.
  private val busy = RegInit(false.B)
  when(io.start.fire)(busy := true.B).elsewhen(finishes)(busy := false.B)
  io.busy := busy
  io.counts := counts

  private val operation = Wire(new Operation(p))
  operation.command := command
  operation.command.searches := !finishes
  operation.sweeps := !finishes
  operation.command.status := Statuses.flushed.value.U
  operation.accepted := accepted
  OperationRules.follow(operation)
  io.slot.post.valid := (takes && onUnexpected) || finishes
  io.slot.arrival.valid := takes && !onUnexpected
  io.slot.post.bits := operation
  io.slot.arrival.bits := operation

  // Results of the takes come at the end of their clock, and are used in the next: long before the
  // unit is empty again.
  when(RegNext(io.removed, false.B))(counts(onUnexpected) := counts(onUnexpected) + 1.U)
  when(RegNext(io.start.fire, false.B))(counts.foreach(_ := 0.U))
  when(RegNext(io.missed, false.B))(exhausted := true.B)
  switch(state) {
    is(State.idle) {
      // Whatever is there is kept: whether it starts is known late.
      command := io.start.bits
      accepted := io.now
      exhausted := false.B
      when(io.start.fire)(state := State.posted)
    }
    is(State.posted) {
      when(exhausted && io.drained) {
        exhausted := false.B
        state := State.unexpected
      }
    }
    is(State.unexpected) {
      when(exhausted && io.drained)(state := State.finish)
    }
    is(State.finish) {
      when(finishes)(state := State.idle)
    }
  }

  assert(busy === (state =/= State.idle), "R14: a flush is under way and does not say so")
  assert(
    !io.start.fire || MatchRules.is(io.start.bits.opcode, Opcodes.flush),
    "opcode %d is no flush",
    io.start.bits.opcode
  )
}
