// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import tmu.{DeviceSpec, Seeds}

/** The pure functions behind ports. */
class OldestFirstHarness(lanes: Int) extends Module {
  val io = IO(new Bundle {
    val hits = Input(UInt(lanes.W))
    val values = Input(Vec(lanes, UInt(8.W)))
    val oneHot = Output(UInt(lanes.W))
    val selected = Output(UInt(8.W))
  })
  io.oneHot := OldestFirst.oneHot(io.hits)
  io.selected := OldestFirst.select(io.hits, io.values)
}

class OldestFirstSpec extends DeviceSpec {
  private val lanes = 8
  private val harness = device(new OldestFirstHarness(lanes))

  private def forEveryMask(check: (OldestFirstHarness, Int) => Unit): Unit =
    harness.run { dut => (0 until (1 << lanes)).foreach(check(dut, _)) }

  describe("OldestFirst") {
    it("R3, R4: of every mask of hits keeps the lowest bit, the oldest entry") {
      forEveryMask { (dut, mask) =>
        dut.io.hits.poke(mask)
        assert(dut.io.oneHot.value == Integer.lowestOneBit(mask), s"mask $mask")
      }
    }

    it("is zero where nothing hits") {
      harness.run { dut =>
        dut.io.hits.poke(0)
        assert(dut.io.oneHot.value == 0)
      }
    }

    it("R3, R4: selects the value that belongs to the oldest hit") {
      val random = Seeds.random("OldestFirst.select")
      forEveryMask { (dut, mask) =>
        val values = Seq.fill(lanes)(random.nextInt(256))
        values.zipWithIndex.foreach { case (v, i) => dut.io.values(i).poke(v) }
        dut.io.hits.poke(mask)
        if (mask != 0) {
          val oldest = Integer.numberOfTrailingZeros(mask)
          assert(dut.io.selected.value == values(oldest), s"mask $mask")
        }
      }
    }
  }
}
