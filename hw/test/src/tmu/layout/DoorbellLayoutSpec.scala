// SPDX-License-Identifier: Apache-2.0
package tmu.layout

import org.scalatest.funspec.AnyFunSpec
import tmu.registers.Counters

class DoorbellLayoutSpec extends AnyFunSpec {
  import DoorbellLayout._

  describe("DoorbellLayout") {
    it("R13: gives each owner a page of its own that a memory manager can map alone") {
      assert(pageBytes == 4096)
    }

    it("has whole command slots, and the consumer index behind all of them in the same page") {
      assert(commandWindowBytes % commandBytes == 0)
      assert(consumerOffset >= commandWindowBytes)
      assert(consumerOffset + 4 <= pageBytes)
    }

    it(
      "shows all counters behind the words that are written, by words that lie at their addresses"
    ) {
      assert(askOffset == consumerOffset + 4 && snapshotOffset >= askOffset + 4)
      assert(snapshotOffset % 8 == 0 && countersOffset % 64 == 0)
      assert(countersOffset >= snapshotOffset + 8)
      assert(countersOffset + counterBytes * Counters.all.size <= pageBytes)
    }

    it("rings hold 16 to 65,536 completions") {
      assert(ringLog2Min == 4)
      assert(ringLog2Max == 16)
    }
  }
}
