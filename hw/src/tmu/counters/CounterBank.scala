// SPDX-License-Identifier: Apache-2.0
package tmu.counters

import chisel3._
import chisel3.util.{log2Ceil, PopCount, ShiftRegister, Valid}
import tmu.layout.{Opcodes, Statuses}
import tmu.params.TmuParams
import tmu.registers.{Counter, Counters, Streams}
import tmu.types.{MatchActivity, SpillActivity, StreamState, Verdict}

/** Events of one clock that are counted. */
class CounterEvents(p: TmuParams) extends Bundle {

  /** A verdict that was taken in this clock. */
  val verdict = Valid(new Verdict(p))
  val activity = new MatchActivity(p)
  val command = new StreamState
  val completion = new StreamState

  /** A wrong beat of a write to the doorbell pages, and of a read. */
  val doorbellErrors = Vec(2, Bool())
  val disabledDrop = Bool()
  val completionError = Bool()
  val registerError = Bool()
  val ringOverrun = Bool()
  val queueOverrun = Bool()

  /** Activity of memory beyond the tables, and the receives and messages that lie there. */
  val spill = new SpillActivity
  val spilled = Vec(2, UInt(p.spilledBits.W))
}

/** The sums of one round, as they are made: those of a round are all of the clock of the `turn`
  * that began it, and come one a clock from `CounterBank.sumDelay` clocks after that.
  */
class CounterRound extends Bundle {
  val turn = Bool()
  val index = UInt(CounterBank.indexBits.W)
  val sum = UInt(CounterBank.width.W)
}

/** Counts events. `snapshot` asks for a snapshot of all counters at one clock, and the snapshot is
  * what is read: it is of the next turn of the rounds below, and `busy` says that it is not there
  * yet.
  *
  * Counters are 48 bits wide and wrap: at 300 MHz after ten days. Sums that wide lie in a memory.
  * Events are counted in a few bits for each counter; at the turn of a round all of these move
  * aside in one clock, and in the round they are added to the memory, one a clock. So a round is a
  * snapshot of its first clock, and one that was asked for is kept in a memory of its own.
  */
class CounterBank(p: TmuParams) extends Module {
  import CounterBank.{indexBits, width}
  val io = IO(new Bundle {
    val events = Input(new CounterEvents(p))
    val snapshot = Input(Bool())
    val busy = Output(Bool())

    /** A counter of the last snapshot, by its index in `Counters.all`; in the same clock. */
    val index = Input(UInt(indexBits.W))
    val value = Output(UInt(width.W))

    /** For a reader that keeps a snapshot of its own. */
    val round = Output(new CounterRound)
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

  private val monitors = Seq(
    Streams.command -> events.command,
    Streams.completion -> events.completion,
    Streams.spillRead -> events.spill.reads,
    Streams.spillWrite -> events.spill.writes
  ).map { case (stream, state) =>
    val monitor = Module(new StreamMonitor).suggestName(s"${stream.name}_monitor")
    monitor.io.state := state
    stream -> monitor.io
  }
  require(monitors.map(_._1) == Streams.all, "each stream has a monitor")

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
      doorbellErrors -> PopCount(events.doorbellErrors),
      disabledDrops -> events.disabledDrop,
      completionErrors -> events.completionError,
      registerErrors -> events.registerError,
      ringOverruns -> events.ringOverrun,
      queueOverruns -> events.queueOverrun,
      spillDeferred -> events.spill.deferred,
      spillAppended -> events.spill.appended,
      spillTaken -> events.spill.taken,
      spillRefilled -> events.spill.refilled,
      spillFalse -> events.spill.falsePositive,
      spillRefused -> events.spill.refused,
      spillErrors -> events.spill.error,
      tableFaults -> status(Statuses.tableFault.value)
    ) ++ monitors.flatMap { case (stream, seen) =>
      Seq(stream.active -> seen.active, stream.stalled -> seen.stalled) ++
        stream.idle.zip(seen.ended)
    }
  }

  /** Clocks from one event to the next at least: runs of idle clocks cannot end in every clock. */
  private val apart: Map[Counter, Int] =
    Streams.all.flatMap(s => s.idle.zip(Streams.idleFrom.map(_ + 1))).toMap.withDefaultValue(1)

