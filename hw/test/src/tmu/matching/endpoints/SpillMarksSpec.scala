// SPDX-License-Identifier: Apache-2.0
package tmu.matching.endpoints

import scala.util.Random
import tmu.{Seeds, Traffic}
import tmu.layout.Opcodes
import tmu.params.SpillParams
import tmu.spill.SpillSpec

class SpillMarksSpec extends SpillSpec {
  private val marks = device(new SpillMarks(p))
  private val count = 1 << SpillParams(p).deferralBits

  private class State {
    var spilling = false
    var deferrals = 0
  }

  /** Request of a stream's operation, and its outcome. */
  private case class Step(
      endpoint: Int,
      there: Boolean = true,
      defers: Boolean = false,
      refills: Boolean = false,
      releases: Boolean = false,
      first: Boolean = true,
      offBy: Int = 0,
      spare: Boolean = true,
      allowed: Boolean = true,
      spills: Boolean = true,
      sure: Boolean = false
  )

  private class Bench(dut: SpillMarks) {
    private val io = dut.io
    val plain: Array[State] = Array.fill(p.endpoints)(new State)
    private var under = Vector.fill(EndpointTable.lead)(Seq.fill(2)(Option.empty[Int]))
    private var chained = false
    var (deferred, released, refilled) = (0, 0, 0)
    quiet()
    waitFor(dut, "the sweep")(io.ready.isOn)
    private def quiet(): Unit = {
      io.spills.poke(true)
      io.deciding.post.valid.poke(false)
      io.deciding.arrival.valid.poke(false)
      for (s <- 0 to 1) {
        io.spare(s).poke(true)
        io.allowed(s).poke(true)
        io.outcomes(s).defers.poke(false)
        io.outcomes(s).releases.poke(false)
        io.outcomes(s).appends.poke(false)
      }
    }

    /** A clock: these endpoints are read; those of `lead` clocks before are decided as `choose`
      * says. Of two, only one may change something.
      */
    def clock(next: Seq[Option[Int]])(choose: (Int, Int) => Step): Unit = {
      quiet()
      for ((at, s) <- next.zipWithIndex) io.read(s).poke(at.getOrElse(0))
      val deciding = under.head
      under = under.tail :+ next
      for ((at, s) <- deciding.zipWithIndex; endpoint <- at) decide(s, choose(s, endpoint))
      dut.clock.step()
    }

    private def decide(s: Int, step: Step): Unit = {
      val op = if (s == 0) io.deciding.post else io.deciding.arrival
      val state = plain(step.endpoint)
      val hosts = !step.refills && !step.releases
      op.valid.poke(step.there)
      op.bits.sweeps.poke(false)
      op.bits.appends.poke(!step.releases)
      val command = op.bits.command
      command.opcode.poke((if (s == 0) Opcodes.post else Opcodes.arrive).value)
      command.searches.poke(hosts)
      command.endpoint.poke(step.endpoint)
      command.spill.refills.poke(step.refills)
      command.spill.releases.poke(step.releases)
      command.spill.first.poke(step.first)
      command.spill.sure.poke(step.sure)
      command.spill.deferrals.poke((state.deferrals + step.offBy) % count)
      io.spare(s).poke(step.spare)
      io.allowed(s).poke(step.allowed)
      io.spills.poke(step.spills)
      assert(io.views(s).spilling.isOn == state.spilling, s"R7: stream $s at ${step.endpoint}")
      val view = io.views(s)
      val overflows = step.spills && !step.spare && step.allowed && hosts
      assert(view.defers.isOn == (state.spilling || overflows), s"$step")
      val seen = step.offBy == 0
      assert(view.releases.isOn == seen, s"$step after ${state.deferrals} deferrals")
      val may = seen || step.sure // the host's commands are held
      assert(view.refills.isOn == (may && step.spare && (step.first || chained)), s"$step")
      if (step.there && step.refills) {
        chained = view.refills.isOn
        io.outcomes(s).appends.poke(chained)
        if (chained) refilled += 1
      }
      if (step.there && step.releases && seen) {
        io.outcomes(s).releases.poke(true)
        state.spilling = false
        released += 1
      }
      if (step.there && hosts && step.defers && view.defers.isOn) {
        io.outcomes(s).defers.poke(true)
        state.spilling = true
        state.deferrals = (state.deferrals + 1) % count
        deferred += 1
      }
    }
    def rest(): Unit = for (_ <- 0 to EndpointTable.lead) clock(Seq(None, None))((_, e) => Step(e))
  }

