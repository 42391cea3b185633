// SPDX-License-Identifier: Apache-2.0
package tmu.spill

class SpillSearchFaultSpec extends SpillSearchBench {
  describe("SpillSearch with flipped bits") {
    it("R13: a word that has lost a bit hides nothing") {
      run("SpillSearch words") { (bench, random) =>
        val list = make(random, 12, keys = 40, density = 1)
        for (bit <- 0 until 32) {
          bench.lostWord = (_, _) => BigInt(1) << bit
          val ask = Ask(1, random.nextInt(40))
          bench.begin(list, ask, sweeps = false)
          assert(bench.next(1) == hits(list, ask).headOption, s"bit $bit")
          bench.rest()
        }
        assert(bench.broken == 0 && bench.errors == 0)
      }
    }

    it("R13: an entry that has lost a bit, or lies elsewhere, is given out as broken") {
      run("SpillSearch entries") { (bench, random) =>
        val list = make(random, 3, keys = 2, density = 1)
        val lost = kept.map(BigInt(1) << _)
        for (bits <- lost) {
          bench.lostEntry = (_, _) => bits
          bench.broken = 0
          bench.begin(list, Ask(0, 1), sweeps = false)
          assert(bench.next(1).isDefined && bench.broken > 0, bits.toString(16))
          bench.rest()
        }
      }
    }
  }
}
