// SPDX-License-Identifier: Apache-2.0
package tmu.counters

import chisel3._
import tmu.{DeviceSpec, Seeds}
import tmu.params.Presets
import tmu.registers.{Counter, Counters}

class PageCountersSpec extends DeviceSpec {
  private val clocks = 400
  private val round = Counters.all.size

  /** A counter bank in which each clock counts as so many other events, and its snapshot. */
  private class Harness extends Module {
    val io = IO(new Bundle {
      val clear = Input(Bool())
      val ask = Input(Bool())
      val look = Flipped(new SnapshotLook)
    })
    private val bank =
      withReset(reset.asBool || io.clear)(Module(new CounterBank(Presets.tiny.unit)))
    private val events = Wire(new CounterEvents(Presets.tiny.unit))
    events := 0.U.asTypeOf(events)
    for (flag <- Seq(events.activity.busy, events.disabledDrop, events.spill.taken)) flag := true.B
    bank.io.events := events
    bank.io.snapshot := false.B
    bank.io.index := 0.U
    private val snapshots = Module(new PageCounters(clocks))
    snapshots.io.round := bank.io.round
    snapshots.io.clear := io.clear
    snapshots.io.ask := io.ask
    io.look <> snapshots.io.look
  }
  private val harness = device(new Harness)

  private class Page(dut: Harness) {
    dut.io.ask.poke(false)
    dut.io.clear.poke(false)

    /** Clocks since the reset of the counters. */
    var now = 0
    def step(): Unit = {
      dut.clock.step()
      now += 1
    }
    def number: Int = dut.io.look.number.value.toInt
    def whole: Boolean = number % 2 == 0
    def ask(): Unit = {
      dut.io.ask.poke(true)
      step()
      dut.io.ask.poke(false)
    }
    def until(what: String, limit: Int)(condition: => Boolean): Unit = {
      val start = now
      while (!condition) {
        assert(now - start < limit, s"$what does not happen within $limit clocks")
        step()
      }
    }
    def counter(c: Counter): Int = {
      val index = Counters.all.indexOf(c)
      dut.io.look.line.poke(index / PageCounters.lineWords)
      step()
      dut.io.look.words(index % PageCounters.lineWords).value.toInt
    }

    /** Clocks counted in the snapshot, which has to be of one clock. */
    def clocksShown(): Int = {
      val shown = counter(Counters.clocks)
      val same = Seq(Counters.busyClocks, Counters.disabledDrops, Counters.spillTaken)
      // Events are registered once, clocks are not.
      same.foreach(c => assert(counter(c) == math.max(shown - 1, 0), c.name))
      shown
    }
    def clear(): Unit = {
      dut.io.clear.poke(true)
      step()
      dut.io.clear.poke(false)
      now = 0
    }
  }
  private def test(body: Page => Unit): Unit = harness.run(dut => body(new Page(dut)))

  describe("PageCounters") {
    it("has no snapshot after a reset, and then one of nothing, unasked") {
      test { page =>
        assert(!page.whole)
        page.until("the first snapshot", round + 4)(page.whole)
        assert(Counters.all.map(page.counter(_)).forall(_ == 0))
      }
    }

    it("shows all counters of one clock, and 0 behind the last one") {
      harness.run { dut =>
        val page = new Page(dut)
        page.until("the first snapshot", round + 4)(page.whole)
        val first = page.number
        page.ask()
        page.until("the asked one", 2 * round + 4)(page.number == first + 2)
        assert(page.clocksShown() > 0)
        for (at <- Counters.all.size until PageCounters.lineWords << PageCounters.lineBits) {
          dut.io.look.line.poke(at / PageCounters.lineWords)
          page.step()
          assert(dut.io.look.words(at % PageCounters.lineWords).value == 0, s"word $at")
        }
      }
    }

    it("is of a clock after the number was read, whenever it is asked for") {
      val random = Seeds.random("PageCounters ask")
      test { page =>
        page.until("the first snapshot", round + 4)(page.whole)
        for (_ <- 0 until 60) {
          (0 until random.nextInt(2 * round)).foreach(_ => page.step())
          // One that is not whole yet may be of an earlier clock; then it takes the one after it.
          val (before, at) = (page.number, page.now)
          val wanted = before / 2 + 1 + before % 2
          page.ask()
          page.until("the asked one", clocks + 2 * round + 4)(
            page.whole && page.number / 2 >= wanted
          )
          val shown = page.clocksShown()
          assert(shown >= at - 2 && shown <= page.now, s"of clock $shown, asked for at $at")
        }
      }
    }

    it("R13: stands as long as it says, however often pages ask") {
      harness.run { dut =>
        val page = new Page(dut)
        dut.io.ask.poke(true)
        page.until("the first asked one", 4 * round)(
          page.whole && page.counter(Counters.clocks) > 0
        )
        for (_ <- 0 until 5) {
          val (number, start) = (page.number, page.now)
          val shown = page.clocksShown()
          page.until("the next one", clocks + round)(page.number != number)
          assert(page.now - start >= clocks - 2 * round, "long enough to be read")
          page.until("its end", round + 4)(page.whole)
          assert(page.clocksShown() - shown >= clocks && page.number == number + 2)
        }
        dut.io.ask.poke(false)
      }
    }

    it("R14: a reset in the middle shows nothing that is half old, and no number again") {
      val random = Seeds.random("PageCounters reset")
      test { page =>
        for (_ <- 0 until 40) {
          val before = page.number
          if (random.nextBoolean()) page.ask()
          (0 until random.nextInt(2 * round)).foreach(_ => page.step())
          val last = page.number
          page.clear()
          assert(!page.whole, "nothing is whole once counters are reset")
          page.until("a snapshot of nothing", round + 4)(page.whole)
          assert(page.counter(Counters.clocks) == 0 && page.number > last && last >= before)
        }
      }
    }
  }
}
