// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{PopCount, Valid}
import tmu.contract.{Counter, Counters, Opcodes, Statuses}
import tmu.params.TmuParams

/** Live figures that the counters sample. */
class MatchActivity(p: TmuParams) extends Bundle {
  val busy = Bool()
  val accepted = Bool()
  val postedCount = UInt(p.depthBits.W)
  val unexpectedCount = UInt(p.depthBits.W)
  val postedVisited = Valid(UInt(p.depthBits.W))
  val unexpectedVisited = Valid(UInt(p.depthBits.W))

  /** The parts of both queues beyond the arrays; and whether there are any. */
  val filters = Vec(2, new FilterActivity)
  val long = Bool()
}

/** What the counters see of one clock. */
class CounterEvents(p: TmuParams) extends Bundle {

  /** A verdict that was taken in this clock. */
  val verdict = Valid(new Verdict(p))
  val activity = new MatchActivity(p)
  val commandStalled = Bool()
  val completionStalled = Bool()
  val doorbellError = Bool()
  val disabledDrop = Bool()
  val completionError = Bool()
  val registerError = Bool()
}

/** Counts events; `snapshot` copies all counters at one clock, and the copies are what is read.
  *
  * Counters are 48 bits wide and wrap: at 300 MHz after ten days.
  */
class CounterBank(p: TmuParams) extends Module {
  private val width = 48
  val io = IO(new Bundle {
    val events = Input(new CounterEvents(p))
    val snapshot = Input(Bool())
    val values = Output(Vec(Counters.all.size, UInt(width.W)))
  })

  // Events are registered first, so that counting adds nothing to the unit's own paths.
  private val events = RegNext(io.events, 0.U.asTypeOf(io.events))
  private val verdict = events.verdict.bits
  private def answered(opcode: Int, status: Option[Int]): Bool =
    events.verdict.valid && verdict.opcode === opcode.U && status.fold(true.B)(
      verdict.status === _.U
    )
  private val refusals =
    Seq(Statuses.refusedEndpoint, Statuses.refusedPrivilege, Statuses.malformed)
  private val effective =
    !refusals.map(s => verdict.status === s.value.U).reduce(_ || _)
  private def operation(opcode: Int): Bool = answered(opcode, None) && effective
  private def status(value: Int): Bool = events.verdict.valid && verdict.status === value.U

  private val now = RegInit(0.U(width.W))
  now := now + 1.U
  private val anyAccepted = RegInit(false.B)
  when(events.activity.accepted)(anyAccepted := true.B)

  private val increments: Map[Counter, UInt] = {
    import Counters._
    Map[Counter, UInt](
      clocks -> true.B,
      posts -> operation(Opcodes.post.value),
      arrivals -> operation(Opcodes.arrive.value),
      probes -> operation(Opcodes.probe.value),
      claims -> operation(Opcodes.claim.value),
      cancels -> operation(Opcodes.cancel.value),
      flushes -> (operation(Opcodes.flush.value) && !status(Statuses.removed.value)),
      inspects -> operation(Opcodes.inspect.value),
      postMatched -> answered(Opcodes.post.value, Some(Statuses.matched.value)),
      postQueued -> answered(Opcodes.post.value, Some(Statuses.queued.value)),
      postRefused -> status(Statuses.refusedQuota.value),
      arriveMatched -> answered(Opcodes.arrive.value, Some(Statuses.matched.value)),
      arriveQueued -> answered(Opcodes.arrive.value, Some(Statuses.queued.value)),
      arriveStalled -> status(Statuses.stalled.value),
      probeFound -> status(Statuses.found.value),
      claimMatched -> answered(Opcodes.claim.value, Some(Statuses.matched.value)),
      cancelled -> status(Statuses.cancelled.value),
      cancelLate -> status(Statuses.late.value),
      removedPosted -> (status(Statuses.removed.value) && !verdict.unexpected),
      removedUnexpected -> (status(Statuses.removed.value) && verdict.unexpected),
      truncated -> (events.verdict.valid && verdict.truncated),
      refusedEndpoint -> status(Statuses.refusedEndpoint.value),
      refusedPrivilege -> status(Statuses.refusedPrivilege.value),
      malformed -> status(Statuses.malformed.value),
      postedVisited -> Mux(
        events.activity.postedVisited.valid,
        events.activity.postedVisited.bits,
        0.U
      ),
      unexpectedVisited -> Mux(
        events.activity.unexpectedVisited.valid,
        events.activity.unexpectedVisited.bits,
        0.U
      ),
      filterPasses -> PopCount(events.activity.filters.map(_.pass)),
      filterCandidates -> PopCount(events.activity.filters.map(_.candidate)),
      filterFalse -> PopCount(events.activity.filters.map(_.falsePositive)),
      lifted -> PopCount(events.activity.filters.map(_.lift)),
      longClocks -> events.activity.long,
      busyClocks -> events.activity.busy,
      commandStallClocks -> events.commandStalled,
      completionStallClocks -> events.completionStalled,
      doorbellErrors -> events.doorbellError,
      disabledDrops -> events.disabledDrop,
      completionErrors -> events.completionError,
      registerErrors -> events.registerError
    )
  }

  /** A counter that holds a value instead of adding up: when to take it, given what it holds. */
  private case class Sample(take: UInt => Bool, value: UInt)
  private val samples: Map[Counter, Sample] = {
    val posted = events.activity.postedCount
    val unexpected = events.activity.unexpectedCount
    Map(
      Counters.postedDepthMax -> Sample(held => posted > held, posted),
      Counters.unexpectedDepthMax -> Sample(held => unexpected > held, unexpected),
      Counters.firstAccept -> Sample(_ => events.activity.accepted && !anyAccepted, now),
      Counters.lastVerdict -> Sample(_ => events.verdict.valid, now)
    )
  }

  for ((counter, i) <- Counters.all.zipWithIndex) {
    val live = RegInit(0.U(width.W)).suggestName(s"live_${counter.name}")
    val shadow = RegInit(0.U(width.W)).suggestName(s"snapshot_${counter.name}")
    increments.get(counter).foreach(by => live := live + by)
    samples.get(counter).foreach(s => when(s.take(live))(live := s.value))
    when(io.snapshot)(shadow := live)
    io.values(i) := shadow
    require(
      increments.contains(counter) != samples.contains(counter),
      s"counter ${counter.name} must have exactly one source of events"
    )
  }
}
