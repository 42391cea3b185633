// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{DecoupledIO, Valid}
import tmu.contract.Opcodes
import tmu.params.TmuParams

/** One operation on its way through the unit. */
class Operation(p: TmuParams) extends Bundle {
  val command = new MatchCommand(p)

  /** What it finds leaves the queue; it is appended to its own queue if it finds nothing. */
  val takes = Bool()
  val appends = Bool()

  /** Its verdict takes its endpoint's next serial number (R7). */
  val serial = Bool()

  /** One of the takes that carry out a flush: answered only if it removes something. */
  val sweeps = Bool()
  val accepted = UInt(32.W)
}

/** What enters the unit in one clock. The post comes before the arrival in the order of the law:
  * slot by slot, post then arrival, every execution is a serial one (R7).
  */
class Slot(p: TmuParams) extends Bundle {

  /** A post, probe or claim, or another command on the unexpected-message queue. */
  val post = Valid(new Operation(p))

  /** An arrival, or a command on the posted-receive queue. */
  val arrival = Valid(new Operation(p))

  /** Which of the two search. */
  def searches: Seq[Bool] =
    Seq(post, arrival).map(op => op.valid && op.bits.command.searches)
}

object Slot {

  /** What is accepted in a clock; a post only if it may be one of a slot. */
  def entering(
      p: TmuParams,
      post: DecoupledIO[MatchCommand],
      isPost: Bool,
      arrival: DecoupledIO[MatchCommand],
      now: UInt
  ): Slot = {
    val slot = Wire(new Slot(p))
    slot.post.valid := post.fire && isPost
    slot.post.bits := Operation(p, post.bits, now)
    slot.arrival.valid := arrival.fire
    slot.arrival.bits := Operation(p, arrival.bits, now)
    slot
  }
}

/** The answers to a slot. */
class SlotVerdicts(p: TmuParams) extends Bundle {
  val post = Valid(new Verdict(p))
  val arrival = Valid(new Verdict(p))
}

object Operation {

  /** Its endpoint, once it is known to be there. */
  def endpoint(p: TmuParams, op: Operation): UInt = op.command.endpoint(p.endpointBits - 1, 0)

  /** One clock later. */
  def later(p: TmuParams, operation: Valid[Operation]): Valid[Operation] = {
    val out = Wire(Valid(new Operation(p)))
    out.bits := RegNext(operation.bits)
    out.valid := RegNext(operation.valid, false.B)
    out
  }

  /** A command as it was accepted. */
  def apply(p: TmuParams, command: MatchCommand, now: UInt): Operation = {
    val out = Wire(new Operation(p))
    out.command := command
    out.sweeps := false.B
    out.accepted := now
    follow(out)
    out
  }

  /** Sets what follows from the rest of an operation, whatever its search finds. */
  def follow(op: Operation): Unit = {
    val opcode = op.command.opcode
    op.takes := MatchRules.takes(opcode)
    op.appends := MatchRules.appends(opcode)
    op.serial := !op.command.spill.injected && Mux(
      op.command.searches,
      !MatchRules.is(opcode, Opcodes.inspect) && !op.sweeps,
      MatchRules.takesSerial(op.command.status)
    )
  }

  /** What it asks of the array of its stream's target queue. */
  def ask(p: TmuParams, t: TableParams, op: Valid[Operation]): ArrayOperation = {
    val command = op.bits.command
    val ask = Wire(new ArrayOperation(p, t))
    ask.searches := op.valid && op.bits.command.searches
    ask.takes := op.bits.takes
    ask.byPlace := MatchRules.is(command.opcode, Opcodes.inspect)
    ask.place := command.position(t.placeBits - 1, 0)
    ask.byId.foreach(_ := MatchRules.is(command.opcode, Opcodes.cancel))
    ask.id.foreach(_ := command.id)
    ask.endpoint := endpoint(p, op.bits)
    ask.key := command.key
    ask.ignore := command.ignore
    ask
  }

  /** What its lane would hold if it were appended. */
  def lane(p: TmuParams, t: TableParams, op: Operation, slot: UInt): LaneEntry = {
    val lane = Wire(new LaneEntry(p, t))
    lane.endpoint := endpoint(p, op)
    lane.key := op.command.key
    lane.ignore.foreach(_ := op.command.ignore)
    lane.id.foreach(_ := op.command.id)
    lane.slot := slot
    LaneParity.set(lane)
    lane
  }

  /** What its slot in the store would hold if it were appended. */
  def entry(p: TmuParams, t: TableParams, op: Operation): Entry = {
    val entry = Wire(new Entry(p, t))
    entry.endpoint := endpoint(p, op)
    entry.key := op.command.key
    entry.ignore.foreach(_ := op.command.ignore)
    entry.id.foreach(_ := op.command.id)
    entry.handle := op.command.handle(p.handleBits - 1, 0)
    entry.address := op.command.address
    entry.length := op.command.length
    entry.parity.foreach(_ := entry.endpoint.xorR)
    entry
  }
}