  private def any(random: Random, endpoint: Int): Step = Step(
    endpoint,
    there = random.nextInt(8) > 0,
    defers = random.nextInt(3) > 0,
    refills = random.nextInt(4) == 0,
    first = random.nextInt(3) == 0,
    offBy = if (random.nextInt(4) == 0) 1 + random.nextInt(3) else 0,
    spare = random.nextInt(3) == 0,
    allowed = random.nextInt(6) > 0,
    spills = random.nextInt(6) > 0,
    sure = random.nextInt(4) == 0
  ) match {
    case step if !step.refills && random.nextInt(5) == 0 => step.copy(releases = true)
    case step                                            => step
  }

  describe("SpillMarks") {
    it("R7: a deferral is seen at every distance, by either stream, and by no other endpoint") {
      marks.run { dut =>
        val bench = new Bench(dut)
        for (distance <- 1 to 6; writer <- 0 to 1; reader <- 0 to 1; other <- Seq(false, true)) {
          val (at, asks) =
            (distance % p.endpoints, (distance + (if (other) 1 else 0)) % p.endpoints)
          def slot(stream: Int, endpoint: Int) =
            Seq.tabulate(2)(s => Option.when(s == stream)(endpoint))
          def choose(first: Step)(stream: Int, endpoint: Int) =
            if (stream == writer && endpoint == at) first else Step(endpoint)
          for (first <- Seq(Step(at, defers = true, spare = false), Step(at, releases = true))) {
            var decided = 0
            // The second decision is checked against the plain marks, like all.
            bench.clock(slot(writer, at))((_, e) => Step(e))
            for (_ <- 1 until distance) bench.clock(Seq(None, None))((s, e) => {
              decided += 1
              choose(first)(s, e)
            })
            bench.clock(slot(reader, asks))((s, e) => {
              decided += 1
              choose(first)(s, e)
            })
            for (_ <- 0 to EndpointTable.lead) bench.clock(Seq(None, None))((s, e) => {
              decided += 1
              if (decided == 1) choose(first)(s, e) else Step(e)
            })
            assert(decided == 2)
          }
        }
        assert(bench.deferred == bench.released && bench.deferred == 6 * 8)
      }
    }

    it("R7, R13: both streams at few endpoints in every clock, deferred, refilled, released") {
      val random = Seeds.random("SpillMarks")
      marks.run { dut =>
        val bench = new Bench(dut)
        def enough = bench.deferred > 150 && bench.released > 40 && bench.refilled > 5
        for (n <- Traffic.until(1500)(enough)) {
          val few = if (n % 300 < 150) 2 else p.endpoints
          // One command a slot, as while memory is registered.
          val stream = random.nextInt(2)
          val next = Seq.tabulate(2)(s => Option.when(s == stream)(random.nextInt(few)))
          bench.clock(next)((_, endpoint) => any(random, endpoint))
        }
        bench.rest()
        assert(enough, s"${bench.deferred}, ${bench.released}, ${bench.refilled}")
      }
    }

    it("R11: of refills in a row, none goes in behind one that did not") {
      marks.run { dut =>
        val bench = new Bench(dut)
        val steps = Seq(true, true, false, true, true).map(spare =>
          Step(1, refills = true, first = false, spare = spare)
        )
        val all = steps.head.copy(first = true) +: steps :+ steps.head.copy(first = true)
        var next = all
        for (n <- 0 until all.size + EndpointTable.lead)
          bench.clock(Seq(None, Option.when(n < all.size)(1))) { (_, _) =>
            val step = next.head
            next = next.tail
            step
          }
        assert(next.isEmpty && bench.refilled == 4)
      }
    }

    it("R14: a reset forgets all marks") {
      marks.run { dut =>
        val bench = new Bench(dut)
        for (e <- 0 until p.endpoints)
          bench.clock(Seq(Some(e), None))((_, at) => Step(at, defers = true, spare = false))
        for (_ <- 0 to EndpointTable.lead)
          bench.clock(Seq(None, None))((_, at) => Step(at, defers = true, spare = false))
        assert(bench.deferred == p.endpoints)
        dut.reset.poke(true)
        dut.clock.step()
        dut.reset.poke(false)
        val again = new Bench(dut)
        for (e <- 0 until p.endpoints) again.clock(Seq(Some(e), Some(e)))((_, at) => Step(at))
        again.rest()
      }
    }
  }
}