  /** A counter that holds a value instead of adding up: when to take it, given what it holds. */
  private case class Sample(take: UInt => Bool, value: UInt)
  private val samples: Map[Counter, Sample] = {
    // Memory hears of an entry that has gone back to its table two clocks after the table.
    val bits = math.max(p.depthBits, p.spilledBits) + 1
    def all(onChip: UInt, spilled: UInt): UInt = {
      val sum = RegInit(0.U(bits.W))
      sum := ShiftRegister(onChip, 2, 0.U, true.B) +& spilled
      sum
    }
    val posted = all(io.events.activity.postedCount, io.events.spilled(0))
    val unexpected = all(io.events.activity.unexpectedCount, io.events.spilled(1))
    Map(
      Counters.postedDepthMax -> Sample(held => posted > held, posted),
      Counters.unexpectedDepthMax -> Sample(held => unexpected > held, unexpected),
      Counters.firstAccept -> Sample(_ => events.activity.accepted && !anyAccepted, now),
      Counters.lastVerdict -> Sample(_ => events.verdict.valid, now)
    )
  }

  for (counter <- Counters.all)
    require(
      increments.contains(counter) != samples.contains(counter),
      s"counter ${counter.name} must have exactly one source of events"
    )

  // Counts since the last turn, and held values: the widest leave first, so that all can move up
  // through the registers of those before them.
  private val size = Counters.all.size
  private val roundIndex = RegInit(0.U(log2Ceil(size).W))
  // Many registers hear of the turn, and their wires alone are a clock long.
  private val turns = RegNext(roundIndex === (size - 2).U, false.B)
  roundIndex := Mux(turns, 0.U, roundIndex + 1.U)
  private class Source(val counter: Counter) {
    val sample: Option[Sample] = samples.get(counter)
    private val by = increments.getOrElse(counter, 0.U)
    private val times = (size + apart(counter) - 1) / apart(counter)
    private val most = ((BigInt(1) << by.getWidth) - 1) * times
    val bits: Int = sample.fold(most.bitLength)(_.value.getWidth)
    val counts: UInt = RegInit(0.U(bits.W)).suggestName(s"counts_${counter.name}")
    sample match {
      case Some(s) => when(s.take(counts))(counts := s.value)
      case None    => counts := Mux(turns, 0.U, counts) + by
    }
  }
  private val sources = Counters.all.map(new Source(_)).sortBy(-_.bits)
  private val aside = sources.map(s => RegInit(0.U(s.bits.W)))
  for ((register, k) <- aside.zipWithIndex) {
    val behind = if (k + 1 < size) aside(k + 1) else 0.U
    register := Mux(turns, sources(k).counts, behind)
  }

  // The round: one counter a clock, read, and a clock later added and written. The first one after
  // reset writes 0 everywhere, into the snapshot too.
  private val sums = Mem(size, UInt(width.W))
  private val snapshots = Mem(size, UInt(width.W))
  private val first = RegInit(true.B)
  private val wanted = RegInit(false.B)
  private val taking = RegInit(true.B)
  when(io.snapshot)(wanted := true.B)
  when(turns) {
    first := false.B
    taking := wanted
    wanted := io.snapshot
  }
  private val counter = VecInit(sources.map(s => Counters.all.indexOf(s.counter).U(indexBits.W)))
  private val to = RegNext(counter(roundIndex))
  private val held = sources.indices.filter(sources(_).sample.nonEmpty)
  private val keeps = !held.map(roundIndex === _.U).reduce(_ || _) && !first
  private val before = RegNext(Mux(keeps, sums.read(counter(roundIndex)), 0.U))
  private val sum = before + RegNext(aside.head)
  private val summed = RegNext(true.B, false.B)
  private val pictured = RegNext(taking, false.B)
  when(summed)(sums.write(to, sum))
  when(pictured)(snapshots.write(to, sum))
  io.busy := wanted || taking || pictured
  io.value := snapshots.read(io.index)
  io.round.turn := turns
  io.round.index := to
  io.round.sum := sum
}

object CounterBank {
  val width: Int = 48
  val indexBits: Int = log2Ceil(Counters.all.size)

  /** Clocks from the turn of a round to its first sum. */
  val sumDelay: Int = 2
}
