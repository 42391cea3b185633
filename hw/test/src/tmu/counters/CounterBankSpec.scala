// SPDX-License-Identifier: Apache-2.0
package tmu.counters

import chisel3.Bool
import tmu.Seeds
import tmu.layout.{Code, Opcodes, Statuses}
import tmu.registers.{Counter, Counters}

class CounterBankSpec extends CounterBankBench {
  import Counters._

  private def verdict(dut: CounterBank, opcode: Code, status: Code): Unit = {
    dut.io.events.verdict.valid.poke(true)
    dut.io.events.verdict.bits.opcode.poke(opcode.value)
    dut.io.events.verdict.bits.status.poke(status.value)
  }

  private val verdicts: Seq[(Code, Code, Set[Counter])] = {
    import Statuses.{refusedEndpoint => noEndpoint, refusedPrivilege => noPrivilege, _}
    val refusals = for {
      o <- Opcodes.all
      (s, c) <- Seq(
        noEndpoint -> Counters.refusedEndpoint,
        noPrivilege -> Counters.refusedPrivilege,
        malformed -> Counters.malformed
      )
    } yield (o, s, Set(c))
    Seq(
      (Opcodes.post, matched, Set(posts, postMatched)),
      (Opcodes.post, queued, Set(posts, postQueued)),
      (Opcodes.post, refusedQuota, Set(posts, postRefused)),
      (Opcodes.arrive, matched, Set(arrivals, arriveMatched)),
      (Opcodes.arrive, queued, Set(arrivals, arriveQueued)),
      (Opcodes.arrive, stalled, Set(arrivals, arriveStalled)),
      (Opcodes.probe, found, Set(probes, probeFound)),
      (Opcodes.probe, none, Set(probes)),
      (Opcodes.claim, matched, Set(claims, claimMatched)),
      (Opcodes.claim, none, Set(claims)),
      (Opcodes.cancel, Statuses.cancelled, Set(cancels, Counters.cancelled)),
      (Opcodes.cancel, late, Set(cancels, cancelLate)),
      (Opcodes.flush, removed, Set(removedPosted)),
      (Opcodes.flush, flushed, Set(flushes)),
      (Opcodes.inspect, entry, Set(inspects)),
      (Opcodes.inspect, empty, Set(inspects))
    ) ++ refusals
  }
  private val always = Set(clocks, lastVerdict)

