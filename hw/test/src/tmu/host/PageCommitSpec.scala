// SPDX-License-Identifier: Apache-2.0
package tmu.host

import tmu.DeviceSpec
import tmu.params.TmuParams

class PageCommitSpec extends DeviceSpec {
  private val p = TmuParams("commit", 4, 16, 16, 16, 4, queues = 4)
  private val commit = device(new PageCommit(p))

  private def start(dut: PageCommit): Unit = {
    Seq(dut.io.configure.valid, dut.io.disable.valid, dut.io.moving).foreach(_.poke(false))
    Seq(dut.io.drained, dut.io.fenced).foreach(_.poke(true))
    for (page <- 0 until p.pages) {
      assert(!dut.io.ready.isOn && dut.io.change.valid.isOn, "the sweep goes on")
      assert(dut.io.change.bits.page.value == page && dut.io.change.bits.restart.isOn)
      assert(!dut.io.change.bits.ring.enable.isOn && !dut.io.change.bits.queue.enable.isOn)
      dut.clock.step()
    }
    assert(dut.io.ready.isOn && !dut.io.change.valid.isOn && !dut.io.hold.isOn)
  }
  private def offer(dut: PageCommit, page: Int, enable: Boolean): Unit = {
    val c = dut.io.configure
    c.bits.page.poke(page)
    c.bits.ring.enable.poke(enable)
    c.bits.ring.log2.poke(7)
    c.bits.ring.base.poke(99)
    c.bits.queue.enable.poke(enable)
    c.bits.queue.endpoint.poke(3)
    c.bits.queue.first.poke(16)
    c.bits.queue.log2.poke(4)
    c.valid.poke(true)
  }

  /** Clocks until the change comes. */
  private def change(dut: PageCommit): Int = waitFor(dut, "the change")(dut.io.change.valid.isOn)

  describe("PageCommit") {
    it("R14: disables every page after reset, one a clock") {
      commit.run(start(_))
    }

    it("R13: holds all still for a few clocks, then enables a page from its first index on") {
      commit.run { dut =>
        start(dut)
        offer(dut, 2, enable = true)
        dut.clock.step()
        assert(dut.io.hold.isOn)
        val waited = change(dut)
        assert(waited == PageCommit.settle && dut.io.hold.isOn && dut.io.configured.isOn)
        val c = dut.io.change.bits
        assert(c.page.value == 2 && c.restart.isOn && c.ring.enable.isOn && c.queue.enable.isOn)
        assert(c.ring.log2.value == 7 && c.ring.base.value == 99)
        assert(c.queue.endpoint.value == 3 && c.queue.first.value == 16 && c.queue.log2.value == 4)
        dut.clock.step()
        assert(!dut.io.hold.isOn && !dut.io.change.valid.isOn)
        waitFor(dut, "the end")(dut.io.configure.ready.isOn)
      }
    }

    for (enable <- Seq(true, false))
      it(s"R13: is not done while a command is on its way, enable $enable; all go on meanwhile") {
        commit.run { dut =>
          start(dut)
          dut.io.drained.poke(false)
          offer(dut, 1, enable)
          var (held, changes) = (0, 0)
          for (_ <- 0 until 200) {
            val c = dut.io.change
            if (c.valid.isOn) {
              changes += 1
              assert(c.bits.page.value == 1 && !c.bits.queue.enable.isOn && !c.bits.restart.isOn)
            }
            assert(!dut.io.configure.ready.isOn && !dut.io.configured.isOn)
            if (dut.io.hold.isOn) held += 1
            dut.clock.step()
          }
          assert(changes > 0, "disabled at once, so that no more commands begin")
          assert(held > 0 && held < 80, "held for less than half of the time")
          dut.io.drained.poke(true)
          waitFor(dut, "the change")(dut.io.configured.isOn)
          val c = dut.io.change.bits
          assert(c.page.value == 1 && c.queue.enable.isOn == enable && c.restart.isOn == enable)
        }
      }

    it("R13: disables a page at once, and is done when memory has what was written before") {
      commit.run { dut =>
        start(dut)
        dut.io.fenced.poke(false)
        offer(dut, 3, enable = false)
        change(dut)
        val c = dut.io.change.bits
        assert(c.page.value == 3 && !c.ring.enable.isOn && !c.queue.enable.isOn && !c.restart.isOn)
        for (_ <- 0 until 50) {
          dut.clock.step()
          assert(!dut.io.configure.ready.isOn && !dut.io.hold.isOn && !dut.io.change.valid.isOn)
        }
        dut.io.fenced.poke(true)
        assert(dut.io.configure.ready.isOn)
        dut.clock.step()
        dut.io.configure.valid.poke(false)
        dut.clock.step(20)
        assert(!dut.io.hold.isOn)
      }
    }

    it("R13: takes a ring away whatever is being configured, and forgets neither") {
      for (after <- 0 to 12) commit.run { dut =>
        start(dut)
        offer(dut, 1, enable = true)
        var seen = Seq.empty[(Int, Boolean)]
        for (clock <- 0 until 30) {
          dut.io.disable.bits.poke(4)
          dut.io.disable.valid.poke(clock == after)
          if (clock == after) assert(dut.io.disable.ready.isOn)
          val c = dut.io.change
          if (c.valid.isOn) seen :+= ((c.bits.page.value.toInt, c.bits.ring.enable.isOn))
          if (dut.io.configure.ready.isOn) {
            dut.clock.step()
            dut.io.configure.valid.poke(false)
          } else dut.clock.step()
        }
        assert(seen.toSet == Set((4, false), (1, true)) && seen.size == 2, s"disabled at $after")
      }
    }
  }
}
