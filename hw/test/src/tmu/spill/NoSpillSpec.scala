// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import tmu.DeviceSpec
import tmu.params.Presets

/** Module that replaces memory where there is none. */
class NoSpillSpec extends DeviceSpec {
  private val bare = Presets.tiny.unit.copy(name = "bare", spillSegments = 0)
  private val none = device(new NoSpill(bare))

  describe("NoSpill") {
    it(
      "R11: registers nothing, asks for nothing, and every queue that software looks at is empty"
    ) {
      none.run { dut =>
        val io = dut.io
        Seq(
          io.unit.deferred.valid,
          io.register.valid,
          io.inject.ready,
          io.verdict.ready,
          io.discard
        )
          .foreach(_.poke(false))
        io.look.ask.valid.poke(true)
        io.look.ask.bits.chunk.poke(3)
        for (_ <- 0 until 3) {
          assert(io.ready.isOn && io.idle.isOn)
          assert(!io.unit.registered.isOn && io.segments.value == 0 && io.spare.value == 0)
          assert(!io.inject.valid.isOn && !io.verdict.valid.isOn && !io.raised.valid.isOn)
          assert(!io.axi.awvalid.isOn && !io.axi.wvalid.isOn && !io.axi.arvalid.isOn)
          assert(!io.turns.crowded.isOn && !io.turns.scarce.isOn && !io.turns.holds.isOn)
          assert(!io.look.busy.isOn && io.look.seen.resting.isOn && !io.look.seen.failed.isOn)
          assert(io.look.seen.count.value == 0 && (io.depths ++ io.totals).forall(_.value == 0))
          dut.clock.step()
        }
      }
    }
  }
}
