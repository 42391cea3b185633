// SPDX-License-Identifier: Apache-2.0
package tmu.fault

import tmu.DeviceSpec
import tmu.layout.{Code, Opcodes}
import tmu.params.Presets

class FaultRaiseSpec extends DeviceSpec {
  private val raise = device(new FaultRaise(Presets.tiny.unit))

  /** Endpoints told when a post of `asks` took an entry that the store has as `entry`'s. */
  private def told(
      dut: FaultRaise,
      asks: Int,
      entry: Int,
      broken: Boolean = false,
      lost: Boolean = false,
      lane: Boolean = false,
      turned: Boolean = false,
      opcode: Code = Opcodes.post
  ): (Set[Int], Boolean) = {
    dut.io.op.valid.poke(true)
    dut.io.op.bits.command.opcode.poke(opcode.value)
    dut.io.op.bits.command.endpoint.poke(asks)
    dut.io.outcome.found.poke(true)
    dut.io.outcome.takes.poke(true)
    dut.io.stored.poke(true)
    dut.io.lane.compared.poke(lane)
    dut.io.lane.found.poke(lane)
    dut.io.state.poke(false)
    dut.clock.step()
    dut.io.op.valid.poke(false)
    dut.io.stored.poke(false)
    dut.io.lane.compared.poke(false)
    dut.io.lane.found.poke(false)
    // The lane has the endpoint that was asked for, whether it was stored so or a bit has turned.
    dut.io.endpointParity.poke((Integer.bitCount(asks) % 2 == 1) != turned)
    dut.clock.step()
    dut.io.endpointParity.poke(false)
    dut.io.entryEndpoint.poke(entry)
    dut.io.entryBroken.poke(broken)
    dut.io.entryLost.poke(lost)
    val raised = dut.io.raised.filter(_.valid.isOn).map(_.bits.value.toInt).toSet
    val everyone = dut.io.everyone.isOn
    assert(dut.io.releases.isOn == raised.isEmpty, "a slot of a wrong entry is not allocated again")
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
      }
    }

    it("R13: tells the one whose lane has turned into the asker's, and nobody else") {
      raise.run { dut =>
        for (asks <- 0 until 4; entry <- 0 until 4) {
          assert(told(dut, asks, entry, lane = true) == (Set(asks), false), "a slot, or a key")
          val free = told(dut, asks, entry, broken = true, lost = true, lane = true)
          assert(free == (Set(asks), false), "the slot of a lane, and there was never an entry")
          assert(told(dut, asks, entry, lane = true, turned = true) == (Set(asks, entry), false))
        }
      }
    }

    it("R13: of an inspect, tells whose the entry is that it has seen at the wrong position") {
      raise.run { dut =>
        val inspected = told(dut, 1, 2, lane = true, opcode = Opcodes.inspect)
        assert(inspected == (Set(2), false))
      }
    }

    it("R13: tells everyone when the entry's own endpoint has lost a bit") {
      raise.run { dut =>
        assert(told(dut, 1, 1, broken = true, lost = true) == (Set(1), true))
        val lifted = told(dut, 1, 1, broken = true, lost = true, lane = true, turned = true)
        assert(lifted == (Set(1), true), "and its lane has it from there")
        assert(told(dut, 1, 1) == (Set(), false))
      }
    }
  }
}
