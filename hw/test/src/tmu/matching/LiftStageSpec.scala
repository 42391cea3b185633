// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import tmu.DeviceSpec
import tmu.params.{TableParams, TmuParams}

class LiftStageSpec extends DeviceSpec {
  private val p = TmuParams(
    "lift",
    endpoints = 2,
    postedEntries = 128,
    unexpectedEntries = 128,
    arrayEntries = 64,
    lanes = 32,
    filterLanes = 4
  )
  private val t = TableParams.posted(p)
  private val stage = device(new LiftStage(p))

  /** Rows with so many messages and receives, and so many free lanes; all is at rest. */
  private def rest(dut: LiftStage, counts: Seq[Int], free: Seq[Int]): Unit = {
    for (q <- 0 to 1) {
      dut.io.counts(q).poke(counts(q))
      dut.io.inRows(q).poke(counts(q) > 0)
      dut.io.free(q).poke(free(q))
    }
    Seq(dut.io.waiting, dut.io.decided, dut.io.parks, dut.io.lifting).foreach(_.poke(false))
    Seq(dut.io.idle, dut.io.rowsIdle, dut.io.drained).foreach(_.poke(true))
  }

  /** A lift that has started is under way. */
  private def lifts(dut: LiftStage): Unit = {
    dut.clock.step()
    dut.io.idle.poke(false)
    dut.io.lifting.poke(true)
    dut.io.rowsIdle.poke(false)
  }

  describe("LiftStage") {
    it("R3, R4: lifts when lanes can be filled, or when all that is in the rows can go") {
      stage.run { dut =>
        val cases = Seq(
          (Seq(9, 0), Seq(t.lift - 1, 64), false),
          (Seq(9, 0), Seq(t.lift, 0), true),
          (Seq(0, 9), Seq(0, t.lift), true),
          (Seq(1, 1), Seq(1, 1), true),
          (Seq(1, 2), Seq(1, 1), false),
          (Seq(0, 0), Seq(64, 64), false)
        )
        for ((counts, free, starts) <- cases) {
          rest(dut, counts, free)
          dut.io.drained.poke(false)
          dut.clock.step(2)
          val name = s"$counts in the rows, $free free lanes"
          assert(!dut.io.starts.isOn, "the unit is not empty")
          assert(dut.io.holdsBack.isOn == starts && dut.io.holdsInspects.isOn == starts, name)
          dut.io.drained.poke(true)
          assert(dut.io.starts.isOn == starts, name)
          for (q <- 0 to 1) {
            assert(dut.io.lifts(q).valid.isOn == (starts && counts(q) > 0 && free(q) > 0), name)
            assert(dut.io.lifts(q).bits.value == math.min(free(q), t.liftMost), name)
          }
          dut.io.drained.poke(false)
        }
      }
    }

    it("R7: when an operation waits, a slot is decided between two lifts") {
      stage.run { dut =>
        rest(dut, Seq(9, 0), Seq(t.lift, 0))
        dut.clock.step()
        assert(dut.io.starts.isOn, "the first one needs not wait")
        dut.clock.step()
        dut.io.waiting.poke(true)
        dut.clock.step()
        assert(!dut.io.starts.isOn)
        dut.io.decided.poke(true)
        dut.clock.step()
        dut.io.decided.poke(false)
        assert(dut.io.starts.isOn)
      }
    }

    it(
      "R7: nothing enters while entries are lifted, but what ends its walk after the last of them"
    ) {
      stage.run { dut =>
        rest(dut, Seq(16, 0), Seq(16, 0))
        dut.io.drained.poke(false)
        dut.clock.step(3)
        dut.io.drained.poke(true)
        assert(dut.io.starts.isOn)
        lifts(dut)
        rest(dut, Seq(0, 0), Seq(0, 0))
        dut.io.idle.poke(false)
        dut.io.lifting.poke(true)
        dut.io.rowsIdle.poke(false)
        dut.clock.step()
        val clocks = 1 + waitFor(dut, "the unit opens")(!dut.io.holdsBack.isOn)
        assert(clocks == 16 + LiftStage.clocks - t.walk, s"$clocks clocks")
      }
    }

    it("R3: it ends three clocks after the rows are at rest") {
      stage.run { dut =>
        rest(dut, Seq(9, 0), Seq(t.lift, 0))
        dut.clock.step()
        assert(dut.io.starts.isOn)
        lifts(dut)
        dut.clock.step(3)
        dut.io.rowsIdle.poke(true)
        assert(!dut.io.ends.isOn)
        dut.clock.step()
        assert(!dut.io.ends.isOn)
        dut.clock.step()
        assert(dut.io.ends.isOn)
      }
    }

    it("R4: while slots are parked and the rows are empty, only the unit has to empty") {
      stage.run { dut =>
        rest(dut, Seq(0, 0), Seq(64, 64))
        dut.io.parks.poke(true)
        assert(dut.io.holdsBack.isOn && !dut.io.starts.isOn)
        dut.io.parks.poke(false)
        assert(!dut.io.holdsBack.isOn)
      }
    }
  }
}
