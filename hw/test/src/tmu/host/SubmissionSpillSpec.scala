// SPDX-License-Identifier: Apache-2.0
package tmu.host

import tmu.Seeds

class SubmissionSpillSpec extends SubmissionHost {
  describe("SubmissionQueues, beside memory") {
    it("R11: pages that would only wait for memory stand aside until they no longer would") {
      test { host =>
        host.configure(1, 2, ring = 6, first = 0, share = 5)
        host.configure(2, 3, ring = 6, first = 32, share = 5)
        host.configure(3, 3, ring = 6, first = 64, share = 5)
        host.configure(p.privilegedPage, 0, ring = 6, first = 96, share = 5)
        val all = Seq(1, 2, 3, p.privilegedPage)
        host.dut.io.spilling.poke(1 << 3) // endpoint 3, of pages 2 and 3
        host.dut.io.crowded.poke(true)
        for (n <- 0 until 20; page <- all) host.send(page)
        host.run(100)
        assert(host.numbers(1) == (0 until 20), "R13: endpoint 2 has nothing in memory")
        assert(host.seen.forall(_.page == 1), "the others wait, and whoever names any endpoint")
        assert(!host.dut.io.idle.isOn, "they still want their turn")
        // Memory has been emptied of commands for a while: each goes on where it stopped.
        host.dut.io.crowded.poke(false)
        host.settle()
        for (page <- all) assert(host.numbers(page) == (0 until 20), s"R7: page $page")
        // Crowded again, and the endpoint has nothing there any more.
        host.dut.io.crowded.poke(true)
        host.dut.io.spilling.poke(0)
        host.sent.clear()
        for (page <- Seq(2, 3)) host.send(page)
        host.run(60)
        assert(host.seen.drop(80).map(_.page).toSet == Set(2, 3))
      }
    }

    it("R11, R13: who stands aside delays nobody, however often it is asked, and loses nothing") {
      val random = Seeds.random("SubmissionQueues crowded")
      test { host =>
        val pages = Seq(0, 1, 33, 69, p.privilegedPage)
        for ((page, i) <- pages.zipWithIndex)
          host.configure(page, i % 4, ring = 8, first = 32 * i, share = 5)
        host.takes = () => random.nextInt(4) != 0
        host.answers = () => random.nextInt(3) != 0
        def aside(page: Int) = page == p.privilegedPage || pages.indexOf(page) % 2 == 1
        host.dut.io.spilling.poke(10) // endpoints 1 and 3
        var crowded = false
        var since = 0
        for (n <- 0 until 1500) {
          if (random.nextInt(150) == 0) {
            crowded = !crowded
            since = n
            host.dut.io.crowded.poke(crowded)
          }
          val page = pages(random.nextInt(pages.size))
          val before = host.seen.size
          if (host.sent(page) - host.produced(page) < 32) host.send(page) else host.tick()
          if (random.nextInt(8) == 0) host.consumeAll(pages(random.nextInt(pages.size)))
          // Turns that were given before go on; there are a few of them.
          if (crowded && n - since > 100)
            assert(host.seen.drop(before).forall(s => !aside(s.page)), s"clock $n")
        }
        host.dut.io.crowded.poke(false)
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
