// SPDX-License-Identifier: Apache-2.0
package tmu.fault

import tmu.DeviceSpec
import tmu.contract.Opcodes
import tmu.params.Presets

class FaultRaiseSpec extends DeviceSpec {
  private val raise = device(new FaultRaise(Presets.tiny))

  /** Who is told that a post of `asks` took an entry that the store has as `entry`'s. */
  private def told(
      dut: FaultRaise,
      asks: Int,
      entry: Int,
      broken: Boolean = false,
      lost: Boolean = false,
      lane: Boolean = false
  ): (Set[Int], Boolean) = {
    dut.io.op.valid.poke(true)
    dut.io.op.bits.command.opcode.poke(Opcodes.post.value)
    dut.io.op.bits.command.endpoint.poke(asks)
    dut.io.outcome.found.poke(true)
    dut.io.outcome.takes.poke(true)
    dut.io.stored.poke(true)
    dut.io.lane.met.poke(lane)
    dut.io.lane.found.poke(lane)
    dut.io.state.poke(false)
    dut.clock.step()
    dut.io.op.valid.poke(false)
    dut.io.stored.poke(false)
    dut.io.lane.met.poke(false)
    dut.io.lane.found.poke(false)
    dut.clock.step()
    dut.io.entryEndpoint.poke(entry)
    dut.io.entryBroken.poke(broken)
    dut.io.entryLost.poke(lost)
    val raised = dut.io.raised.filter(_.valid.isOn).map(_.bits.value.toInt).toSet
    val everyone = dut.io.everyone.isOn
    assert(dut.io.releases.isOn == raised.isEmpty, "a slot of a wrong entry is not lent again")
    dut.clock.step()
    (raised, everyone)
  }

  describe("FaultRaise") {
    it("R13: tells nobody of an entry that is whole") {
      raise.run(dut => assert(told(dut, 1, 1) == (Set(), false)))
    }

    it("R13: tells who asked and whose the entry is") {
      raise.run { dut =>
        assert(told(dut, 1, 1, broken = true) == (Set(1), false))
        assert(told(dut, 1, 2, broken = true) == (Set(1, 2), false))
        assert(told(dut, 1, 2, lane = true) == (Set(1, 2), false))
      }
    }

    it("R13: tells everyone when the entry's own endpoint has lost a bit") {
      raise.run { dut =>
        assert(told(dut, 1, 1, broken = true, lost = true, lane = true) == (Set(1), true))
        assert(told(dut, 1, 1) == (Set(), false))
      }
    }
  }
}
