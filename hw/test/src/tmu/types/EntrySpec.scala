// SPDX-License-Identifier: Apache-2.0
package tmu.types

import org.scalatest.funspec.AnyFunSpec
import tmu.params.{TableParams, TmuParams}

class EntrySpec extends AnyFunSpec {
  private val p = TmuParams("entry", 4, 64, 64, 64, 8)

  describe("TableParams") {
    it("has rows of lanes, a walk of two clocks more, and counts up to a full table") {
      val t = TableParams.posted(p)
      assert((t.rows, t.laneBits, t.rowNumberBits, t.countBits) == ((8, 3, 3, 7)))
      assert(t.walk == 10 && t.inFlight >= t.walk + 6)
    }

    it("R11: has more slots than entries, for those that are on their return") {
      val t = TableParams.posted(p)
      assert(t.slots == 64 + TableParams.spare + TableParams.losable)
      assert((1 << t.slotBits) >= t.slots)
    }

    it("takes each queue's own number of entries") {
      val deep = p.copy(postedEntries = 256, unexpectedEntries = 128)
      assert(TableParams.posted(deep).entries == 256)
      assert(TableParams.unexpected(deep).entries == 128)
    }

    it("R11: memory rows hold what the lanes do not, also while lanes wait to be filled again") {
      for (entries <- Seq(128, 256, 4096)) {
        val t = TableParams.posted(p.copy(postedEntries = entries, unexpectedEntries = entries))
        assert(
          t.entries > t.arrayEntries && t.filterEntries >= entries - 64 + math.min(64, t.lanes)
        )
        assert(t.filterEntries <= entries)
        assert(t.filterRows * t.filterLanes >= t.filterEntries + t.filterLanes)
      }
      assert(!p.hasFilter)
    }

    it("has a position for an inspect to name wherever an entry can lie") {
      assert(TableParams.posted(p).positions == 64)
      val t = TableParams.posted(p.copy(postedEntries = 128, unexpectedEntries = 128))
      assert(t.positions == 64 + t.filterEntries && (1 << t.positionBits) >= t.positions)
    }

    it("R10: receives carry wildcards and ids, messages neither") {
      assert(new LaneEntry(p, TableParams.posted(p)).elements.keySet.contains("ignore"))
      assert(new LaneEntry(p, TableParams.posted(p)).elements.keySet.contains("id"))
      val message = new LaneEntry(p, TableParams.unexpected(p)).elements.keySet
      assert(!message.contains("ignore") && !message.contains("id"))
    }
  }
}
