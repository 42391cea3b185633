// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import tmu.DeviceSpec
import tmu.params.{SpillParams, TmuParams}

class RefillDemandSpec extends DeviceSpec {
  private val p = TmuParams("refills", 4, 32, 32, arrayEntries = 16, lanes = 4, filterLanes = 16)
  private val s = SpillParams(p)
  private val demand = device(new RefillDemand(s))
  private val span = 1 << SpillParams.restBits

  /** Nothing in memory, full tables. */
  private def rest(dut: RefillDemand): Unit = {
    dut.io.totals.foreach(_.poke(0))
    dut.io.counts(0).poke(p.postedEntries)
    dut.io.counts(1).poke(p.unexpectedEntries)
    dut.io.moving.poke(false)
    dut.io.failed.poke(false)
  }

  private def lowMessages(dut: RefillDemand): Unit = {
    dut.io.totals(1).poke(3)
    dut.io.counts(1).poke(s.low(p.unexpectedEntries) - 1)
  }

  /** Entries move for two clocks. */
  private def move(dut: RefillDemand): Unit = {
    dut.io.moving.poke(true)
    dut.clock.step(2)
    dut.io.moving.poke(false)
    dut.clock.step()
  }

  describe("RefillDemand") {
    it("R11: a refill is due while a table with entries in memory has run low, and not before") {
      demand.run { dut =>
        rest(dut)
        dut.io.counts(1).poke(0)
        dut.clock.step(4)
        assert(!dut.io.due.isOn, "nothing lies in memory")
        dut.io.totals(1).poke(3)
        dut.io.counts(1).poke(s.low(p.unexpectedEntries))
        dut.clock.step(4)
        assert(!dut.io.due.isOn, "the table has not run low")
        lowMessages(dut)
        dut.clock.step(2)
        assert(dut.io.due.isOn)
        dut.io.totals(1).poke(0)
        dut.clock.step(2)
        assert(!dut.io.due.isOn, "nothing is left to return")
      }
    }

    it("R13: it lasts its span although some have moved, and then rests for as long") {
      demand.run { dut =>
        rest(dut)
        lowMessages(dut)
        dut.clock.step(2)
        move(dut)
        assert(dut.io.due.isOn, "too soon to rest")
        dut.clock.step(span)
        assert(dut.io.due.isOn, "none has moved since")
        move(dut)
        assert(!dut.io.due.isOn)
        val rested = waitFor(dut, "the next refill", 2 * span)(dut.io.due.isOn)
        assert(rested >= span - 2 && rested <= span + 2, s"$rested clocks")
      }
    }

    it("R11: none is due once memory has failed") {
      demand.run { dut =>
        rest(dut)
        lowMessages(dut)
        dut.clock.step(2)
        dut.io.failed.poke(true)
        dut.clock.step()
        assert(!dut.io.due.isOn)
        dut.clock.step(span)
        assert(!dut.io.due.isOn)
      }
    }
  }
}
