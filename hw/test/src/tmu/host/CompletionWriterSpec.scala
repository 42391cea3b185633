// SPDX-License-Identifier: Apache-2.0
package tmu.host

import scala.collection.mutable
import scala.util.Random
import tmu.{DeviceSpec, Seeds}
import tmu.contract.{CompletionLayout, Statuses, WordField}
import tmu.params.TmuParams

class CompletionWriterSpec extends DeviceSpec {
  import CompletionLayout._
  private val p = TmuParams("writer", 4, 16, 16, 16, 4)
  private val harness = device(new CompletionWriterHarness(p))
  private def field(record: BigInt, f: WordField): BigInt =
    (record >> (64 * f.word + f.low)) & ((BigInt(1) << f.width) - 1)
  private val base = BigInt("123456789abcc0", 16)
  private def baseOf(page: Int): BigInt = base + page * 0x100000

  /** Memory behind the writer: takes addresses and data at its own pace, answers later. */
  private class Host(dut: CompletionWriterHarness) {
    val addresses = mutable.Buffer[BigInt]()
    val data = mutable.Buffer[BigInt]()
    var awReady: () => Boolean = () => true
    var wReady: () => Boolean = () => true
    var answers = true
    var clocks = 0
    var errors = 0
    private var answered = 0
    private val axi = dut.io.axi
    Seq(dut.io.configure.valid, dut.io.consumer.valid, dut.io.verdict.valid, dut.io.discard)
      .foreach(_.poke(false))
    Seq(axi.awready, axi.wready, axi.bvalid).foreach(_.poke(false))
    axi.bresp.poke(0)
    waitFor(dut, "the sweep")(dut.io.ready.isOn)

    def enable(page: Int, log2: Int): Unit = {
      dut.io.configure.bits.page.poke(page)
      dut.io.configure.bits.ring.enable.poke(true)
      dut.io.configure.bits.ring.log2.poke(log2)
      dut.io.configure.bits.ring.base.poke(baseOf(page) >> 6)
      dut.io.configure.valid.poke(true)
      var taken = false
      while (!taken) {
        taken = dut.io.configure.ready.isOn
        tick()
      }
      dut.io.configure.valid.poke(false)
    }
    def consume(page: Int, index: BigInt): Unit = {
      dut.io.consumer.bits.page.poke(page)
      dut.io.consumer.bits.index.poke(index)
      dut.io.consumer.valid.poke(true)
      tick()
      dut.io.consumer.valid.poke(false)
    }

    /** One clock of memory; whether the verdict on offer was taken. */
    def tick(): Boolean = {
      val (aw, w) = (awReady(), wReady())
      axi.awready.poke(aw)
      axi.wready.poke(w)
      val answer = answers && answered < addresses.size.min(data.size)
      axi.bvalid.poke(answer)
      dut.io.now.poke(clocks)
      val fired = dut.io.verdict.valid.isOn && dut.io.verdict.ready.isOn
      if (aw && axi.awvalid.isOn) addresses += axi.awaddr.value
      if (w && axi.wvalid.isOn) {
        assert(axi.wlast.isOn && axi.wstrb.value == (BigInt(1) << 64) - 1)
        data += axi.wdata.value
      }
      if (answer) answered += 1
      if (dut.io.error.isOn) errors += 1
      dut.clock.step()
      axi.bvalid.poke(false)
      clocks += 1
      fired
    }
    def offer(page: Int, n: BigInt, stamp: Int = 0): Unit = {
      dut.io.verdict.bits.page.poke(page)
      dut.io.verdict.bits.status.poke(Statuses.queued.value)
      dut.io.verdict.bits.handle.poke(n)
      dut.io.verdict.bits.stamp.poke(stamp)
      dut.io.verdict.valid.poke(true)
    }
    def give(page: Int, n: BigInt): Unit = {
      offer(page, n)
      val start = clocks
      while (!tick()) assert(clocks - start < 500, s"verdict $n is not taken")
      dut.io.verdict.valid.poke(false)
    }
    def drain(): Unit = {
      val start = clocks
      dut.io.verdict.valid.poke(false)
      while (!dut.io.idle.isOn) {
        tick()
        assert(clocks - start < 500, "the writer does not come to rest")
      }
    }
    def handles: Seq[BigInt] = data.map(field(_, handle)).toSeq
    def phases: Seq[Int] = data.map(field(_, phase).toInt).toSeq
  }

  private def test(body: (CompletionWriterHarness, Host) => Unit): Unit =
    harness.run(dut => body(dut, new Host(dut)))

  describe("CompletionWriter") {
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
        for (i <- 0 until 200) {
          host.offer(3, i)
          assert(host.tick(), s"verdict $i is taken at once")
        }
        host.drain()
        assert(host.clocks < 210)
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
