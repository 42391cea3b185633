// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import tmu.{DeviceSpec, Seeds}
import tmu.params.{Presets, TmuParams}

class MatchKeyHarness(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val message = Input(new MatchKey(p))
    val messageIgnore = Input(new MatchKey(p))
    val receive = Input(new MatchKey(p))
    val receiveIgnore = Input(new MatchKey(p))
    val matches = Output(Bool())
  })
  io.matches := MatchKey.matches(io.message, io.messageIgnore, io.receive, io.receiveIgnore)
}

class MatchKeySpec extends DeviceSpec {
  private val harness = device(new MatchKeyHarness(Presets.tiny.unit))
  private val anySource = BigInt("ffffffff", 16)
  private val anyTag = BigInt("7fffffff", 16)
  private val none = Key(0, 0)

  private case class Key(bits: BigInt, source: BigInt)
  private def mpi(context: Long, tag: Int, source: Long): Key =
    Key((BigInt(context) << 32) | BigInt(tag & 0xffffffffL), source)

  private def poke(port: MatchKey, key: Key): Unit = {
    port.bits.poke(key.bits)
    port.source.poke(key.source)
  }

  private def ask(dut: MatchKeyHarness, message: Key, receive: Key, ignore: Key): Boolean = {
    poke(dut.io.message, message)
    poke(dut.io.messageIgnore, none)
    poke(dut.io.receive, receive)
    poke(dut.io.receiveIgnore, ignore)
    dut.io.matches.isOn
  }

  describe("MatchKey.matches") {
    it("R1: without ignored bits matches the equal key only, whichever single bit differs") {
      harness.run { dut =>
        val key = mpi(7, 42, 3)
        assert(ask(dut, key, key, none))
        for (bit <- 0 until 64)
          assert(!ask(dut, key.copy(bits = key.bits.flipBit(bit)), key, none), s"match bit $bit")
        for (bit <- 0 until 32)
          assert(!ask(dut, key.copy(source = key.source.flipBit(bit)), key, none), s"source $bit")
      }
    }

    it("R1: a bit that the receive ignores may differ, and only that bit") {
      harness.run { dut =>
        val key = mpi(7, 42, 3)
        for (bit <- 0 until 64) {
          val ignore = Key(BigInt(1) << bit, 0)
          val other = key.copy(bits = key.bits.flipBit(bit))
          assert(ask(dut, other, key, ignore), s"match bit $bit")
          val next = other.copy(bits = other.bits.flipBit((bit + 1) % 64))
          assert(!ask(dut, next, key, ignore), s"match bit after $bit")
        }
      }
    }

    it("R2: any source matches every source, in the same context with the same tag") {
      harness.run { dut =>
        val receive = mpi(1, 5, 0)
        val ignore = Key(0, anySource)
        for (source <- Seq(0L, 1L, 77L, 0xffffffffL))
          assert(ask(dut, mpi(1, 5, source), receive, ignore))
        assert(!ask(dut, mpi(2, 5, 9), receive, ignore))
        assert(!ask(dut, mpi(1, 6, 9), receive, ignore))
      }
    }

    it("R2: any tag matches every tag that is not negative, and no negative one") {
      harness.run { dut =>
        val receive = mpi(1, 0, 9)
        val ignore = Key(anyTag, 0)
        for (tag <- Seq(0, 1, 77, Int.MaxValue)) assert(ask(dut, mpi(1, tag, 9), receive, ignore))
        for (tag <- Seq(-1, -77, Int.MinValue)) assert(!ask(dut, mpi(1, tag, 9), receive, ignore))
      }
    }

    it("R1, R2: agrees with bit-by-bit comparison for random keys and masks of both sides") {
      val random = Seeds.random("MatchKey.matches")
      harness.run { dut =>
        var hits = 0
        for (_ <- 0 until 3000) {
          val a = Key(BigInt(64, random), BigInt(32, random))
          val flips = Key(BigInt(64, random) & BigInt(64, random), BigInt(32, random))
          val b = Key(a.bits ^ flips.bits, a.source ^ flips.source)
          // Masks that cover all differing bits, sometimes but for one.
          val hole = if (random.nextBoolean()) BigInt(0) else BigInt(1) << random.nextInt(96)
          val cover = (flips.bits << 32 | flips.source) & ~hole
          val share = BigInt(96, random)
          def mask(part: BigInt) = Key(part >> 32, part & anySource)
          val (ignoreA, ignoreB) = (mask(cover & share), mask(cover & ~share))
          poke(dut.io.message, a)
          poke(dut.io.messageIgnore, ignoreA)
          poke(dut.io.receive, b)
          poke(dut.io.receiveIgnore, ignoreB)
          val expected = (0 until 64).forall { i =>
            a.bits.testBit(i) == b.bits.testBit(i) ||
            ignoreA.bits.testBit(i) || ignoreB.bits.testBit(i)
          } && (0 until 32).forall { i =>
            a.source.testBit(i) == b.source.testBit(i) ||
            ignoreA.source.testBit(i) || ignoreB.source.testBit(i)
          }
          hits += (if (expected) 1 else 0)
          assert(dut.io.matches.isOn == expected, s"$a $ignoreA against $b $ignoreB")
        }
        assert(hits > 300 && hits < 2700, s"$hits of 3000 matched: the test does not ask both")
      }
    }
  }
}
