// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import tmu.params.SpillLayout

/** A unit with one segment at most has no words on chip: it reads them each time. */
class SpillSearchWithoutWordsSpec extends SpillSearchBench {
  override protected def segments: Int = 1

  describe("SpillSearch, without words on chip") {
    it("R3, R4: finds the same, and reads the words of every chunk again") {
      assert(s.cachedChunks == 0)
      run("SpillSearch without words") { (bench, random) =>
        for (_ <- 0 until 12) {
          val list = make(random, 1 + random.nextInt(5), keys = 6, density = 0.3)
          bench.slow = 1 + random.nextInt(3)
          val ask = Ask(random.nextInt(2), random.nextInt(6))
          for (_ <- 0 to 1) {
            bench.begin(list, ask, sweeps = true)
            val found = hits(list, ask)
            assert(found.map(h => bench.next(1).contains(h)).forall(identity))
            assert(bench.next(1).isEmpty)
            assert(bench.wordBeats == list.size * SpillLayout.wordBeats)
          }
        }
      }
    }
  }
}
