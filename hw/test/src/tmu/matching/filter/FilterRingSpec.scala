// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import tmu.{DeviceSpec, Seeds}
import tmu.matching.RowsParams
import tmu.params.TableParams

class FilterRingSpec extends DeviceSpec {
  private val p = RowsParams("ring", 16)
  private val t = TableParams.posted(p)
  private val ring = device(new FilterRing(t))
  private val indices = 1 << t.filterIndexBits

  private def poke(dut: FilterRing, enters: Boolean, leaves: Boolean, lifts: Boolean): Unit = {
    dut.io.enters.poke(enters)
    dut.io.leaves.poke(leaves)
    dut.io.lifts.poke(lifts)
  }
  private def step(dut: FilterRing, enters: Boolean, leaves: Boolean, lifts: Boolean): Unit = {
    poke(dut, enters, leaves, lifts)
    dut.clock.step()
  }

  describe("FilterRing") {
    it("begins empty, and the first index is the first entry's") {
      ring.run { dut =>
        poke(dut, enters = false, leaves = false, lifts = false)
        assert(!dut.io.extent.some.isOn && dut.io.count.value == 0)
        assert(dut.io.extent.head.value == 0 && dut.io.free.value == 0)
      }
    }

    it("R7: knows its indices after any sequence, also when one enters as another leaves") {
      val random = Seeds.random("FilterRing")
      ring.run { dut =>
        var (head, count) = (0, 0)
        for (_ <- 0 until 2000) {
          val lifts = count > 0 && random.nextInt(4) == 0
          val leaves = !lifts && count > 0 && random.nextInt(3) == 0
          val enters = !lifts && random.nextBoolean() && (leaves || count < t.filterEntries)
          poke(dut, enters, leaves, lifts)
          assert(dut.io.extent.head.value == head && dut.io.count.value == count)
          assert(dut.io.extent.some.isOn == count > 0)
          assert(dut.io.extent.last.value == (head + count - 1 + indices) % indices)
          val used = if (leaves) count - 1 else count
          assert(dut.io.free.value == (head + used) % indices)
          dut.clock.step()
          if (lifts) head = (head + 1) % indices
          count += (if (enters) 1 else 0) - (if (leaves || lifts) 1 else 0)
        }
        poke(dut, enters = false, leaves = false, lifts = false)
      }
    }

    def stops(name: String, words: String)(body: FilterRing => Unit): Unit =
      it(s"$name stops the simulation") {
        val error = intercept[Exception] {
          ring.run { dut =>
            body(dut)
            dut.clock.step(2)
          }
        }
        assert(error.getMessage.contains(words))
      }
    stops("R11: an entry too many", "R11: append to") { dut =>
      for (_ <- 0 to t.filterEntries) step(dut, enters = true, leaves = false, lifts = false)
    }
    stops("R7: an entry that leaves empty rows", "R7: an entry left empty memory rows") { dut =>
      step(dut, enters = false, leaves = true, lifts = false)
    }
  }
}
