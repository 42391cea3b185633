// SPDX-License-Identifier: Apache-2.0
package tmu.buffer

import tmu.DeviceSpec

class SweepSpec extends DeviceSpec {
  describe("Sweep") {
    for (places <- Seq(4, 5)) {
      val sweep = device(new Sweep(places))
      it(s"R14: names each of $places places once after every reset, then is ready") {
        sweep.run { dut =>
          for (_ <- 0 until 2) {
            for (place <- 0 until places) {
              assert(!dut.io.ready.isOn && dut.io.place.value == place)
              dut.clock.step()
            }
            dut.clock.step(2 * places)
            assert(dut.io.ready.isOn)
            dut.reset.poke(true)
            dut.clock.step()
            dut.reset.poke(false)
          }
        }
      }
    }
  }
}
