// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, Valid}
import tmu.buffer.{BlockQueue, PointerQueue}
import tmu.mutant.Mutant
import tmu.params.{TableParams, TmuParams}
import tmu.rules.{MatchRules, OperationRules, Outcome, Resolve}
import tmu.types.{
  Allowance,
  Deferred,
  Entry,
  Injected,
  Operation,
  Slot,
  SlotVerdicts,
  SpillEntry,
  Verdict
}

/** Makes verdicts of decided slots and keeps them until they are taken.
  *
  * The stage also counts the slots inside the unit, from entry to verdict, and lets in no more than
  * it can keep, so that a slot that is under way never waits for room.
  */
class AnswerStage(p: TmuParams) extends Module {
  private val posted = TableParams.posted(p)
  private val unexpected = TableParams.unexpected(p)
  private val depth = posted.inFlight - 1
  val io = IO(new Bundle {
    val now = Input(UInt(32.W))

    /** A slot enters the unit; there is room for another; there is none inside. */
    val entered = Input(Bool())

    /** Memory rows are searched, one slot after the other: more than a few would only wait. */
    val slow = Input(Bool())
    val room = Output(Bool())
    val drained = Output(Bool())

    /** A slot is decided; its arrival took its post. */
    val decided = Input(new Slot(p))
    val outcomes = Input(Vec(2, new Outcome(p)))
    val takesPost = Input(Bool())

    /** Two clocks later: verdicts before it, and the entries that were found. */
    val serials = Input(Vec(2, UInt(32.W)))
    val message = Input(new Entry(p, unexpected))
    val receive = Input(new Entry(p, posted))

    /** At the same time: what their quotas left them. */
    val allowances = Input(Vec(2, new Allowance(p)))

    /** Entries that a flush has removed when it ends. */
    val removed = Input(Vec(2, UInt(32.W)))
    val verdicts = Decoupled(new SlotVerdicts(p))

    /** A command that memory has to answer; and what became of one that was injected. */
    val deferred = Valid(new Deferred(p))
    val injected = Valid(new Injected(p))
  })

  private val ops = RegNext(VecInit(io.decided.post.bits, io.decided.arrival.bits))
  private val decides = RegNext(io.outcomes, 0.U.asTypeOf(io.outcomes))
  private val (post, arrival) = (RegNext(ops(0)), RegNext(ops(1)))
  private val outcomes = RegNext(decides, 0.U.asTypeOf(io.outcomes))
  private val statuses = ops.zip(decides).map { case (op, decided) =>
    RegNext(Resolve.status(op, decided))
  }
  private val tookPost = RegNext(RegNext(Mutant("handle", io.takesPost)(_ => false.B)))
  private val receive = Mux(tookPost, OperationRules.entry(p, posted, post), io.receive)

  // Compared before it is known which receive it is, and told a clock later: an entry comes late out
  // of its memory (R12).
  private val longerThanPost =
    RegNext(Resolve.longer(ops(1), OperationRules.entry(p, posted, ops(0)), onMessages = false))
  private val longerThanEntry = Resolve.longer(arrival, io.receive, onMessages = false)
  private val longer = Seq(
    Resolve.longer(post, io.message, onMessages = true),
    Mux(tookPost, longerThanPost, longerThanEntry)
  )

  // Fields that the taker waits for lie beside the verdicts, in a memory that is quick to show
  // them: which of the two there are, and when their operations were accepted.
  private class Side extends Bundle {
    val answers = Bool()
    val accepted = UInt(32.W)
  }
  private val answers = Module(new BlockQueue(new SlotVerdicts(p), depth))
  private val sides = Module(new BlockQueue(Vec(2, new Side), depth, inBlock = false))
  private val in = answers.io.enq
  in.valid := outcomes(0).answers || outcomes(1).answers
  in.bits.post.valid := outcomes(0).answers
  private def verdict(s: Int, op: Operation, entry: Entry): Verdict =
    Resolve.verdict(
      p,
      op,
      RegNext(Resolve.kind(ops(s))),
      outcomes(s).found,
      statuses(s),
      io.serials(s),
      entry,
      onMessages = s == 0,
      io.removed
    )
  in.bits.post.bits := verdict(0, post, io.message)
  in.bits.arrival.valid := outcomes(1).answers
  in.bits.arrival.bits := verdict(1, arrival, receive)
  sides.io.enq.valid := in.valid
  for ((side, s) <- sides.io.enq.bits.zipWithIndex) {
    side.answers := outcomes(s).answers
    side.accepted := Seq(post, arrival)(s).accepted
  }