  describe("CounterBank") {
    it("counts each verdict in exactly the counters of its opcode and status") {
      bank.run { dut =>
        var before = snapshot(dut)
        for ((opcode, status, expected) <- verdicts) {
          verdict(dut, opcode, status)
          dut.clock.step()
          val now = snapshot(dut)
          val changed = Counters.all.filter(c => now(c) != before(c)).toSet -- always
          assert(changed == expected, s"${opcode.name} ${status.name}")
          changed.foreach(c => assert(now(c) == before(c) + 1, c.name))
          before = now
        }
      }
    }

    it("R14: counts removed receives and removed messages apart") {
      bank.run { dut =>
        quiet(dut)
        for (unexpected <- Seq(true, true, false, true)) {
          verdict(dut, Opcodes.flush, Statuses.removed)
          dut.io.events.verdict.bits.unexpected.poke(unexpected)
          dut.clock.step()
        }
        val seen = snapshot(dut)
        assert(seen(removedPosted) == 1 && seen(removedUnexpected) == 3 && seen(flushes) == 0)
      }
    }

    it("counts each single event, one a clock") {
      bank.run { dut =>
        val e = dut.io.events
        val singles = Seq[(Bool, Counter)](
          e.activity.busy -> busyClocks,
          e.doorbellErrors(0) -> doorbellErrors,
          e.doorbellErrors(1) -> doorbellErrors,
          e.disabledDrop -> disabledDrops,
          e.completionError -> completionErrors,
          e.registerError -> registerErrors,
          e.ringOverrun -> ringOverruns,
          e.queueOverrun -> queueOverruns
        ) ++ spills(e)
        var before = snapshot(dut)
        for (((signal, counter), i) <- singles.zipWithIndex) {
          signal.poke(true)
          dut.clock.step(i + 1)
          val now = snapshot(dut)
          val changed = Counters.all.filter(c => now(c) != before(c)).toSet - clocks
          assert(changed == Set(counter) && now(counter) - before(counter) == i + 1, counter.name)
          before = now
        }
      }
    }

    it("R12: counts truncated matches beside the match") {
      bank.run { dut =>
        quiet(dut)
        verdict(dut, Opcodes.arrive, Statuses.matched)
        dut.io.events.verdict.bits.truncated.poke(true)
        dut.clock.step()
        val seen = snapshot(dut)
        assert(seen(truncated) == 1 && seen(arriveMatched) == 1)
      }
    }

    it("adds up the entries served in each queue") {
      val random = Seeds.random("CounterBank served")
      bank.run { dut =>
        quiet(dut)
        var sums = (0, 0)
        for (_ <- 0 until 50) {
          val (a, b) = (random.nextInt(65), random.nextInt(65))
          val (askA, askB) = (random.nextBoolean(), random.nextBoolean())
          dut.io.events.activity.postedVisited.valid.poke(askA)
          dut.io.events.activity.postedVisited.bits.poke(a)
          dut.io.events.activity.unexpectedVisited.valid.poke(askB)
          dut.io.events.activity.unexpectedVisited.bits.poke(b)
          dut.clock.step()
          sums = (sums._1 + (if (askA) a else 0), sums._2 + (if (askB) b else 0))
        }
        val seen = snapshot(dut)
        assert((seen(postedVisited).toInt, seen(unexpectedVisited).toInt) == sums)
      }
    }

    it("keeps the high-water mark of each queue") {
      bank.run { dut =>
        quiet(dut)
        for ((a, b) <- Seq(3 -> 1, 9 -> 64, 2 -> 5)) {
          dut.io.events.activity.postedCount.poke(a)
          dut.io.events.activity.unexpectedCount.poke(b)
          dut.clock.step()
        }
        val seen = snapshot(dut)
        assert(seen(postedDepthMax) == 9 && seen(unexpectedDepthMax) == 64)
      }
    }

    it("keeps the clock of the first accepted command and of the last verdict") {
      bank.run { dut =>
        quiet(dut)
        def accept(after: Int): Unit = {
          dut.clock.step(after)
          dut.io.events.activity.accepted.poke(true)
          dut.clock.step()
          dut.io.events.activity.accepted.poke(false)
        }
        def answer(after: Int): Unit = {
          dut.clock.step(after)
          verdict(dut, Opcodes.probe, Statuses.none)
          dut.clock.step()
          dut.io.events.verdict.valid.poke(false)
        }
        accept(10)
        answer(6)
        accept(3)
        answer(20)
        val seen = snapshot(dut)
        assert(seen(lastVerdict) - seen(firstAccept) == 7 + 4 + 21)
      }
    }

    it("shows 0 after reset, also where memories held something else") {
      bank.run { dut =>
        quiet(dut)
        assert(dut.io.busy.isOn)
        waitFor(dut, "the first round")(!dut.io.busy.isOn)
        assert(shown(dut).values.forall(_ == 0))
        assert(take(dut)(posts) == 0)
      }
    }

    it("shows what was at one clock after it was asked for, until the next snapshot") {
      val random = Seeds.random("CounterBank snapshot")
      bank.run { dut =>
        quiet(dut)
        dut.io.events.activity.busy.poke(true)
        dut.io.events.registerError.poke(true)
        for (_ <- 0 until 8) {
          dut.clock.step(random.nextInt(100))
          val first = take(dut)
          assert(first(busyClocks) == first(registerErrors), "all counters of one clock")
          assert(first(clocks) - first(busyClocks) <= 2, "events are registered once")
          val asked = take(dut)(clocks)
          assert(asked > first(clocks) && asked - first(clocks) <= 3 * Counters.all.size)
          dut.clock.step(random.nextInt(100))
          assert(shown(dut)(clocks) == asked, "until the next one")
        }
      }
    }

    it("loses no event between rounds") {
      val random = Seeds.random("CounterBank rounds")
      bank.run { dut =>
        quiet(dut)
        var sum = 0
        for (_ <- 0 until 1000) {
          for (event <- dut.io.events.doorbellErrors) {
            val on = random.nextBoolean()
            event.poke(on)
            if (on) sum += 1
          }
          dut.clock.step()
        }
        assert(snapshot(dut)(doorbellErrors) == sum)
      }
    }

    it("takes another snapshot that is asked for while one is made") {
      bank.run { dut =>
        quiet(dut)
        waitFor(dut, "the first round")(!dut.io.busy.isOn)
        dut.io.snapshot.poke(true)
        dut.clock.step()
        dut.io.snapshot.poke(false)
        dut.clock.step(Counters.all.size)
        dut.io.events.doorbellErrors(0).poke(true)
        dut.clock.step()
        dut.io.events.doorbellErrors(0).poke(false)
        dut.clock.step()
        assert(dut.io.busy.isOn && take(dut)(doorbellErrors) == 1)
      }
    }
  }
}
