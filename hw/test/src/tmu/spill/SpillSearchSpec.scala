// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import tmu.Traffic
import tmu.params.SpillLayout

class SpillSearchSpec extends SpillSearchBench {
  describe("SpillSearch") {
    it("R3, R4: finds the oldest of several, or none, whatever memory's pauses are") {
      run("SpillSearch oldest") { (bench, random) =>
        var (found, missed) = (0, 0)
        def enough = found > 2 && missed > 2
        for (round <- Traffic.until(40)(enough)) {
          val list = make(random, 1 + random.nextInt(4), keys = 80, density = 0.5)
          bench.slow = 1 + random.nextInt(4)
          val ask = Ask(random.nextInt(2), random.nextInt(80))
          bench.begin(list, ask, sweeps = false)
          val expected = hits(list, ask).headOption
          assert(bench.next(1 + random.nextInt(3)) == expected, s"round $round")
          if (expected.isDefined) found += 1 else missed += 1
        }
        assert(enough, (found, missed))
      }
    }

    it("R10, R13: finds a receive by its id, at its own endpoint alone") {
      run("SpillSearch id") { (bench, random) =>
        for (_ <- 0 until 15) {
          val list = make(random, 3, keys = 5, density = 0.8)
          val ask = Ask(random.nextInt(2), 0, id = Some(random.nextInt(1 << p.idBits)))
          bench.begin(list, ask, sweeps = false)
          assert(bench.next(1) == hits(list, ask).headOption)
        }
      }
    }

    it("R14: a sweep gives every hit once, in the order of age, then its end") {
      run("SpillSearch sweep") { (bench, random) =>
        for (keys <- Seq(2, 10, 100); slow <- Seq(1, 3)) {
          val list = make(random, 5, keys, density = 0.6)
          val ask = Ask(1, random.nextInt(keys))
          bench.slow = slow
          bench.begin(list, ask, sweeps = true)
          val seen = Iterator.continually(bench.next(1 + random.nextInt(4))).takeWhile(_.isDefined)
          assert(seen.flatten.toSeq == hits(list, ask))
        }
      }
    }

    it("R2: words that say yes wrongly are read, counted and passed by") {
      run("SpillSearch false") { (bench, random) =>
        // Equal words, other keys: every live entry of the endpoint's word is a candidate.
        val e = Plain(1, 4, 0, 0, 0)
        def full(number: Int, keys: Int => Int) = Chunk(
          number,
          Seq.tabulate(chunkSlots)(i => e.copy(bits = keys(i), handle = i)),
          Seq.fill(chunkSlots)(true)
        )
        val list = Seq(full(9, _ => 8), full(3, i => if (i == 59) 4 else 8))
        bench.begin(list, Ask(1, 4), sweeps = false)
        assert(bench.next(1).contains(Hit(3, 59, 59)))
        assert(bench.falsePositives == 2 * chunkSlots - 1)
        assert(bench.wordBeats == 2 * SpillLayout.wordBeats)
        bench.begin(list, Ask(1, 5), sweeps = false)
        assert(bench.next(1).isEmpty && bench.falsePositives == 0 && bench.entryBeats == 0)
        // Ignored bits: the word says nothing, the entry does.
        bench.begin(list, Ask(1, 0, ignore = 4), sweeps = false)
        assert(bench.next(1).contains(Hit(3, 59, 59)) && bench.falsePositives == 2 * chunkSlots - 1)
        bench.begin(list, Ask(1, 0, ignore = 8), sweeps = false)
        assert(bench.next(1).contains(Hit(9, 0, 0)))
      }
    }

    it("stops at its first hit, and in the middle of a sweep, and begins anew") {
      run("SpillSearch stop") { (bench, random) =>
        for (round <- 0 until 30) {
          val list = make(random, 2 + random.nextInt(40), keys = 4, density = 0.4)
          val ask = Ask(0, random.nextInt(4))
          bench.slow = 1 + random.nextInt(3)
          bench.begin(list, ask, sweeps = true)
          val wanted = random.nextInt(6)
          for (hit <- hits(list, ask).take(wanted)) assert(bench.next(2).contains(hit))
          for (_ <- 0 until random.nextInt(30)) bench.tick()
          bench.stop()
          val other = make(random, 2, keys = 4, density = 0.4)
          bench.begin(other, ask, sweeps = false)
          assert(bench.next(1) == hits(other, ask).headOption, s"round $round")
        }
        bench.rest()
      }
    }

    it("reads little when the hit is near the old end, and a burst a chunk when it is not") {
      run("SpillSearch cost") { (bench, random) =>
        val list = make(random, 60, keys = 4, density = 1)
        val ask = Ask(0, list.head.entries.find(_.endpoint == 0).get.bits)
        bench.begin(list, ask, sweeps = false)
        assert(bench.next(1).isDefined)
        bench.rest()
        assert(bench.wordBeats <= 8 * SpillLayout.wordBeats, bench.wordBeats)
        // The first chunks may be on chip by now.
        bench.begin(list, Ask(0, 4095), sweeps = false)
        val most = 60 * SpillLayout.wordBeats
        assert(bench.next(1).isEmpty && bench.wordBeats >= most - 32 && bench.wordBeats <= most)
      }
    }
  }
}
