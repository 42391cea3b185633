// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import tmu.Seeds
import tmu.matching.{PlainAsk, PlainEntry, PlainKey}

class FilterTableAheadSpec extends FilterTableBench {
  describe("FilterTable") {
    it("R3, R4, R7: requests that go ahead of their turn are answered as if they did not") {
      val r = Seeds.random("FilterTable ahead")
      run { pair =>
        for (round <- 0 until 60) {
          val few = r.nextInt(4)
          def anyKey = PlainKey.random(r, p.matchBits, p.sourceBits, 1 + few)
          def anyMask =
            if (r.nextInt(4) == 0) PlainKey.mask(r, p.matchBits, p.sourceBits) else PlainKey.zero
          val (grows, hurries) = (r.nextBoolean(), r.nextBoolean())
          var room = t.filterEntries - pair.law.size
          val turns = for (_ <- 0 until 40) yield {
            val appends = room > 0 && r.nextInt(4) > (if (grows) 0 else 1)
            if (appends) room -= 1
            Turn(
              PlainAsk(r.nextInt(2), anyKey, anyMask, r.nextInt(5) > 0),
              Option.when(appends)(
                PlainEntry(r.nextInt(2), anyKey, anyMask, r.nextInt(64))
              ),
              if (hurries) 0 else r.nextInt(12)
            )
          }
          pair.stream(turns)
          pair.check()
          if (!grows) while (pair.law.size > t.filterEntries / 2) pair.lift(lanes)
        }
        assert(pair.answers > 300, s"${pair.answers} hits")
      }
    }

    it("counts a row that a search compares once, however long it waits for its turn") {
      for (rests <- Seq(0, 30)) filled(3 * lanes) { pair =>
        // The second one's hit is in the first row, where it waits behind the first one's miss.
        pair.stream(Seq(Turn(ask(3 * lanes), rests = rests), Turn(ask(0, takes = false))))
        assert(pair.passes >= 3 + 1 && pair.passes <= 2 * 3, s"${pair.passes} after $rests")
      }
    }

    it("answers every 6 clocks when each of a stream takes the youngest, to four rows") {
      for (rows <- 2 to 4; at <- Seq(1, lanes - 1)) filled((rows - 1) * lanes + at + 1) { pair =>
        val n = pair.law.size
        val turns = for (k <- 0 until 8) yield Turn(ask(n - 1 + k), Some(entry(n + k, n + k)))
        assert(pair.stream(turns).drop(1).forall(_ == 6), s"$rows rows")
        pair.check()
      }
    }
  }
}
