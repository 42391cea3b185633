// SPDX-License-Identifier: Apache-2.0
package tmu.matching.array

import tmu.{DeviceSpec, Seeds, Traffic}

class EntryCountSpec extends DeviceSpec {
  private val sizes = Seq(2, 5, 8)
  private val counts = sizes.map(entries => entries -> device(new EntryCount(entries)))

  describe("EntryCount") {
    for ((entries, made) <- counts) {
      it(
        s"R11: counts up to $entries entries, and says at once whether there is room for one more"
      ) {
        val random = Seeds.random(s"EntryCount $entries")
        made.run { dut =>
          var (held, full, empty, both) = (0, 0, 0, 0)
          def enough = full > 20 && empty > 20 && both > 20
          for (clock <- Traffic.until(600)(enough)) {
            assert(dut.io.count.value == held, s"clock $clock")
            assert(dut.io.below.isOn == held < entries, s"$held entries, clock $clock")
            if (held == entries) full += 1
            if (held == 0) empty += 1
            // Spells in which more come, and in which more go.
            val grows = clock / 30 % 2 == 0
            val goes = held > 0 && random.nextInt(4) < (if (grows) 1 else 3)
            val comes = held < entries + (if (goes) 1 else 0) &&
              random.nextInt(4) < (if (grows) 3 else 1)
            if (goes && comes) both += 1
            dut.io.comes.poke(comes)
            dut.io.goes.poke(goes)
            held += (if (comes) 1 else 0) - (if (goes) 1 else 0)
            dut.clock.step()
          }
          assert(enough, (full, empty, both))
        }
      }

      it(s"R11: one more than $entries entries stops the simulation") {
        val error = intercept[Exception] {
          made.run { dut =>
            dut.io.goes.poke(false)
            dut.io.comes.poke(true)
            dut.clock.step(entries + 2)
          }
        }
        assert(error.getMessage.matches(s"(?s).*R11: +${entries + 1} entries in a table.*"), error)
      }
    }
  }
}
