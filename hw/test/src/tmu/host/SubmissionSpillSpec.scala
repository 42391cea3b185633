// SPDX-License-Identifier: Apache-2.0
package tmu.host

import tmu.Seeds
import tmu.params.TmuParams

class SubmissionSpillSpec extends SubmissionHost {

  /** Commands of a page that have come out and are not answered yet. */
  private def unended(host: Host, page: Int): Int = host.unanswered.count(_ == page)

  /** Pages 1 to 3 and the privileged one, with shares of 32; pages 2 and 3 are of endpoint 3. */
  private def four(host: Host): Seq[Int] = {
    host.configure(1, 2, ring = 6, first = 0, share = 5)
    host.configure(2, 3, ring = 6, first = 32, share = 5)
    host.configure(3, 3, ring = 6, first = 64, share = 5)
    host.configure(p.privilegedPage, 0, ring = 6, first = 96, share = 5)
    host.dut.io.spilling.poke(1 << 3)
    Seq(1, 2, 3, p.privilegedPage)
  }

  describe("SubmissionQueues, beside memory") {
    it("R11: pages of an endpoint whose entries are on their return stand aside until they are") {
      test { host =>
        val all = four(host)
        host.dut.io.held.poke(1 << 3)
        for (n <- 0 until 20; page <- all) host.send(page)
        host.run(100)
        assert(host.numbers(1) == (0 until 20), "R13: page 1 is not of that endpoint")
        for (page <- all.tail) assert(host.numbers(page).isEmpty, s"page $page")
        assert(!host.dut.io.idle.isOn, "they still want their turn")
        // Another one's are: each goes on where it stopped, and soon.
        host.dut.io.held.poke(1 << 1)
        host.run(4 * SubmissionQueues.pause)
        for (page <- Seq(2, 3)) assert(host.numbers(page).nonEmpty, s"R13: page $page")
        assert(host.numbers(p.privilegedPage).isEmpty, "who names any endpoint may name that one")
        host.dut.io.held.poke(0)
        host.settle()
        for (page <- all) assert(host.numbers(page) == (0 until 20), s"R7: page $page")
      }
    }

    it("R13: beside a crowd in memory, who has something there waits for its own commands alone") {
      test { host =>
        val all = four(host)
        host.dut.io.crowded.poke(true)
        host.answers = () => false
        for (n <- 0 until 20; page <- all) host.send(page)
        host.run(100)
        assert(host.numbers(1) == (0 until 20), "R13: endpoint 2 has nothing in memory")
        for (page <- all.tail)
          assert(
            host.numbers(page).size <= TmuParams.turnCommands,
            s"a turn of page $page, and no other"
          )
        host.answers = () => true
        host.settle()
        for (page <- all) assert(host.numbers(page) == (0 until 20), s"R7: page $page")
      }
    }

    it("R13: its next turn comes when all commands of the last one have ended, and then at once") {
      test { host =>
        four(host)
        host.dut.io.crowded.poke(true)
        host.answers = () => host.unanswered.size > 1
        for (_ <- 0 until 20) host.send(2)
        host.run(60)
        val first = host.numbers(2).size
        assert(first > 0 && first <= TmuParams.turnCommands, "a turn")
        host.answers = () => true
        host.run(30)
        assert(
          host.numbers(2).size >= first + TmuParams.turnCommands,
          "the next, as soon as that has ended"
        )
        host.answers = () => host.unanswered.size > 1
        host.run(60)
        val stopped = host.numbers(2).size
        host.run(60)
        assert(host.numbers(2).size == stopped && stopped < 20, "one has not ended")
        host.answers = () => true
        host.settle()
        assert(host.numbers(2) == (0 until 20), "R7")
      }
    }

    it("R11: while there are hardly any slots left, each page has one command under way") {
      test { host =>
        val all = four(host)
        host.dut.io.scarce.poke(true)
        host.dut.io.crowded.poke(true)
        host.answers = () => false
        for (n <- 0 until 20; page <- all) host.send(page)
        host.run(100)
        for (page <- all) assert(host.numbers(page) == Seq(0), s"page $page")
        host.answers = () => true
        for (_ <- 0 until 400) {
          host.tick()
          for (page <- all) assert(unended(host, page) <= 1, s"page $page")
        }
        host.settle()
        for (page <- all) assert(host.numbers(page) == (0 until 20), s"R7: page $page")
      }
    }

    it("R11, R13: whoever waits delays nobody, however often that changes, and loses nothing") {
      val random = Seeds.random("SubmissionQueues crowded")
      test { host =>
        val io = host.dut.io
        val pages = Seq(0, 1, 33, 69, p.privilegedPage)
        for ((page, i) <- pages.zipWithIndex)
          host.configure(page, i % 4, ring = 8, first = 32 * i, share = 5)
        host.takes = () => random.nextInt(4) != 0
        host.answers = () => random.nextInt(3) != 0
        io.spilling.poke(10) // endpoints 1 and 3
        var (held, crowded, scarce) = (0, false, false)
        var since = 0
        val bound = collection.mutable.Map[Int, Int]()
        for (n <- 0 until 3000) {
          if (random.nextInt(150) == 0) {
            held = Seq(0, 0, 2, 8)(random.nextInt(4))
            scarce = random.nextInt(4) == 0
            crowded = scarce || random.nextBoolean()
            since = n
            io.held.poke(held)
            io.crowded.poke(crowded)
            io.scarce.poke(scarce)
          }
          val page = pages(random.nextInt(pages.size))
          val before = host.seen.size
          val open = pages.map(page => page -> unended(host, page)).toMap
          if (host.sent(page) - host.produced(page) < 32) host.send(page) else host.tick()
          if (random.nextInt(8) == 0) host.consumeAll(pages(random.nextInt(pages.size)))
          // Turns that were given before go on; there are a few of them.
          if (n - since > 100) for (seen <- host.seen.drop(before)) {
            val endpoint = pages.indexOf(seen.page) % 4
            val privileged = seen.page == p.privilegedPage
            val bars = if (privileged) held else held & (1 << endpoint)
            assert(bars == 0, s"clock $n, page ${seen.page}")
            val memory = privileged || endpoint % 2 == 1
            val most = if (scarce) 1 else if (crowded && memory) TmuParams.turnCommands else 32
            bound(seen.page) = most
            assert(open(seen.page) < most, s"clock $n, page ${seen.page}")
          }
        }
        assert(bound.size == pages.size, "each page had turns")
        io.held.poke(0)
        for (_ <- 0 until 20; page <- pages) {
          host.run(20)
          host.consumeAll(page)
        }
        host.settle()
        assert(host.overruns == 0 && host.drops == 0)
        for (page <- pages) assert(host.numbers(page) == (0 until host.sent(page)), s"page $page")
      }
    }
  }
}
