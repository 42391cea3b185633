// SPDX-License-Identifier: Apache-2.0
package tmu.rules

import chisel3._
import chisel3.util.{DecoupledIO, Valid}
import tmu.layout.Opcodes
import tmu.params.{TableParams, TmuParams}
import tmu.types.{ArrayOperation, Entry, LaneEntry, MatchCommand, Operation, Slot}

/** Consequences of a command when it is accepted, and its operation's requests to each table: pure
  * functions.
  */
object OperationRules {

  /** Slot accepted in a clock; with a post only if it may be one of a slot. */
  def slot(
      p: TmuParams,
      post: DecoupledIO[MatchCommand],
      isPost: Bool,
      arrival: DecoupledIO[MatchCommand],
      now: UInt
  ): Slot = {
    val slot = Wire(new Slot(p))
    slot.post.valid := post.fire && isPost
    slot.post.bits := accepted(p, post.bits, now)
    slot.arrival.valid := arrival.fire
    slot.arrival.bits := accepted(p, arrival.bits, now)
    slot
  }

  /** A command as it was accepted. */
  def accepted(p: TmuParams, command: MatchCommand, now: UInt): Operation = {
    val out = Wire(new Operation(p))
    out.command := command
    out.sweeps := false.B
    out.accepted := now
    follow(out, p.hasSend)
    out
  }

  /** Sets what follows from the rest of an operation, whatever its search finds; `ofCard` one that
    * sends.
    */
  def follow(op: Operation, ofCard: Boolean = false): Unit = {
    val opcode = op.command.opcode
    op.takes := MatchRules.takes(opcode)
    op.appends := MatchRules.appends(opcode)
    op.serial := !op.command.spill.injected && Mux(
      op.command.searches,
      !MatchRules.is(opcode, Opcodes.inspect) && !op.sweeps,
      MatchRules.takesSerial(op.command.status, ofCard)
    )
  }

  /** Request of an operation to the array of its stream's target queue. */
  def ask(p: TmuParams, t: TableParams, op: Valid[Operation]): ArrayOperation = {
    val command = op.bits.command
    val ask = Wire(new ArrayOperation(p, t))
    ask.searches := op.valid && op.bits.command.searches
    ask.takes := op.bits.takes
    ask.byPosition := MatchRules.is(command.opcode, Opcodes.inspect)
    ask.position := command.position(t.positionBits - 1, 0)
    ask.byId.foreach(_ := MatchRules.is(command.opcode, Opcodes.cancel))
    ask.id.foreach(_ := command.id)
    ask.endpoint := Operation.endpoint(p, op.bits)
    ask.key := command.key
    ask.ignore := command.ignore
    ask
  }

  /** Lane of an operation's entry, if it were appended. */
  def lane(p: TmuParams, t: TableParams, op: Operation, slot: UInt): LaneEntry = {
    val lane = Wire(new LaneEntry(p, t))
    lane.endpoint := Operation.endpoint(p, op)
    lane.key := op.command.key
    lane.ignore.foreach(_ := op.command.ignore)
    lane.id.foreach(_ := op.command.id)
    lane.slot := slot
    LaneParity.set(lane)
    lane
  }

  /** Entry in the store of an operation, if it were appended. */
  def entry(p: TmuParams, t: TableParams, op: Operation): Entry = {
    val entry = Wire(new Entry(p, t))
    entry.endpoint := Operation.endpoint(p, op)
    entry.key := op.command.key
    entry.ignore.foreach(_ := op.command.ignore)
    entry.id.foreach(_ := op.command.id)
    entry.handle := op.command.handle(p.handleBits - 1, 0)
    entry.address := op.command.address
    entry.length := op.command.length
    entry.owner.foreach(_ := op.command.page)
    entry.parity.foreach(_ := entry.endpoint.xorR)
    entry
  }
}
