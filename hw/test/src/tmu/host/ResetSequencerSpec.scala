// SPDX-License-Identifier: Apache-2.0
package tmu.host

import tmu.DeviceSpec

class ResetSequencerSpec extends DeviceSpec {
  private val sequencer = device(new ResetSequencer)

  private def sweepDone(dut: ResetSequencer): Unit = {
    dut.io.request.poke(false)
    dut.io.drained.poke(false)
    dut.io.swept.poke(true)
    dut.clock.step()
    dut.io.swept.poke(false)
    assert(dut.io.ready.isOn)
  }

  describe("ResetSequencer") {
    it("R14: is not ready after power-up before everything is swept") {
      sequencer.run { dut =>
        dut.io.swept.poke(false)
        for (_ <- 0 until 5) {
          assert(!dut.io.ready.isOn && dut.io.discard.isOn && !dut.io.clear.isOn)
          dut.clock.step()
        }
        sweepDone(dut)
        assert(!dut.io.discard.isOn)
      }
    }

    it("drops what waits until the unit is drained, then clears for exactly one clock") {
      sequencer.run { dut =>
        sweepDone(dut)
        dut.io.request.poke(true)
        dut.clock.step()
        dut.io.request.poke(false)
        for (_ <- 0 until 7) {
          assert(dut.io.discard.isOn && !dut.io.clear.isOn && !dut.io.ready.isOn)
          dut.clock.step()
        }
        dut.io.drained.poke(true)
        dut.clock.step()
        assert(dut.io.clear.isOn && dut.io.discard.isOn)
        dut.clock.step()
        for (_ <- 0 until 7) {
          assert(!dut.io.clear.isOn && dut.io.discard.isOn && !dut.io.ready.isOn)
          dut.clock.step()
        }
        sweepDone(dut)
      }
    }

    it("does not start over when asked again during a reset") {
      sequencer.run { dut =>
        sweepDone(dut)
        dut.io.request.poke(true)
        dut.io.drained.poke(true)
        dut.clock.step(2)
        assert(dut.io.clear.isOn)
        dut.clock.step()
        dut.clock.step(3)
        assert(!dut.io.clear.isOn && !dut.io.ready.isOn)
        sweepDone(dut)
      }
    }
  }
}
