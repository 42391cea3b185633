// SPDX-License-Identifier: Apache-2.0
package tmu.fault

import chisel3._
import tmu.DeviceSpec
import tmu.params.{Presets, TmuParams}

class CheckedHarness(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val word = Input(UInt(9.W))
    val writtenAt = Input(UInt(4.W))
    val readAt = Input(UInt(4.W))
    val flips = Input(UInt(10.W))
    val out = Output(UInt(9.W))
    val broken = Output(Bool())
  })
  private val whole = Checked(p, UInt(9.W), io.word, io.writtenAt)
  private val stored = (whole.asUInt ^ io.flips(whole.getWidth - 1, 0)).asTypeOf(whole)
  io.out := stored.word
  io.broken := stored.broken(io.readAt)
}

class CheckedSpec extends DeviceSpec {
  describe("Checked") {
    val checked = device(new CheckedHarness(Presets.tiny.unit))
    val plain = device(new CheckedHarness(Presets.formal))

    it("R13: is whole as it was stored, and broken with any one bit flipped") {
      checked.run { dut =>
        for (word <- Seq(0, 1, 0x155, 0x1ff); address <- Seq(0, 7, 15)) {
          dut.io.word.poke(word)
          dut.io.writtenAt.poke(address)
          dut.io.readAt.poke(address)
          dut.io.flips.poke(0)
          assert(!dut.io.broken.isOn && dut.io.out.value == word)
          for (bit <- 0 until 10) {
            dut.io.flips.poke(1 << bit)
            assert(dut.io.broken.isOn, s"bit $bit of $word")
          }
        }
      }
    }

    it("R13: is broken at an address that differs in one bit") {
      checked.run { dut =>
        dut.io.flips.poke(0)
        dut.io.word.poke(5)
        for (address <- 0 until 16; bit <- 0 until 4) {
          dut.io.writtenAt.poke(address)
          dut.io.readAt.poke(address ^ (1 << bit))
          assert(dut.io.broken.isOn, s"from $address, bit $bit")
        }
      }
    }

    it("is never broken in a unit without parity, which stores the word alone") {
      plain.run { dut =>
        dut.io.word.poke(0x155)
        dut.io.flips.poke(0)
        dut.io.readAt.poke(1)
        assert(!dut.io.broken.isOn && dut.io.out.value == 0x155)
      }
    }
  }
}
