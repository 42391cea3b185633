// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import org.scalatest.funspec.AnyFunSpec
import tmu.params.TmuParams

class EntrySpec extends AnyFunSpec {
  private val p = TmuParams("entry", 4, 64, 32, 8)

  describe("TableParams") {
    it("has rows of lanes, and counts up to a full table") {
      val t = TableParams.posted(p)
      assert((t.rows, t.rowBits, t.laneBits, t.slotBits, t.countBits) == ((8, 3, 3, 6, 7)))
    }

    it("takes each queue's own number of entries") {
      assert(TableParams.posted(p).entries == 64)
      assert(TableParams.unexpected(p).entries == 32)
    }

    it("R10: receives carry wildcards and ids, messages neither") {
      assert(new LaneEntry(p, TableParams.posted(p)).elements.keySet.contains("ignore"))
      assert(new LaneEntry(p, TableParams.posted(p)).elements.keySet.contains("id"))
      val message = new LaneEntry(p, TableParams.unexpected(p)).elements.keySet
      assert(!message.contains("ignore") && !message.contains("id"))
    }
  }
}
