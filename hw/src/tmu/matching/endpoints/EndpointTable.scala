// SPDX-License-Identifier: Apache-2.0
package tmu.matching.endpoints

import chisel3._
import chisel3.util.{PopCount, Valid}
import tmu.buffer.Sweep
import tmu.fault.{Checked, FaultFlip, FaultPort, FaultView}
import tmu.mutant.Mutant
import tmu.params.TmuParams
import tmu.registers.FaultStores
import tmu.types.{Allowance, QuotaChange, TallyStep}

/** State of every endpoint; a sweep clears it after reset (`ready` tells when).
  *
  * Two streams work at once, posts (0) and arrivals (1), each at an endpoint of its own. So each
  * stream counts in a tally that it alone writes; a serial number is the sum of two tallies, a
  * depth the difference. An operation's endpoint is given `lead` clocks before it is decided. What
  * is decided meanwhile at the same endpoint is added, so that a slot a clock is right, at one
  * endpoint or at many:
  * {{{
  * clock  0 read            1 memory's output   2 quota - depth
  *        3 and the steps of the clocks between, but the last, cut to a few bits
  *        4 decided, with the step of the clock before      6 serial number
  * }}}
  */
class EndpointTable(p: TmuParams) extends Module {
  import EndpointTable.{history, lead}
  val io = IO(new Bundle {
    val ready = Output(Bool())
    val read = Input(Vec(2, UInt(p.endpointBits.W)))

    /** Two clocks after the read, steps under way not included: entries in the stream's own queue.
      */
    val depth = Output(Vec(2, UInt(p.depthBits.W)))

    /** `lead` clocks after the read: below the quota of the own queue, if there is one (R11). */
    val room = Output(Vec(2, Bool()))

    /** The same, had the post of the slot taken an entry from the arrival's own queue. */
    val roomAfterTake = Output(Bool())

    /** `lead` clocks after the read. */
    val reserves = Output(new ReserveState(p))
    val step = Input(Vec(2, new TallyStep(p)))

    /** In the same clock: there is an operation. */
    val there = Input(Vec(2, Bool()))

    /** `lead` clocks after the read: what was read has lost a bit. */
    val broken = Output(Vec(2, Bool()))
    val fault = new FaultPort

    /** Two clocks after the step: the number of verdicts before it (R7), and how many entries the
      * quota leaves the own queue before it, less than none if it was lowered.
      */
    val serial = Output(Vec(2, UInt(32.W)))
    val allowance = Output(Vec(2, new Allowance(p)))
    val setQuota = Flipped(Valid(new QuotaChange(p)))
  })

  private val sweep = Module(new Sweep(p.endpoints))
  io.ready := sweep.io.ready

  // Endpoints up to their decision and after it, and the steps of the last clocks: steps(k) is k + 1
  // clocks old, and was taken at the endpoint at(lead + k + 1).
  private val at = (1 to lead + history - 2).scanLeft(io.read) { (now, k) =>
    RegNext(now).suggestName(s"at$k")
  }
  private val deciding = at(lead)
  private def delayed(step: TallyStep) = RegNext(step, 0.U.asTypeOf(step))
  private val steps = Seq.iterate(io.step.map(delayed), history)(_.map(delayed))

  private def tallyWord = new Checked(p, new StreamTally(p))
  private def limitWord = new Checked(p, new QueueLimits(p))
  private def views = Seq.fill(2)(Wire(new FaultView))
  private val (tallyViews, quotaViews) = (views, views)
  io.fault.view := FaultView.all(tallyViews ++ quotaViews)

  // A copy of each tally for each reader.
  private val copies = Seq.fill(2, 2)(SyncReadMem(p.endpoints, tallyWord))
  private val quotas = Seq.fill(2)(SyncReadMem(p.endpoints, limitWord))
  private val reserves =
    Option.when(p.reserve)(Seq.fill(2)(SyncReadMem(p.endpoints, limitWord)))
  private val written = Seq.fill(2)(Wire(new TallyStep(p)))
  private val nextTally = Seq.fill(2)(Wire(new StreamTally(p)))
  private val broken = Seq.fill(2, 2)(Wire(Bool()))
  private val readTallies = Seq.tabulate(2, 2) { (of, r) =>
    // A read in the clock of a write returns the new word, whatever the memory does.
    val through = RegNext(written(of).any && written(of).endpoint === io.read(r))
    val memory = copies(of)(r).read(io.read(r))
    broken(of)(r) := RegNext(!through && memory.broken())
    RegNext(Mux(through, RegNext(nextTally(of)), memory.word))
  }
  private val readQuotas = Seq.tabulate(2)(s => RegNext(quotas(s).read(io.read(s))))
  private val limits = readQuotas.map(_.word)

