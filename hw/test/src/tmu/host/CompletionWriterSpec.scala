// SPDX-License-Identifier: Apache-2.0
package tmu.host

import scala.collection.mutable
import scala.util.Random
import tmu.Seeds
import tmu.layout.CompletionLayout

class CompletionWriterSpec extends CompletionWriterHost {
  import CompletionLayout._

  describe("CompletionWriter") {
    it("is at rest after reset: idle, and nothing waits") {
      test { (dut, _) =>
        dut.reset.poke(true)
        dut.clock.step()
        dut.reset.poke(false)
        assert(dut.io.idle.isOn && !dut.io.stalled.isOn)
      }
    }

    it("writes number i to slot i mod size; the phase is 1 in the first lap and alternates") {
      test { (_, host) =>
        host.enable(2, 4)
        for (i <- 0 until 70) {
          host.give(2, i)
          host.consume(2, i + 1)
        }
        host.drain()
        assert(host.addresses == (0 until 70).map(i => baseOf(2) + 64 * (i % 16)))
        assert(host.handles == (0 until 70).map(BigInt(_)))
        assert(host.phases == (0 until 70).map(i => 1 - i / 16 % 2))
      }
    }

    it("R11: waits while a ring is full, says so, and goes on when its owner has read") {
      test { (dut, host) =>
        host.enable(1, 4)
        for (i <- 0 until 18) host.give(1, i)
        host.offer(1, 18)
        for (_ <- 0 until 30) {
          assert(!host.tick() && dut.io.stalled.isOn, "the ring holds 16, the writer 2")
          assert(host.data.size <= 16)
        }
        dut.io.verdict.valid.poke(false)
        host.consume(1, 2)
        host.drain()
        assert(host.handles == (0 until 18).map(BigInt(_)))
        assert(host.addresses.drop(16) == Seq(0, 64).map(baseOf(1) + _))
        assert(host.phases.drop(16) == Seq(0, 0))
      }
    }

    it("R13: a full ring that is configured anew begins at its first slot, with what waited") {
      test { (_, host) =>
        host.enable(1, 4)
        for (i <- 0 until 18) host.give(1, i)
        for (_ <- 0 until 5) host.tick()
        host.enable(1, 5)
        for (i <- 18 until 30) host.give(1, i)
        host.drain()
        assert(host.handles == (0 until 30).map(BigInt(_)))
        assert(host.addresses.drop(16) == (0 until 14).map(baseOf(1) + 64 * _))
        assert(host.phases.drop(16).forall(_ == 1))
      }
    }

    it("R13: a ring that is configured while memory holds up its writes loses no slot after it") {
      val random = Seeds.random("CompletionWriter configured anew")
      test { (_, host) =>
        for (round <- 0 until 20) {
          host.awReady = () => true
          host.wReady = () => true
          host.enable(0, 8)
          host.awReady = () => random.nextInt(3) == 0
          host.wReady = () => random.nextInt(3) == 0
          for (i <- 0 until 2 + random.nextInt(6)) host.give(0, 100 * round + i)
          for (_ <- 0 until random.nextInt(4)) host.tick()
        }
        host.drain()
        // Each write is in the slot behind the one before, or in the first of a ring that begins.
        val slots = host.addresses.map(a => ((a - baseOf(0)) / 64).toInt)
        assert(slots.head == 0)
        for (pair <- slots.sliding(2)) assert(pair(1) == pair.head + 1 || pair(1) == 0)
        assert(slots.count(_ == 0) <= 20)
      }
    }

    it("R13: a consumer index that was never reached stops nobody, nor does a disabled ring") {
      test { (_, host) =>
        host.give(3, 7) // its ring is not enabled: written nowhere
        host.enable(1, 4)
        host.consume(1, 5)
        for (i <- 0 until 20) host.give(1, i)
        host.drain()
        assert(host.handles == (0 until 20).map(BigInt(_)))
      }
    }

    it("sustains one completion a clock to one page, back to back") {
      test { (_, host) =>
        host.enable(3, 16)
        val start = host.clocks
        for (i <- 0 until 200) {
          host.offer(3, i)
          assert(host.tick(), s"verdict $i is taken at once")
        }
        host.drain()
        assert(host.clocks - start < 210)
        assert(host.handles == (0 until 200).map(BigInt(_)))
        assert(host.addresses == (0 until 200).map(baseOf(3) + 64 * _))
      }
    }

    it("sustains one completion a clock over changing pages, each in its own ring") {
      val random = Seeds.random("CompletionWriter pages")
      test { (_, host) =>
        for (page <- 0 until p.pages) host.enable(page, 10)
        val pages = Seq.fill(300)(random.nextInt(p.pages))
        for ((page, i) <- pages.zipWithIndex) {
          host.offer(page, i)
          assert(host.tick(), s"verdict $i is taken at once")
        }
        host.drain()
        val produced = mutable.Map[Int, Int]().withDefaultValue(0)
        val expected = pages.map { page =>
          val slot = produced(page)
          produced(page) = slot + 1
          baseOf(page) + 64 * slot
        }
        assert(host.addresses == expected)
      }
    }

    def underPressure(name: String, aw: Random => Boolean, w: Random => Boolean): Unit =
      it(s"R11: loses, doubles and reorders nothing when memory holds up $name") {
        val random = Seeds.random(s"CompletionWriter holding up $name")
        test { (_, host) =>
          host.enable(0, 8)
          host.awReady = () => aw(random)
          host.wReady = () => w(random)
          for (i <- 0 until 150) host.give(0, i)
          host.drain()
          assert(host.handles == (0 until 150).map(BigInt(_)))
          assert(host.addresses == (0 until 150).map(baseOf(0) + 64 * _))
        }
      }
    underPressure("addresses", r => r.nextInt(4) == 0, _ => true)
    underPressure("data", _ => true, r => r.nextInt(4) == 0)
    underPressure("both, each in its own clocks", _.nextBoolean(), _.nextBoolean())

    it("is not idle before memory has answered every write") {
      test { (dut, host) =>
        host.enable(0, 4)
        host.answers = false
        host.give(0, 1)
        for (_ <- 0 until 20) host.tick()
        assert(host.data.size == 1 && !dut.io.idle.isOn)
        host.answers = true
        host.drain()
        assert(dut.io.idle.isOn)
      }
    }

    it("counts each write that memory answers with an error") {
      test { (dut, host) =>
        host.enable(0, 4)
        dut.io.axi.bresp.poke(2)
        for (i <- 0 until 3) host.give(0, i)
        host.drain()
        assert(host.errors == 3)
      }
    }

    it("tells the clocks since the doorbell, at most 65,535, also past the counter's wrap") {
      test { (dut, host) =>
        host.enable(0, 4)
        def latency(now: Long, stamp: Long): BigInt = {
          dut.io.verdict.bits.stamp.poke(BigInt(stamp))
          host.clocks = 0
          dut.io.now.poke(BigInt(now))
          dut.io.verdict.bits.page.poke(0)
          dut.io.verdict.valid.poke(true)
          dut.io.axi.awready.poke(true)
          dut.io.axi.wready.poke(true)
          dut.clock.step()
          dut.io.verdict.valid.poke(false)
          waitFor(dut, "the write")(dut.io.axi.wvalid.isOn)
          val result = field(dut.io.axi.wdata.value, hostLatency)
          dut.clock.step()
          dut.io.axi.bvalid.poke(true)
          dut.clock.step()
          dut.io.axi.bvalid.poke(false)
          result
        }
        assert(latency(1000, 900) == 100)
        assert(latency(70000, 1) == 65535)
        assert(latency(5, 0xfffffffaL) == 11)
      }
    }

    it("drops what it holds while the unit is being reset, a full ring or not") {
      test { (dut, host) =>
        host.enable(0, 4)
        for (i <- 0 until 17) host.give(0, i)
        for (_ <- 0 until 5) host.tick()
        assert(!dut.io.idle.isOn && host.data.size == 16)
        dut.io.discard.poke(true)
        host.drain()
        assert(host.data.size == 16)
      }
    }
  }
}
