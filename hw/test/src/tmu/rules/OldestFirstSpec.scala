// SPDX-License-Identifier: Apache-2.0
package tmu.rules

import chisel3._
import chisel3.util.MixedVec
import tmu.{DeviceSpec, Seeds}

/** The pure functions behind ports, on the low bits of one mask, for each of some widths. */
class OldestFirstHarness(widths: Seq[Int]) extends Module {
  private val most = widths.max
  val io = IO(new Bundle {
    val hits = Input(UInt(most.W))
    val values = Input(Vec(most, UInt(8.W)))
    val atOrBelow = Output(MixedVec(widths.map(w => UInt(w.W))))
    val first = Output(MixedVec(widths.map(w => UInt(w.W))))
    val allAbove = Output(MixedVec(widths.map(w => UInt(w.W))))
    val selected = Output(Vec(widths.size, UInt(8.W)))
  })
  for ((width, n) <- widths.zipWithIndex) {
    val hits = io.hits(width - 1, 0)
    io.atOrBelow(n) := OldestFirst.atOrBelow(hits)
    io.first(n) := OldestFirst.first(hits)
    io.allAbove(n) := OldestFirst.allAbove(hits)
    io.selected(n) := OldestFirst.select(hits, io.values.take(width))
  }
}

/** Functions that rows of filter ids need, for widths in groups and some that are not. */
class WideOldestFirstHarness(widths: Seq[Int]) extends Module {
  val io = IO(new Bundle {
    val hits = Input(UInt(widths.max.W))
    val first = Output(MixedVec(widths.map(w => UInt(w.W))))
    val atLeastTwo = Output(Vec(widths.size, Bool()))
  })
  for ((width, n) <- widths.zipWithIndex) {
    io.first(n) := OldestFirst.first(io.hits(width - 1, 0))
    io.atLeastTwo(n) := OldestFirst.atLeastTwo(io.hits(width - 1, 0))
  }
}

class OldestFirstSpec extends DeviceSpec {
  private val widths = Seq(1, 2, 3, 4, 5, 8, 9)
  private val harness = device(new OldestFirstHarness(widths))
  private val wideWidths = Seq(1, 2, 7, 18, 19, 64, 128, 129, 200, 1024)
  private val wide = device(new WideOldestFirstHarness(wideWidths))

  /** Every mask of the widest, and what it is in each width. */
  private def forEveryMask(check: (OldestFirstHarness, Int, Int, Int) => Unit): Unit =
    harness.run { dut =>
      for (mask <- 0 until (1 << widths.max)) {
        dut.io.hits.poke(mask)
        for ((width, n) <- widths.zipWithIndex) check(dut, n, width, mask & ((1 << width) - 1))
      }
    }
  private def bits(width: Int)(set: Int => Boolean): BigInt =
    (0 until width).filter(set).map(BigInt(1) << _).sum

  describe("OldestFirst") {
    it("R3, R4: of every mask of hits keeps the lowest bit, the oldest entry; of none, none") {
      forEveryMask { (dut, n, width, mask) =>
        assert(dut.io.first(n).value == Integer.lowestOneBit(mask), s"$width bits, mask $mask")
      }
    }

    it("marks everything from the oldest hit on") {
      forEveryMask { (dut, n, width, mask) =>
        val expected = bits(width)(i => (mask & ((2 << i) - 1)) != 0)
        assert(dut.io.atOrBelow(n).value == expected, s"$width bits, mask $mask")
      }
    }

    it("R11: marks every lane with no hole above it: those that a new entry pushes down") {
      forEveryMask { (dut, n, width, mask) =>
        val expected = bits(width)(i => (i + 1 until width).forall(k => (mask >> k & 1) == 1))
        assert(dut.io.allAbove(n).value == expected, s"$width bits, mask $mask")
      }
    }

    it("R3, R4: selects the value that belongs to the oldest hit, and 0 when there is none") {
      val random = Seeds.random("OldestFirst.select")
      val values = Seq.fill(widths.max)(random.nextInt(255) + 1)
      forEveryMask { (dut, n, width, mask) =>
        if (n == 0) values.zipWithIndex.foreach { case (v, i) => dut.io.values(i).poke(v) }
        val expected = if (mask == 0) 0 else values(Integer.numberOfTrailingZeros(mask))
        assert(dut.io.selected(n).value == expected, s"$width bits, mask $mask")
      }
    }

    it("R3, R4: keeps the oldest of wide rows too, and tells one hit from two or more") {
      val random = Seeds.random("OldestFirst wide")
      wide.run { dut =>
        for (_ <- 0 until 400) {
          val count = random.nextInt(4)
          // Anywhere, and close together, across the borders of groups.
          val near = random.nextInt(wideWidths.max)
          val spread = if (random.nextBoolean()) wideWidths.max else 40
          val mask = Seq
            .fill(count)((near + random.nextInt(spread)) % wideWidths.max)
            .map(BigInt(1) << _)
            .foldLeft(BigInt(0))(_ | _)
          dut.io.hits.poke(mask)
          for ((width, n) <- wideWidths.zipWithIndex) {
            val seen = mask & ((BigInt(1) << width) - 1)
            assert(dut.io.first(n).value == (seen & -seen), s"$width bits, mask $mask")
            assert(dut.io.atLeastTwo(n).isOn == (seen.bitCount > 1), s"$width bits, mask $mask")
          }
        }
      }
    }
  }
}