  // Of the queue that a stream takes from.
  private val otherLimits =
    reserves.map(r => Seq.tabulate(2)(s => RegNext(r(1 - s).read(io.read(s)))))
  private val lostOther =
    Seq.tabulate(2)(s => RegNext(otherLimits.fold(false.B)(_(s).broken())))
  private val quotaChange = RegNext(io.setQuota)

  // An endpoint whose state has lost a bit has no reserve from that operation on: a wrong number
  // would count in the slots that are open to all.
  private val lost = Option.when(p.reserve && p.parity)(Module(new LostReserves(p)))
  for (l <- lost) {
    l.io.at := at(lead - 1)
    for (s <- 0 to 1) {
      l.io.loses(s).valid := io.there(s) && io.broken(s)
      l.io.loses(s).bits := deciding(s)
    }
  }

  for (s <- 0 to 1) {
    val own = readTallies(s)(s)
    val other = readTallies(1 - s)(s)
    io.depth(s) := own.appended - other.taken

    val unlimited = RegNext(limits(s).quota === 0.U)
    val tally = RegNext(own)
    val serialBase = RegNext(RegNext(own.serials + other.serials))

    // The steps since the read, all but the last one's: steps(0) is that of the slot before last.
    // Which of them are at the same endpoint was seen a clock before, and so were all but that one.
    val sameNext = Seq.tabulate(history - 1, 2)((k, of) => at(lead + k)(of) === at(lead - 2)(s))
    val same = sameNext.map(_.map(RegNext(_)))
    def counted(of: Int, what: TallyStep => Bool): UInt =
      PopCount(same.indices.map(k => same(k)(of) && what(steps(k)(of))))
    def earlier(of: Int, what: TallyStep => Bool): Seq[Bool] =
      same.indices.tail.map(k => sameNext(k)(of) && what(steps(k - 1)(of)))

    // The last one's, in the clock of the decision.
    val lastStep = steps.head
    val lastSame = Seq.tabulate(2)(of => RegNext(at(lead)(of) === at(lead - 1)(s)))
    def lastCounts(of: Int, what: TallyStep => Bool): Bool = lastSame(of) && what(lastStep(of))

    // The queue of stream q: it appends there, and the other one takes from there.
    def stepsOf(q: Int) = new QueueSteps(
      earlier(q, _.append),
      earlier(1 - q, _.take),
      same(0)(q) && steps(0)(q).append,
      same(0)(1 - q) && steps(0)(1 - q).take,
      lastCounts(q, _.append),
      lastCounts(1 - q, _.take)
    )
    // Both tallies make the depth; quota and reserve are of the own queue, and a reserve is read of
    // the other one as well.
    val lostTally = RegNext(broken(s)(s) || broken(1 - s)(s))
    val lostQuota = RegNext(readQuotas(s).broken())
    val lostAny = lostTally || lostQuota || lostOther(s)
    val lostReserve = lost.fold(false.B)(_.io.lost(s))
    val noReserve = Mutant("lost_reserve", lostReserve || lostAny)(_ => false.B)
    val noQuota = RegNext(unlimited)
    val ownSteps = stepsOf(s)
    val quotaLeft = new RoomLeft(limits(s).quota, io.depth(s), unlimited, None, ownSteps)
    io.room(s) := quotaLeft.any(0)
    if (s == 1) io.roomAfterTake := quotaLeft.any(1)

    val allowance = Wire(new Allowance(p))
    allowance.unlimited := noQuota
    allowance.left := quotaLeft.exact
    io.allowance(s) := RegNext(RegNext(allowance))

    // The same with reserves: of the own queue, and of the one that is taken from.
    io.reserves.within(s) := false.B
    io.reserves.restores(s) := false.B
    io.reserves.released(s) := 0.S
    for (theirs <- otherLimits) {
      val otherDepth = other.appended - own.taken
      def left(reserve: UInt, depth: UInt, steps: QueueSteps) =
        new RoomLeft(reserve, depth, false.B, Some(noReserve), steps)
      io.reserves.within(s) := left(limits(s).reserve, io.depth(s), ownSteps).any(0)
      io.reserves.restores(s) := left(theirs(s).word.reserve, otherDepth, stepsOf(1 - s)).any(1)

      // Nothing else happens then, and what was read two clocks before is the state before. A reserve
      // that has lost a bit keeps what it kept; where there is none any more, a new one is none.
      def unmet(kept: UInt): UInt = Mux(kept > io.depth(s), kept - io.depth(s), 0.U)
      val unmetBefore = RegNext(unmet(limits(s).reserve))
      val unmetNext = RegNext(unmet(EndpointTable.reserve(p, quotaChange.bits.reserve(s))))
      val changes = RegNext(quotaChange.valid, false.B) && !lostTally && !lostReserve
      val unmetOld = Mux(lostQuota, 0.U, unmetBefore)
      io.reserves.released(s) := RegNext(Mux(changes, unmetOld.zext - unmetNext.zext, 0.S), 0.S)
    }

    // The tally is written one clock after the step: all that was under way is in it.
    def ahead(of: Int, what: TallyStep => Bool): UInt =
      RegNext(RegNext(counted(of, what)) +& lastCounts(of, what))
    val tallyBase = RegNext(RegNext(tally))
    val serialsAhead = ahead(s, _.serial)
    written(s) := lastStep(s)
    nextTally(s).serials := tallyBase.serials + serialsAhead + written(s).serial
    nextTally(s).appended := tallyBase.appended + ahead(s, _.append) + written(s).append
    nextTally(s).taken := tallyBase.taken + ahead(s, _.take) + written(s).take
    val tallyStore = if (s == 0) FaultStores.postTallies else FaultStores.arrivalTallies
    val quotaStore = if (s == 0) FaultStores.postedQuotas else FaultStores.unexpectedQuotas
    val (tallied, flipped) = FaultFlip(
      p,
      tallyStore,
      Checked(p, new StreamTally(p), nextTally(s)),
      io.fault.flip,
      io.ready && written(s).any
    )
    when(!io.ready || written(s).any) {
      copies(s).foreach(
        _.write(
          Mux(io.ready, written(s).endpoint, sweep.io.index),
          Mux(io.ready, tallied, 0.U.asTypeOf(tallyWord))
        )
      )
    }
    io.broken(s) := RegNext(lostAny)
    tallyViews(s) :=
      FaultView(tallyStore, RegNext(broken(s).reduce(_ || _)) && io.ready, flipped)

    // The post of a slot counts before its arrival.
    val postBefore =
      if (s == 0) false.B
      else RegNext(io.step(0).serial && deciding(0) === deciding(1))
    io.serial(s) := RegNext(
      RegNext(serialBase) + serialsAhead + ahead(1 - s, _.serial) + postBefore
    )

    // A quota beyond all that can be counted is none.
    val quota = Mutant("quota", io.setQuota.bits.quota(s))(_ => io.setQuota.bits.quota(0))
    val quotaKept = Mux(quota <= p.quotaMost.U, quota(p.quotaBits - 1, 0), 0.U)
    val newLimits = Wire(new QueueLimits(p))
    newLimits.quota := quotaKept
    newLimits.reserve := EndpointTable.reserve(p, io.setQuota.bits.reserve(s))
    val (checkedLimits, quotaFlipped) = FaultFlip(
      p,
      quotaStore,
      Checked(p, new QueueLimits(p), newLimits),
      io.fault.flip,
      io.ready && io.setQuota.valid
    )
    quotaViews(s) := FaultView(
      quotaStore,
      (lostQuota || lostOther(1 - s)) && io.ready,
      quotaFlipped
    )
    when(!io.ready || io.setQuota.valid) {
      (quotas(s) +: reserves.map(_(s)).toSeq).foreach(
        _.write(
          Mux(io.ready, io.setQuota.bits.endpoint, sweep.io.index),
          Mux(io.ready, checkedLimits, 0.U.asTypeOf(limitWord))
        )
      )
    }
    assert(
      !io.step(s).any || (io.ready && deciding(s) === io.step(s).endpoint),
      "R14: endpoint %d stepped without its state",
      io.step(s).endpoint
    )
  }
}

object EndpointTable {

  /** Clocks from an endpoint's read to its operation's decision. */
  val lead: Int = 4

  /** Clocks whose steps a read has not seen: they are written one clock later, and a read sees what
    * is written in its own clock.
    */
  val history: Int = lead

  /** Reserve that is kept when software asks for one: no more than can be queued. */
  def reserve(p: TmuParams, asked: UInt): UInt = {
    val most = math.max(p.postedEntries, p.unexpectedEntries)
    if (p.reserve) Mux(asked > most.U, most.U, asked)(p.depthBits - 1, 0) else 0.U(0.W)
  }
}
