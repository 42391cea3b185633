// SPDX-License-Identifier: Apache-2.0
package tmu.host

import scala.collection.mutable
import tmu.Seeds
import tmu.params.TmuParams

class SubmissionQueuesSpec extends SubmissionHost {
  describe("SubmissionQueues") {
    it("R7, R13: hands a page's commands on in order, with the page's endpoint") {
      test { host =>
        host.configure(3, endpoint = 2, ring = 6, first = 16, share = 4)
        host.configure(70, endpoint = 1, ring = 6, first = 32, share = 5)
        for (_ <- 0 until 10) {
          host.send(3)
          host.send(70)
        }
        host.settle()
        assert(host.numbers(3) == (0 until 10) && host.numbers(70) == (0 until 10))
        assert(host.seen.forall(s => s.endpoint == (if (s.page == 3) 2 else 1)))
        assert(host.overruns == 0 && host.drops == 0)
      }
    }

    it("takes and hands on a command a clock from one page alone, and from many") {
      for (pages <- Seq(Seq(5), Seq(0, 1), 0 until 32)) test { host =>
        for ((page, i) <- pages.zipWithIndex)
          host.configure(
            page,
            0,
            ring = 10,
            first = i * (256 / pages.size),
            share = math.min(8, chisel3.util.log2Floor(256 / pages.size))
          )
        for (i <- 0 until 192) host.send(pages(i % pages.size))
        host.settle()
        assert(host.seen.size == 192 && host.overruns == 0)
        val clocks = host.seen.map(_.clock)
        assert(clocks.head - (host.clocks - clocks.last) < 400)
        val longest = clocks.sliding(2).map(c => c(1) - c.head).max
        assert(clocks.last - clocks.head <= 192 + 16, s"pages $pages: ${clocks.last - clocks.head}")
        assert(longest <= 8, s"pages $pages: a pause of $longest clocks")
      }
    }

    it("hands on a command a clock when every page has one") {
      for (count <- Seq(64, 71)) test { host =>
        for (page <- 0 until count) host.configure(page, 0, ring = 4, first = 2 * page, share = 1)
        host.takes = () => false
        for (page <- 0 until count) host.send(page)
        host.takes = () => true
        val start = host.clocks
        host.settle()
        assert(host.seen.size == count && host.clocks - start <= count + 12)
      }
    }

    it("hands a single command on within 8 clocks") {
      test { host =>
        host.configure(9, 0, ring = 4, first = 0, share = 2)
        host.run(20)
        val start = host.clocks
        host.send(9)
        host.settle()
        assert(host.seen.head.clock - start <= 8, s"${host.seen.head.clock - start} clocks")
      }
    }

    it("R13: drops and counts commands of pages that are not enabled, or beyond their share") {
      test { host =>
        host.configure(1, 0, ring = 4, first = 8, share = 2)
        host.takes = () => false
        host.send(2)
        for (_ <- 0 until 40) host.send(1)
        host.run(4)
        assert(host.drops == 1)
        // Its share, and the one that is on offer.
        assert(host.overruns == 40 - 5)
        host.takes = () => true
        host.settle()
        val numbers = host.numbers(1)
        assert(host.seen.size == 5 && numbers.take(4) == (0 until 4) && numbers.last > 3)
      }
    }

    it("R11: a share is all usable, and nothing is lost while its owner keeps to it") {
      val random = Seeds.random("SubmissionQueues shares")
      test { host =>
        val shares = Map(0 -> 0, 1 -> 1, 64 -> 3, 69 -> 5)
        val firsts = Map(0 -> 0, 1 -> 2, 64 -> 8, 69 -> 32)
        for ((page, share) <- shares)
          host.configure(page, page % 4, ring = 8, first = firsts(page), share = share)
        host.takes = () => random.nextInt(4) != 0
        host.answers = () => random.nextInt(3) != 0
        val pages = shares.keys.toSeq
        for (_ <- 0 until 2000) {
          val page = pages(random.nextInt(pages.size))
          // In flight until its completion is there.
          if (host.sent(page) - host.produced(page) < (1 << shares(page))) host.send(page)
          else host.tick()
          if (random.nextInt(8) == 0) host.consumeAll(pages(random.nextInt(pages.size)))
        }
        for (_ <- 0 until 20; page <- pages) {
          host.run(20)
          host.consumeAll(page)
        }
        host.settle()
        assert(host.overruns == 0 && host.drops == 0)
        for (page <- pages) assert(host.numbers(page) == (0 until host.sent(page)), s"page $page")
      }
    }

    it("R13: a page whose ring is not read waits alone, and goes on where it stopped") {
      test { host =>
        host.configure(1, 0, ring = 4, first = 0, share = 6)
        host.configure(2, 0, ring = 4, first = 64, share = 6)
        for (_ <- 0 until 40) host.send(1)
        for (round <- 0 until 10) {
          for (_ <- 0 until 10) host.send(2)
          host.run(40)
          host.consumeAll(2)
        }
        host.run(60)
        assert(host.numbers(1) == (0 until 16), "as many as its ring holds")
        assert(host.numbers(2) == (0 until 100))
        for (read <- Seq(1, 3, 20)) {
          host.consume(1, read)
          host.run(60)
          assert(host.numbers(1) == (0 until math.min(40, 16 + read)))
        }
        assert(host.overruns == 0)
      }
    }

    it("counts a flush's many answers: none starts before there is room again") {
      test { host =>
        host.configure(1, 0, ring = 4, first = 0, share = 6)
        host.send(1)
        host.settle()
        host.extra(1, 12)
        for (_ <- 0 until 9) host.send(1)
        host.run(80)
        assert(host.numbers(1).size == 4, "13 of 16 are used")
        host.extra(1, 3) // more than there was room for
        host.consume(1, 2)
        host.run(80)
        assert(host.numbers(1).size == 4, "19 of 18: still none")
        host.consumeAll(1)
        host.run(80)
        assert(host.numbers(1).size == 10)
      }
    }

    it("R13: serves pages in turn: who floods its queue delays another one by a turn") {
      test { host =>
        val busy = 0 until 7
        for (page <- busy) host.configure(page, 0, ring = 12, first = 32 * page, share = 5)
        host.configure(40, 1, ring = 12, first = 240, share = 0)
        val delays = mutable.Buffer[Int]()
        // The unit takes a command in every other clock, so all slots fill.
        host.takes = () => host.clocks % 2 == 0
        def flood(i: Int): Unit = {
          val page = busy(i % busy.size)
          if (host.sent(page) - host.produced(page) < 32) host.send(page) else host.tick()
        }
        for (i <- 0 until 300) flood(i)
        for (i <- 0 until 40) {
          host.send(40)
          val start = host.clocks
          while (host.numbers(40).size <= i) flood(host.clocks)
          delays += host.clocks - start
          while (host.produced(40) <= i) flood(host.clocks)
        }
        val most = 2 * (busy.size + 9) * TmuParams.turnCommands
        assert(delays.max <= most, s"delays to ${delays.max}, at most $most")
        val served = busy.map(host.numbers(_).size)
        assert(served.max - served.min <= served.max / 10, s"served: $served")
      }
    }

    it("R13: disables a page with what waits, and opens it again when the last command has ended") {
      test { host =>
        host.configure(1, 0, ring = 6, first = 0, share = 5)
        host.answers = () => false
        for (_ <- 0 until 20) host.send(1)
        host.run(7)
        // Not done while a command that has begun is not answered; none begins meanwhile.
        host.takes = () => false
        host.offer(1, 0, ring = 6, first = 0, share = 5, on = false)
        for (_ <- 0 until 100) {
          assert(!host.dut.io.configure.ready.isOn)
          host.tick()
        }
        for (_ <- 0 until 5) host.send(1)
        host.takes = () => true
        host.answers = () => true
        host.configure(1, 0, ring = 6, first = 0, share = 5, on = false)
        val begun = host.seen.size
        assert(begun < 20 && host.drops == 5 && host.unanswered.isEmpty)
        // Whoever gets its slots now has them alone.
        host.configure(2, 1, ring = 6, first = 0, share = 5)
        for (_ <- 0 until 8) host.send(2)
        host.run(60)
        assert(host.numbers(2) == (0 until 8) && host.numbers(1).size == begun)
        host.configure(1, 3, ring = 5, first = 32, share = 2)
        val before = host.seen.size
        host.sent(1) = 0
        for (_ <- 0 until 4) host.send(1)
        host.settle()
        assert(host.seen.drop(before).map(s => (s.endpoint, s.number)) == (0 until 4).map(3 -> _))
      }
    }

    it("R14: a consumer index during a reset starts no turn of a page that is being cleared") {
      test { host =>
        // Indices of a page from before a reset stay in their memories until it is cleared.
        val page = p.queues
        host.configure(page, 0, ring = 4, first = 0, share = 4)
        host.takes = () => false
        for (_ <- 0 until 16) host.send(page)
        host.dut.reset.poke(true)
        host.dut.clock.step()
        host.dut.reset.poke(false)
        host.dut.io.discard.poke(true)
        while (!host.dut.io.ready.isOn) {
          host.dut.io.consumer.valid.poke(true)
          host.dut.io.consumer.bits.page.poke(page)
          host.dut.io.consumer.bits.index.poke(0)
          host.dut.clock.step()
          assert(!host.dut.io.out.valid.isOn, "a command of before the reset")
        }
        host.dut.io.consumer.valid.poke(false)
        host.dut.io.discard.poke(false)
        host.run(40)
        assert(host.seen.isEmpty && host.dut.io.idle.isOn)
      }
    }

    it("R14: drops what comes while the unit is being reset") {
      test { host =>
        host.configure(1, 0, ring = 4, first = 8, share = 2)
        host.dut.io.discard.poke(true)
        for (_ <- 0 until 3) host.send(1)
        host.run(20)
        assert(host.seen.isEmpty && host.overruns == 0 && host.drops == 0)
      }
    }
  }
}
