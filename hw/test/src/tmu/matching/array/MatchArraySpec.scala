// SPDX-License-Identifier: Apache-2.0
package tmu.matching.array

import scala.util.Random
import tmu.{DeviceSpec, Seeds}
import tmu.matching.{PlainAsk, PlainEntry, PlainKey}
import tmu.params.{TableParams, TmuParams}

class MatchArraySpec extends DeviceSpec with ArrayBench {
  private class Geometry(rows: Int, lanes: Int, receives: Boolean) {
    val name: String = s"$rows rows of $lanes ${if (receives) "receives" else "messages"}"
    private val entries = rows * lanes
    // The unit has two rows at least, the array itself may have one.
    private val legal = math.max(entries, 2 * lanes)
    val p: TmuParams =
      TmuParams("array", 2, legal, legal, legal, lanes, 8, 8, 2, 2, 2, idBits = 6)
    private val table = if (receives) TableParams.posted(p) else TableParams.unexpected(p)
    val t: TableParams = table.copy(entries = entries, arrayEntries = entries)
    val array: Device[MatchArray] = device(new MatchArray(p, t))
    def run(body: ArrayPair => Unit): Unit = array.run(dut => body(new ArrayPair(dut, t)))
  }
  private val one = new Geometry(1, 4, receives = true)
  private val small = new Geometry(2, 2, receives = true)
  private val square = new Geometry(4, 4, receives = true)
  private val messages = new Geometry(2, 4, receives = false)

  private def entry(n: Int, key: Int, slot: BigInt): PlainEntry =
    PlainEntry(0, PlainKey(key, 1), PlainKey.zero, n, slot)
  private def ask(key: Int): Some[PlainAsk] = Some(PlainAsk(0, PlainKey(key, 1)))

  private def random(g: Geometry, clocks: Int, keys: Int)(r: Random)(pair: ArrayPair): Unit = {
    val p = g.p
    var name = 0
    for (i <- 0 until clocks) {
      // Spells of filling, of emptying and of both at full rate.
      val (asks, appends) = Seq((10, 3), (3, 10), (10, 10), (9, 9))(i / 40 % 4)
      def key = PlainKey.random(r, p.matchBits, p.sourceBits, keys)
      def mask = PlainKey.mask(r, p.matchBits, p.sourceBits)
      val append = Option.when(r.nextInt(10) < appends && pair.law.size < g.t.entries) {
        name += 1
        val ignored = if (g.t.receives && r.nextInt(3) == 0) mask else PlainKey.zero
        PlainEntry(
          r.nextInt(2),
          key,
          ignored,
          name % 64,
          pair.law.freeSlot(g.t.slots, r.nextInt(g.t.slots))
        )
      }
      val asked = Option.when(r.nextInt(10) < asks) {
        val ignored = if (r.nextInt(3) == 0) mask else PlainKey.zero
        val id = Option.when(g.t.receives && r.nextInt(5) == 0) {
          val live = pair.law.entries
          if (live.isEmpty) BigInt(r.nextInt(64)) else live(r.nextInt(live.size)).id
        }
        PlainAsk(r.nextInt(2), key, ignored, r.nextInt(5) > 0, id)
      }
      pair.clock(asked, append)
      if (i % 250 == 249) pair.checkWalk()
    }
    pair.checkWalk()
    assert(pair.hits > clocks / 10 && pair.hitsIncoming > 0, s"${pair.hits} hits")
    assert(pair.mostHeld == g.t.entries, "the array was full")
  }

  describe("MatchArray") {
    for (g <- Seq(one, small, square, messages))
      it(
        s"R1, R3, R4, R8, R10, R13: equals a list at an operation and an entry a clock: ${g.name}"
      ) {
        val r = Seeds.random(s"MatchArray ${g.name}")
        g.run(random(g, 1000, 2)(r))
      }

    it("R3, R7: operations on one key, one a clock, take the entries one by one, oldest first") {
      square.run { pair =>
        for (n <- 0 until 16) pair.clock(None, Some(entry(n, 5, n)))
        pair.rest()
        for (_ <- 0 until 19) pair.clock(ask(5))
        pair.rest()
        assert(pair.hits == 16 && pair.law.size == 0)
      }
    }

    it("R7: an entry and a take of its key in each clock: each take gets the entry before it") {
      square.run { pair =>
        for (_ <- 0 until square.t.walk) pair.clock(ask(3))
        for (n <- 0 until 60)
          pair.clock(ask(3), Some(entry(n, 3, n % square.t.slots)))
        pair.rest()
        assert(pair.hits >= 59 && pair.hitsIncoming > 30)
      }
    }

    it("R8: an operation that does not take leaves everything as it is") {
      small.run { pair =>
        for (n <- 0 until 4) pair.clock(None, Some(entry(n, n, n)))
        for (n <- 0 until 8) pair.clock(Some(PlainAsk(0, PlainKey(n % 4, 1), takes = false)))
        pair.checkWalk()
        assert(pair.hits == 8 && pair.law.size == 4)
      }
    }

    it("R3: finds an entry that a new one pushes down, in whichever row each operation is") {
      for (g <- Seq(small, square)) g.run { pair =>
        val n = g.t.entries
        for (hole <- 0 until n by (if (n > 4) 3 else 1); offset <- 0 to g.t.walk + 3) {
          pair.rest()
          // Empty it, fill it with keys of their own, take one: a full array with one hole.
          for (_ <- 0 until n) pair.clock(Some(PlainAsk(0, PlainKey.zero, PlainKey(15, 3))))
          pair.rest()
          for (i <- 0 until n) pair.clock(None, Some(entry(i, i, i)))
          pair.clock(ask(hole))
          pair.rest()
          val added = entry(n, hole, n)
          val searched = Seq.tabulate(n)(i => (hole + 1 + i) % n)
          for (clock <- 0 until n + offset) {
            val search = if (clock < n) ask(searched(clock)) else None
            pair.clock(search, Option.when(clock == offset)(added))
          }
          pair.clock(None, Option.when(offset == n + offset)(added))
          pair.rest()
        }
      }
    }

    it("R11: holes anywhere are filled again, an entry a clock, without any pause") {
      val r = Seeds.random("MatchArray holes")
      square.run { pair =>
        for (n <- 0 until 16) pair.clock(None, Some(entry(n, n, n)))
        for (_ <- 0 until 12) {
          pair.rest()
          val taken = r.shuffle(pair.law.entries.toList).take(1 + r.nextInt(8))
          taken.foreach(e => pair.clock(Some(PlainAsk(0, e.key))))
          pair.rest()
          taken.foreach(e => pair.clock(None, Some(e)))
          pair.checkWalk()
          assert(pair.law.size == 16)
        }
      }
    }

    it("R14: a reset leaves no entry") {
      small.run { pair =>
        for (n <- 0 until 4) pair.clock(None, Some(entry(n, n, n)))
      }
      small.run { pair =>
        for (n <- 0 until 4) pair.clock(ask(n))
        assert(pair.walk().isEmpty)
      }
    }

    it("R11: an entry too many stops the simulation") {
      val error = intercept[Exception] {
        small.run { pair =>
          for (n <- 0 until 5) pair.clock(None, Some(entry(n, n, n)))
          pair.rest()
        }
      }
      assert(error.getMessage.contains("took an entry in without a hole"), error)
    }
  }
}
