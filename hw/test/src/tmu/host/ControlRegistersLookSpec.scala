// SPDX-License-Identifier: Apache-2.0
package tmu.host

import tmu.DeviceSpec

/** Registers that show queues in memory. */
class ControlRegistersLookSpec extends DeviceSpec with ControlRegistersBench {
  private def shows(dut: ControlRegisters, resting: Boolean): Unit = {
    val seen = dut.io.look.seen
    seen.resting.poke(resting)
    seen.failed.poke(false)
    seen.count.poke(130)
    seen.head.poke(511)
    seen.chunk.next.poke(300)
    seen.chunk.live.poke(BigInt("fedcba987654321", 16))
    seen.chunk.brokenNext.poke(false)
    seen.chunk.brokenLive.poke(false)
  }
  private def test(body: ControlRegisters => Unit): Unit = registers.run { dut =>
    quiet(dut)
    shows(dut, resting = false)
    body(dut)
  }

  describe("ControlRegisters") {
    it("R11: hands a look at queues in memory on, and shows what was seen") {
      test { dut =>
        def look(endpoint: Int, value: Int = 1): Seq[Seq[BigInt]] = {
          var asked = Seq.empty[Seq[BigInt]]
          write(dut, "ENDPOINT_SELECT", endpoint)
          assert(tryWrite(dut, dut.io.axi, offset("SPILL_LOOK"), value, 15) {
            val ask = dut.io.look.ask
            val bits = Seq(ask.bits.endpoint, ask.bits.unexpected, ask.bits.chunk)
            if (ask.valid.isOn) asked :+= bits.map(_.value)
          } == 0)
          asked
        }
        write(dut, "SPILL_SELECT", (BigInt(1) << 31) | 257)
        assert(look(3) == Seq(Seq[BigInt](3, 1, 257)))
        assert(look(3, value = 0).isEmpty)
        assert(read(dut, "SPILL_STATE") == 0, "not at rest")
        shows(dut, resting = true)
        assert(read(dut, "SPILL_STATE") == 1 && read(dut, "SPILL_COUNT") == 130)
        assert(read(dut, "SPILL_HEAD") == 511 && read(dut, "SPILL_NEXT") == 300)
        assert(read(dut, "SPILL_LIVE_LO") == BigInt("87654321", 16))
        assert(read(dut, "SPILL_LIVE_HI") == BigInt("fedcba9", 16))
        for (
          (bit, state) <- Seq(
            dut.io.look.seen.failed -> 4,
            dut.io.look.seen.chunk.brokenNext -> 8,
            dut.io.look.seen.chunk.brokenLive -> 16
          )
        ) {
          bit.poke(true)
          assert(read(dut, "SPILL_STATE") == (1 | state))
          bit.poke(false)
        }
        assert(look(p.endpoints).isEmpty, "R13: not there")
        assert(read(dut, "SPILL_STATE") == 2)
        assert(look(1).size == 1 && read(dut, "SPILL_STATE") == 1)
      }
    }

    it("waits with every access until a look is over") {
      test { dut =>
        dut.io.look.busy.poke(true)
        dut.io.axi.araddr.poke(offset("SPILL_COUNT"))
        dut.io.axi.arvalid.poke(true)
        dut.io.axi.rready.poke(true)
        dut.clock.step()
        dut.io.axi.arvalid.poke(false)
        for (_ <- 0 until 12) {
          assert(!dut.io.axi.rvalid.isOn)
          dut.clock.step()
        }
        dut.io.look.busy.poke(false)
        waitFor(dut, "the answer", 8)(dut.io.axi.rvalid.isOn)
        assert(dut.io.axi.rdata.value == 130)
      }
    }
  }
}
