// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import tmu.layout.{Code, Opcodes}
import tmu.matching.MatchUnit
import tmu.types.MatchCommand

/** Memory is registered with a unit that is at work. */
class RegisteredSpec extends SpillSpec {
  private val unit = device(new MatchUnit(p))

  private class Bench(dut: MatchUnit) {
    private val io = dut.io
    var (accepted, answered, deferred) = (0, 0, 0)
    private val ports = Seq(io.post -> Opcodes.post, io.arrival -> Opcodes.arrive)
    io.endpoint.valid.poke(false)
    io.spill.registered.poke(false)
    io.verdicts.ready.poke(true)
    for ((port, code) <- ports) {
      port.valid.poke(false)
      fill(port.bits, code)
    }
    waitFor(dut, "the sweep")(io.ready.isOn)

    /** Receives and messages of different keys, so that nothing ever matches. */
    private def fill(in: MatchCommand, code: Code): Unit = {
      in.opcode.poke(code.value)
      in.malformed.poke(false)
      in.flushes.poke(false)
      in.searches.poke(true)
      in.endpoint.poke(1)
      in.key.bits.poke(if (code == Opcodes.post) 5 else 6)
      in.ignore.bits.poke(0)
      in.ignore.source.poke(0)
      in.id.poke(3)
    }

    /** A clock in which both streams are offered something, or neither. */
    def clock(offers: Boolean, registered: Boolean): Unit = {
      io.spill.registered.poke(registered)
      for ((port, _) <- ports) port.valid.poke(offers)
      accepted += ports.count { case (port, _) => offers && port.ready.isOn }
      if (io.verdicts.valid.isOn) {
        val bits = io.verdicts.bits
        answered += Seq(bits.post, bits.arrival).count(_.valid.isOn)
      }
      if (io.spill.deferred.valid.isOn) deferred += 1
      dut.clock.step()
    }
    def rest(registered: Boolean): Unit = for (_ <- 0 until 60) clock(offers = false, registered)
  }

  describe("MatchUnit") {
    it("R11: memory that is registered under full load defers one command a clock and loses none") {
      for (before <- 24 until 30) unit.run { dut =>
        val bench = new Bench(dut)
        for (_ <- 0 until before) bench.clock(offers = true, registered = false)
        val full = bench.accepted
        assert(full > 2 * p.postedEntries && bench.deferred == 0)
        for (_ <- 0 until 200) bench.clock(offers = true, registered = true)
        bench.rest(registered = true)
        assert(bench.deferred > 20, "memory counts soon although both streams are never idle")
        assert(bench.accepted == bench.answered + bench.deferred, s"$before clocks")
      }
    }
  }
}
