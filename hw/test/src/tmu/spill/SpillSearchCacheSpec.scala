// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import scala.util.Random
import tmu.Traffic
import tmu.params.SpillLayout

/** Entry cache on chip: it changes which words are read, never the result. */
class SpillSearchCacheSpec extends SpillSearchBench {

  /** Chunks of these numbers, all slots live. */
  private def full(random: Random, numbers: Seq[Int]): Seq[Chunk] =
    make(random, numbers.size, keys = 50, density = 1).zip(numbers).map { case (c, n) =>
      c.copy(number = n)
    }
  private def beats(chunks: Int) = chunks * SpillLayout.wordBeats

  describe("SpillSearch, with words and entries on chip") {
    it("reads no words again of as many chunks as have room, and all that have not") {
      run("SpillSearch again") { (bench, random) =>
        val nobody = Ask(0, 4095)
        def reads(list: Seq[Chunk]): Int = {
          bench.begin(list, nobody, sweeps = false)
          assert(bench.next(1).isEmpty)
          bench.wordBeats
        }
        val list = full(random, (5 until 5 + s.cachedChunks))
        assert(reads(list) == beats(list.size) && reads(list) == 0)
        // Another one in the line of the third: what comes behind it is read from memory with it,
        val other = list.updated(2, list(2).copy(number = list(2).number + s.cachedChunks))
        // for the order is that of age; unless memory answers first.
        for (l <- Seq(other, list)) {
          val first = reads(l)
          assert(first >= beats(1) && first <= beats(l.size - 2) && reads(l) == 0)
        }
        // Two that have the same line put each other out.
        val both = list.take(1) ++ Seq(list(2), other(2))
        assert(reads(both) == beats(1) && reads(both) == beats(2) && reads(both) == beats(2))
      }
    }

    it("R3: finds what was just appended without a read") {
      run("SpillSearch appended") { (bench, random) =>
        val first = full(random, Seq(9)).head
        bench.begin(Seq(first), Ask(0, 4095), sweeps = false)
        assert(bench.next(1).isEmpty)
        // Written anew from the first slot on, as in a chunk that was freed.
        val c = full(random, Seq(9)).head
        for (e <- random.shuffle(c.entries).take(10)) {
          val ask = Ask(e.endpoint, e.bits)
          bench.begin(Seq(c), ask, sweeps = false)
          assert(bench.next(1) == hits(Seq(c), ask).headOption)
          assert(bench.wordBeats == 0 && bench.entryBeats == 0)
        }
        // In the slots of its entries lie those of another chunk now, but not its words.
        for (round <- 0 to 1) {
          bench.begin(full(random, Seq(9 + s.recentChunks)), Ask(0, 4095), sweeps = false)
          assert(bench.next(1).isEmpty && (round == 0 || bench.wordBeats == 0))
        }
        val ask = Ask(c.entries.head.endpoint, c.entries.head.bits)
        bench.begin(Seq(c), ask, sweeps = true)
        for (hit <- hits(Seq(c), ask)) assert(bench.next(2).contains(hit))
        assert(bench.next(2).isEmpty && bench.wordBeats == 0)
        assert(bench.entryBeats == hits(Seq(c), ask).size + bench.falsePositives)
      }
    }

    it("R3, R4: finds the same whatever was written, read and forgotten before") {
      run("SpillSearch mixed") { (bench, random) =>
        // Few lines, so that chunks put each other out, of the same list too.
        val numbers = for (j <- 0 until 4; i <- 0 until 4) yield i + j * s.cachedChunks
        val others = Seq.tabulate(4)(j => 4 + j / 2 * s.cachedChunks + j % 2 * 3)
        var lists = (numbers ++ others).grouped(4).map(full(random, _)).toSeq
        var (sizes, silent, read) = (0, 0, 0)
        def enough = sizes > 60 && silent > 3 && read > 10
        for (round <- Traffic.until(60)(enough)) {
          val i = random.nextInt(lists.size)
          val list = lists(i).map { c =>
            // As it was; some slots, never the first, for that is the first of a new chunk; or all.
            val entries = random.nextInt(3) match {
              case 0 => c.entries
              case 1 =>
                c.entries.head +: c.entries.tail.map(e =>
                  if (random.nextInt(9) == 0) e.copy(bits = random.nextInt(50)) else e
                )
              case _ => c.entries.map(e => e.copy(bits = (e.bits + 1) % 50))
            }
            c.copy(entries = entries, live = Seq.fill(chunkSlots)(random.nextInt(6) > 0))
          }
          lists = lists.updated(i, list)
          bench.slow = 1 + random.nextInt(3)
          val ask = Ask(random.nextInt(2), random.nextInt(50))
          val sweeps = random.nextBoolean()
          bench.begin(list, ask, sweeps)
          val wanted = hits(list, ask)
          if (sweeps) {
            for (hit <- wanted) assert(bench.next(2).contains(hit), s"round $round")
            assert(bench.next(2).isEmpty)
          } else assert(bench.next(2) == wanted.headOption, s"round $round")
          sizes += wanted.size
          if (bench.wordBeats == 0) silent += 1 else read += 1
        }
        assert(enough, (sizes, silent, read))
      }
    }
  }
}
