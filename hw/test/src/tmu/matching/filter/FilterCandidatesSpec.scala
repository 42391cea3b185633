// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import tmu.DeviceSpec
import tmu.matching.RowsParams
import tmu.params.TableParams

class FilterCandidatesSpec extends DeviceSpec {
  private val p = RowsParams("candidates", 32)
  private val t = TableParams.posted(p)
  private val candidates = device(new FilterCandidates(p, t))

  /** A lane of row 5 is picked; in the next clock the entry that was compared holds, or not. */
  private def clock(dut: FilterCandidates, pick: Option[Int], holds: Boolean): Unit = {
    dut.io.picks.poke(pick.isDefined)
    dut.io.oldest.poke(pick.fold(1)(1 << _))
    dut.io.row.poke(5)
    dut.clock.step()
    dut.io.holds.poke(holds)
    // Slots of its row, a clock later.
    for (i <- 0 until 4) dut.io.slots(i).poke(10 + i)
  }

  describe("FilterCandidates") {
    it("R1: the first that holds is the answer, four clocks after it was picked") {
      candidates.run { dut =>
        dut.io.lifting.poke(false)
        clock(dut, Some(0), holds = false)
        clock(dut, Some(2), holds = false)
        assert(dut.io.readSlot.valid.isOn && dut.io.readSlot.bits.value == 10)
        clock(dut, Some(3), holds = false)
        assert(dut.io.readSlot.bits.value == 12 && dut.io.reading.slot.value == 10)
        clock(dut, None, holds = false)
        assert(dut.io.checked.isOn && !dut.io.verified.isOn, "a false hit is no answer")
        clock(dut, None, holds = true)
        assert(dut.io.checked.isOn && dut.io.verified.isOn)
        assert(dut.io.found.slot.value == 12 && dut.io.found.row.value == 5)
        assert(dut.io.found.lane.value == 2)
        for (_ <- 0 until 4) {
          clock(dut, None, holds = true)
          assert(!dut.io.checked.isOn && !dut.io.verified.isOn, "what is behind it is dropped")
        }
        assert(dut.io.empty.isOn)
      }
    }

    it("R3: what is lifted leaves without being compared, in its order") {
      candidates.run { dut =>
        dut.io.lifting.poke(true)
        clock(dut, Some(1), holds = true)
        clock(dut, Some(2), holds = true)
        assert(!dut.io.empty.isOn)
        clock(dut, None, holds = true)
        assert(dut.io.lifted.isOn && dut.io.reading.slot.value == 11)
        clock(dut, None, holds = true)
        assert(dut.io.lifted.isOn && dut.io.reading.slot.value == 12)
        clock(dut, None, holds = true)
        assert(!dut.io.lifted.isOn && !dut.io.checked.isOn && dut.io.empty.isOn)
      }
    }
  }
}
