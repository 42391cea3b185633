// SPDX-License-Identifier: Apache-2.0
package tmu.fault

import chisel3._
import chisel3.util.Valid
import tmu.DeviceSpec
import tmu.params.{Presets, TmuParams}
import tmu.registers.FaultStores

/** A word on its way to its store. */
class FaultFlipHarness(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val request = Flipped(Valid(new FaultRequest))
    val word = Input(UInt(9.W))
    val out = Output(UInt(9.W))
    val view = Output(new FaultView)
  })
  private val (out, view) =
    FaultFlip(p, FaultStores.marks, io.word, io.request, true.B)
  io.out := out
  io.view := view
}

class FaultFlipSpec extends DeviceSpec {
  private val store = FaultStores.marks
  private val width = 12
  private val flip = device(new FaultFlip(store, width))

  private def ask(dut: FaultFlip, number: Int, bit: Int): Unit = {
    dut.io.writes.poke(false)
    dut.io.request.valid.poke(true)
    dut.io.request.bits.store.poke(number)
    dut.io.request.bits.bit.poke(bit)
    dut.clock.step()
    dut.io.request.valid.poke(false)
  }

  describe("FaultFlip") {
    it("flips the bit of the next word that is written, once, and says so") {
      flip.run { dut =>
        for (bit <- 0 until width) {
          ask(dut, store.value, bit)
          assert(dut.io.view.bits.value == width)
          dut.clock.step(3)
          assert(!dut.io.view.flipped.isOn && dut.io.view.bits.value == 0)
          dut.io.writes.poke(true)
          assert(dut.io.flips.value == (1 << bit) && dut.io.view.flipped.isOn)
          dut.clock.step()
          assert(dut.io.flips.value == 0 && !dut.io.view.flipped.isOn)
        }
      }
    }

    it("flips nothing beyond the word, and nothing of another store") {
      flip.run { dut =>
        for ((number, bit, bits) <- Seq((store.value, width, width), (store.value + 1, 3, 0))) {
          ask(dut, number, bit)
          assert(dut.io.view.bits.value == bits)
          dut.io.writes.poke(true)
          assert(dut.io.flips.value == 0 && !dut.io.view.flipped.isOn)
          dut.clock.step()
        }
      }
    }

    for ((p, flipped) <- Seq(Presets.tiny.unit -> (0x155 ^ 8), Presets.formal -> 0x155)) {
      val harness = device(new FaultFlipHarness(p))
      it(s"flips a word of preset ${p.name}, if that has parity") {
        harness.run { dut =>
          dut.io.word.poke(0x155)
          assert(dut.io.out.value == 0x155)
          dut.io.request.valid.poke(true)
          dut.io.request.bits.store.poke(FaultStores.marks.value)
          dut.io.request.bits.bit.poke(3)
          dut.clock.step()
          dut.io.request.valid.poke(false)
          assert(dut.io.out.value == 0x155, "the bit is decoded first")
          dut.clock.step()
          assert(dut.io.out.value == flipped && dut.io.view.flipped.isOn == p.parity)
          dut.clock.step()
          assert(dut.io.out.value == 0x155 && !dut.io.view.flipped.isOn)
        }
      }
    }

    it("forgets what was asked before when something else is asked") {
      flip.run { dut =>
        ask(dut, store.value, 1)
        ask(dut, store.value + 1, 1)
        dut.io.writes.poke(true)
        assert(dut.io.flips.value == 0)
      }
    }
  }
}