  // A clock behind the others, and through a queue that is a clock shorter.
  private val truncated = Module(new PointerQueue(Vec(2, Bool()), depth))
  truncated.io.enq.valid := RegNext(in.valid, false.B)
  for ((op, s) <- Seq(post, arrival).zipWithIndex)
    truncated.io.enq.bits(s) :=
      Resolve.truncated(RegNext(op), RegNext(outcomes(s).found), RegNext(longer(s)))

  private val second = outcomes(1).defers
  io.deferred.valid := outcomes(0).defers || second
  io.deferred.bits.operation := Mux(second, arrival, post)
  io.deferred.bits.serial := Mux(second, io.serials(1), io.serials(0))
  io.deferred.bits.allowance := Mux(second, io.allowances(1), io.allowances(0))
  io.deferred.bits.removed := io.removed
  private val injected = Seq(io.decided.post, io.decided.arrival).map { op =>
    RegNext(RegNext(op.valid && op.bits.command.spill.injected, false.B), false.B)
  }
  io.injected.valid := injected.reduce(_ || _)
  private def ofInjected(what: Outcome => Bool): Bool =
    injected.zip(outcomes).map { case (is, outcome) => is && what(outcome) }.reduce(_ || _)
  io.injected.bits.done := ofInjected(o => o.appends || o.releases)
  io.injected.bits.found := ofInjected(_.found)
  io.injected.bits.entry :=
    Mux(injected(1), SpillEntry.stored(p, io.receive), SpillEntry.stored(p, io.message))

  // A slot that is not answered here leaves without a word.
  private val decided = io.decided.post.valid || io.decided.arrival.valid
  private val silent = RegNext(RegNext(decided, false.B), false.B) && !in.valid
  // Counted a clock late, and compared a clock later: two more may have come in by then.
  private val came = RegNext(io.entered, false.B)
  private val left = RegNext(io.verdicts.fire, false.B)
  private val inside = RegInit(0.U(log2Ceil(depth + 1).W))
  inside := inside + came - left - RegNext(silent, false.B)
  io.room := RegNext(inside < Mux(io.slow, TableParams.few.U, (depth - 2).U), false.B)
  io.drained := inside === 0.U && !came

  io.verdicts <> answers.io.deq
  sides.io.deq.ready := io.verdicts.fire
  truncated.io.deq.ready := io.verdicts.fire
  for ((verdict, s) <- Seq(io.verdicts.bits.post, io.verdicts.bits.arrival).zipWithIndex) {
    val side = sides.io.deq.bits(s)
    verdict.valid := side.answers
    verdict.bits.truncated := truncated.io.deq.bits(s)
    verdict.bits.latency := Verdict.clocks(io.now, side.accepted)
  }

  assert(!in.valid || in.ready, "R11: no room for an answer")
  assert(io.verdicts.valid === sides.io.deq.valid, "R15: an answer without what lies beside it")
  assert(!io.verdicts.valid || truncated.io.deq.valid, "R12: an answer, and no word of its length")
  assert(!truncated.io.enq.valid || truncated.io.enq.ready, "R12: no room for a word of a length")
  assert(!outcomes(0).defers || !outcomes(1).defers, "R11: two commands deferred in a clock")
  for (((op, outcome), status) <- Seq(post, arrival).zip(outcomes).zip(statuses)) {
    assert(
      !outcome.answers || op.serial === MatchRules.takesSerial(status, p.hasSend),
      "R7: status %d, and a serial number or none",
      status
    )
  }
}
