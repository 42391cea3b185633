// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import scala.util.Random
import tmu.Seeds
import tmu.matching.{PlainAsk, PlainEntry, PlainKey}

class FilterTableSpec extends FilterTableBench {
  private def step(r: Random, pair: Pair, name: Int): Unit = {
    def anyKey = PlainKey.random(r, p.matchBits, p.sourceBits, 3)
    def mask =
      if (r.nextInt(3) == 0) PlainKey.mask(r, p.matchBits, p.sourceBits) else PlainKey.zero
    val grows = name / 60 % 2 == 0
    if (r.nextInt(10) < (if (grows) 7 else 3) && pair.law.size < t.filterEntries) {
      pair.append(
        PlainEntry(
          r.nextInt(2),
          anyKey,
          mask,
          name % 64,
          pair.law.freeSlot(t.slots, r.nextInt(t.slots))
        )
      )
    } else if (r.nextInt(12) == 0 && pair.law.size > 0) pair.lift(1 + r.nextInt(lanes))
    else {
      val ids = pair.law.entries.map(_.id)
      val id = Option.when(r.nextInt(5) == 0 && ids.nonEmpty)(ids(r.nextInt(ids.size)))
      pair.search(PlainAsk(r.nextInt(2), anyKey, mask, r.nextInt(5) > 0, id))
    }
    for (_ <- 0 until r.nextInt(8) - 4) pair.clock()
  }

  describe("FilterTable") {
    it("R1, R3, R8, R10, R13: equals a list, whatever comes while a hole is closed") {
      val r = Seeds.random("FilterTable")
      run { pair =>
        for (name <- 0 until 1500) {
          step(r, pair, name)
          if (name % 100 == 99) pair.check()
        }
        assert(pair.answers > 300, s"${pair.answers} hits")
        assert(pair.falsePositives > 10 && pair.candidates > pair.falsePositives)
      }
    }

    it("answers a hit in row h after h + 6 clocks, a miss with n rows after n + 2") {
      filled(3 * lanes) { pair =>
        for (n <- 0 until 3 * lanes)
          assert(pair.search(ask(n, takes = false))._2 == n / lanes + 6, s"entry $n")
        assert(pair.search(ask(3 * lanes))._2 == 3 + 2)
      }
    }

    it("closes a hole in n - h + 1 clocks, and takes a search in the last when the head rests") {
      for (rows <- 1 to 5; at <- 0 until rows * lanes) {
        val row = at / lanes
        filled(rows * lanes) { pair =>
          pair.search(ask(at))
          assert(pair.rest() == rows - row + 1, s"$rows rows, entry $at")
        }
        filled(rows * lanes) { pair =>
          pair.search(ask(at))
          // The head is the last row, or the one before, in tables of fewer than three.
          val waits = if (rows > 2) rows - row else rows - row + 1
          assert(pair.search(ask(rows * lanes))._1 == waits, s"$rows rows, entry $at")
          for (n <- 0 until rows * lanes if n != at) pair.search(ask(n))
          pair.rest()
          assert(pair.law.size == 0)
        }
      }
    }

    it("R7: an entry appended while the last row closes is the youngest, and found") {
      for (entries <- 1 to 3 * lanes; at <- 0 until entries; wait <- 0 to 2) filled(entries) {
        pair =>
          pair.search(ask(at))
          for (_ <- 0 until wait) pair.clock()
          pair.append(entry(40, entries))
          pair.search(ask(40, takes = false))
          pair.check()
      }
    }

    it("R11: an entry appended while several rows close stops the simulation") {
      val error = intercept[Exception] {
        table.run { dut =>
          val pair = new Pair(dut)
          for (n <- 0 until 3 * lanes) pair.append(entry(n, n))
          pair.search(ask(0))
          dut.io.append.valid.poke(true)
          pair.clock()
          pair.clock()
        }
      }
      assert(error.getMessage.contains("appended to memory rows that are at work"), error)
    }
  }
}
