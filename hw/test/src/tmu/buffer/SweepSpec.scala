// SPDX-License-Identifier: Apache-2.0
package tmu.buffer

import tmu.DeviceSpec

class SweepSpec extends DeviceSpec {
  describe("Sweep") {
    for (depth <- Seq(4, 5)) {
      val sweep = device(new Sweep(depth))
      it(s"R14: names each of $depth addresses once after every reset, then is ready") {
        sweep.run { dut =>
          for (_ <- 0 until 2) {
            for (index <- 0 until depth) {
              assert(!dut.io.ready.isOn && dut.io.index.value == index)
              dut.clock.step()
            }
            dut.clock.step(2 * depth)
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
