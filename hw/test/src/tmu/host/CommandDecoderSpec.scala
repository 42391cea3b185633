// SPDX-License-Identifier: Apache-2.0
package tmu.host

import tmu.DeviceSpec
import tmu.layout.{CommandLayout, Opcodes}
import tmu.params.Presets

class CommandDecoderSpec extends DeviceSpec {
  import CommandLayout.handle
  private val decoder = device(new CommandDecoder(Presets.tiny.unit))

  private def offer(dut: CommandDecoder, page: Int, n: Int): Unit = {
    dut.io.in.valid.poke(true)
    dut.io.in.bits.page.poke(page)
    dut.io.in.bits.record.poke(CommandRecord(Opcodes.probe, handle -> BigInt(n)))
  }
  private def quiet(dut: CommandDecoder): Unit = {
    dut.io.in.valid.poke(false)
    dut.io.post.ready.poke(false)
    dut.io.arrival.ready.poke(false)
    dut.io.discard.poke(false)
  }

  /** Gives it a probe; it holds the record now. */
  private def hold(dut: CommandDecoder, n: Int): Unit = {
    quiet(dut)
    offer(dut, 1, n)
    dut.clock.step()
    quiet(dut)
  }

  describe("CommandDecoder") {
    it("holds four while nothing leaves, and loses none") {
      decoder.run { dut =>
        quiet(dut)
        var taken = 0
        for (_ <- 0 until 8) {
          offer(dut, 1, taken)
          if (dut.io.in.ready.isOn) taken += 1
          dut.clock.step()
        }
        assert(taken == 4)
        dut.io.in.valid.poke(false)
        dut.io.post.ready.poke(true)
        for (n <- 0 until 4) {
          assert(dut.io.post.valid.isOn && dut.io.post.bits.handle.value == n)
          dut.clock.step()
        }
        assert(!dut.io.post.valid.isOn && dut.io.idle.isOn)
      }
    }

    it("R7: gives each command to its stream, in the order in which they came") {
      decoder.run { dut =>
        quiet(dut)
        val sent = Seq(Opcodes.arrive, Opcodes.probe, Opcodes.cancel, Opcodes.arrive)
        for ((opcode, n) <- sent.zipWithIndex) {
          dut.io.in.valid.poke(true)
          dut.io.in.bits.page.poke(1)
          dut.io.in.bits.record.poke(CommandRecord(opcode, handle -> BigInt(n)))
          dut.clock.step()
        }
        quiet(dut)
        for ((opcode, n) <- sent.zipWithIndex) {
          val (at, other) =
            if (opcode == Opcodes.probe) (dut.io.post, dut.io.arrival)
            else (dut.io.arrival, dut.io.post)
          other.ready.poke(true)
          at.ready.poke(false)
          dut.clock.step()
          assert(at.valid.isOn && at.bits.handle.value == n && !other.valid.isOn)
          at.ready.poke(true)
          dut.clock.step()
        }
        assert(dut.io.idle.isOn)
      }
    }

    it("drops what it holds while the unit is being reset, and says so") {
      decoder.run { dut =>
        hold(dut, 9)
        dut.io.discard.poke(true)
        assert(!dut.io.idle.isOn && dut.io.taken.isOn)
        dut.clock.step()
        for (_ <- 0 until 2) {
          assert(!dut.io.post.valid.isOn && dut.io.idle.isOn)
          dut.clock.step()
        }
      }
    }

    it("hands over what it has decoded while the unit is being reset, and says so") {
      decoder.run { dut =>
        hold(dut, 9)
        dut.clock.step()
        dut.io.discard.poke(true)
        for (_ <- 0 until 3) {
          assert(!dut.io.taken.isOn && (dut.io.post.valid.isOn || dut.io.arrival.valid.isOn))
          dut.clock.step()
        }
        dut.io.post.ready.poke(true)
        dut.io.arrival.ready.poke(true)
        dut.clock.step()
        assert(dut.io.taken.isOn && dut.io.idle.isOn)
      }
    }
  }
}
