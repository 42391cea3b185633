// SPDX-License-Identifier: Apache-2.0
package tmu.rules

import chisel3._
import chisel3.util.Valid
import tmu.layout.{Opcodes, Statuses}
import tmu.params.TmuParams
import tmu.types.{Entry, Operation, SpillView, TallyStep, Verdict}

/** Outcome of one operation at its end. */
class Outcome(p: TmuParams) extends Bundle {

  /** The operation is there and is answered. */
  val answers = Bool()

  /** Its own queue takes another entry: what its status says of a miss. */
  val room = Bool()

  /** The operation found an entry; removed that entry; is appended to its own queue. */
  val found = Bool()
  val takes = Bool()
  val appends = Bool()

  /** The operation is answered later: its endpoint's queues in memory have to be searched first
    * (R11).
    */
  val defers = Bool()

  /** The operation was injected and tells that its endpoint has nothing in memory any more. */
  val releases = Bool()
}

/** Of which kind an operation is; known early, for its opcode is. */
class AnswerKind extends Bundle {
  val isArrival = Bool()
  val inspects = Bool()
}

/** Decides an operation at its end, when its search is done: pure functions of the law (R3 to R11).
  */
object Resolve {

  /** @param op
    *   the operation, if there is one
    * @param found
    *   its search found an entry
    * @param room
    *   its own queue takes another entry, after everything before it
    */
  def apply(
      p: TmuParams,
      op: Valid[Operation],
      found: Bool,
      room: Bool,
      spill: SpillView
  ): Outcome = {
    val asks = op.bits.command.spill
    val out = Wire(new Outcome(p))
    out.found := op.valid && op.bits.command.searches && found
    out.takes := out.found && op.bits.takes
    val misses = op.valid && op.bits.command.searches && !found
    val ends = op.valid && !op.bits.command.searches && endsFlush(op.bits)
    out.defers := spill.defers && (misses || ends)
    out.appends := op.bits.appends && Mux(
      asks.refills,
      op.valid && spill.refills,
      misses && room && Mux(asks.retries, asks.sure, !spill.spilling)
    )
    out.releases := op.valid && asks.releases && spill.releases
    out.room := room
    // A sweep that finds nothing has nothing to report.
    out.answers := op.valid && (!op.bits.sweeps || found) && !out.defers && !asks.injected
    out
  }

  /** The operation that ends a flush: it does not search, and says what was removed (R14). */
  def endsFlush(op: Operation): Bool =
    MatchRules.is(op.command.status, Statuses.flushed) && !op.command.spill.injected

  /** Whether memory may answer an operation that the tables do not answer. */
  def mayWait(op: Operation): Bool =
    !op.sweeps && !MatchRules.is(op.command.opcode, Opcodes.inspect)

  /** Status in the verdict of an operation that is there. */
  def status(op: Operation, outcome: Outcome): UInt = {
    val opcode = op.command.opcode
    Mux(
      op.command.searches,
      Mux(outcome.found, MatchRules.onHit(opcode), MatchRules.onMiss(opcode, outcome.room)),
      op.command.status
    )
  }

  /** Step of an operation in its endpoint's state. */
  def step(p: TmuParams, op: Valid[Operation], outcome: Outcome): TallyStep = {
    val step = Wire(new TallyStep(p))
    step.endpoint := Operation.endpoint(p, op.bits)
    step.serial := op.valid && op.bits.serial
    step.append := outcome.appends
    step.take := outcome.takes
    step
  }

  /** Kind of an operation, on which its verdict depends. */
  def kind(op: Operation): AnswerKind = {
    val out = Wire(new AnswerKind)
    out.isArrival := MatchRules.is(op.command.opcode, Opcodes.arrive)
    out.inspects := MatchRules.is(op.command.opcode, Opcodes.inspect)
    out
  }

  /** The verdict, once the entry that was found has been read, but for `truncated`.
    *
    * @param kind
    *   `Resolve.kind` of the operation
    * @param serial
    *   its endpoint's verdicts before it
    * @param entry
    *   that entry; meaningless unless the operation found one
    * @param onMessages
    *   the entry is a message, so the asker's length is a receive's; else the other way round
    */
  def verdict(
      p: TmuParams,
      op: Operation,
      kind: AnswerKind,
      found: Bool,
      status: UInt,
      serial: UInt,
      entry: Entry,
      onMessages: Boolean,
      removed: Vec[UInt]
  ): Verdict = {
    val command = op.command
    val out = Wire(new Verdict(p))
    // Only these have a length of their own.
    val ownLength = Mux(op.appends, command.length, 0.U)
    val reports =
      MatchRules.is(status, Statuses.removed) || MatchRules.is(status, Statuses.entry)
    out := 0.U.asTypeOf(out)
    out.page := command.page
    out.opcode := command.opcode
    out.status := status
    out.serial := Mux(op.serial, serial, 0.U)
    out.endpoint := command.endpoint
    out.handle := command.handle
    out.stamp := command.stamp
    when(MatchRules.is(status, Statuses.flushed))(out.other := removed.asUInt)
    when(found) {
      out.unexpected := onMessages.B && reports
      out.other := entry.handle
      out.key := Mux(kind.isArrival, command.key, entry.key)
      entry.ignore.foreach(out.ignore := _)
      when(kind.inspects)(out.endpoint := entry.endpoint)
      // A card moves a message to the post's own buffer, and knows itself where the message lies.
      out.address := entry.address
      if (p.hasNetwork && onMessages)
        when(MatchRules.is(command.opcode, Opcodes.post))(out.address := command.address)
      for ((to, owner) <- out.owner.zip(entry.owner)) to := owner
      out.messageLength := (if (onMessages) entry.length else ownLength)
      out.receiveLength := (if (onMessages) ownLength else entry.length)
    }
    out
  }

  /** The message matches and consumes the receive, and is longer (R12). */
  def truncated(op: Operation, found: Bool, longer: Bool): Bool = found && op.appends && longer

  /** The message is longer than the receive, when an operation finds this entry. */
  def longer(op: Operation, entry: Entry, onMessages: Boolean): Bool = {
    val own = op.command.length
    if (onMessages) entry.length > own else own > entry.length
  }
}
