// SPDX-License-Identifier: Apache-2.0
package tmu.host

import scala.collection.mutable
import tmu.{DeviceSpec, Seeds}
import tmu.params.TmuParams

class PageArbiterSpec extends DeviceSpec {
  private val sizes = Seq(3, 64, 200)
  private def params(queues: Int) = TmuParams("turns", 4, 16, 16, 16, 4, queues = queues)
  private val arbiters = sizes.map(n => n -> device(new PageArbiter(params(n))))

  private def quiet(dut: PageArbiter): Unit = {
    dut.io.wants.foreach(_.valid.poke(false))
    dut.io.page.ready.poke(false)
  }
  private def ask(dut: PageArbiter, port: Int, page: Int): Unit = {
    dut.io.wants(port).valid.poke(true)
    dut.io.wants(port).bits.poke(page)
  }

  for ((queues, arbiter) <- arbiters) describe(s"PageArbiter of $queues queues") {
    val pages = queues + 1

    it("R13: gives every page that asks one turn, and none to others") {
      val random = Seeds.random(s"PageArbiter $queues")
      arbiter.run { dut =>
        quiet(dut)
        val asked = mutable.Set[Int]()
        for (clock <- 0 until 2000) {
          quiet(dut)
          dut.io.page.ready.poke(random.nextInt(3) != 0)
          // Each page has at most one request open, so that a turn belongs to it.
          if (clock < 1800) for (port <- 0 until PageArbiter.askers) {
            val page = random.nextInt(pages)
            if (random.nextInt(4) == 0 && !asked(page)) {
              ask(dut, port, page)
              asked += page
            }
          }
          else dut.io.page.ready.poke(true)
          if (dut.io.page.valid.isOn && dut.io.page.ready.peek().litToBoolean)
            assert(asked.remove(dut.io.page.bits.value.toInt), "a turn nobody asked for")
          dut.clock.step()
        }
        assert(asked.isEmpty && dut.io.idle.isOn)
      }
    }

    it("R13: no page has two turns more than another while both ask all the time") {
      arbiter.run { dut =>
        quiet(dut)
        val some = Seq(0, pages / 2, pages - 1)
        val turns = mutable.Map[Int, Int]().withDefaultValue(0)
        for (_ <- 0 until 600) {
          quiet(dut)
          for ((page, port) <- some.zipWithIndex) ask(dut, port, page)
          dut.io.page.ready.poke(true)
          if (dut.io.page.valid.isOn) turns(dut.io.page.bits.value.toInt) += 1
          dut.clock.step()
        }
        val counts = some.map(turns)
        assert(counts.max - counts.min <= 2, s"turns of $some: $counts")
        assert(counts.sum > 190, "at least one in three clocks")
      }
    }

    it("names a page a clock while a group is well filled") {
      arbiter.run { dut =>
        quiet(dut)
        val filled = math.min(pages, PageArbiter.group)
        for (page <- 0 until filled) {
          quiet(dut)
          ask(dut, 0, page)
          dut.clock.step()
        }
        quiet(dut)
        dut.io.page.ready.poke(true)
        var (clocks, turns) = (0, 0)
        while (!dut.io.idle.isOn) {
          if (dut.io.page.valid.isOn) turns += 1
          clocks += 1
          dut.clock.step()
        }
        assert(turns == filled && clocks <= filled + 4)
      }
    }
  }
}
