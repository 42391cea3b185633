// SPDX-License-Identifier: Apache-2.0
package tmu.params

import org.scalatest.funspec.AnyFunSpec

class PresetsSpec extends AnyFunSpec {
  describe("Presets") {
    it("have the numbers that devices in the field report") {
      assert(
        Presets.all.map(p => p.name -> Presets.number(p)) ==
          Seq(
            "nic" -> 0,
            "tiny" -> 1,
            "formal" -> 2,
            "ecp5" -> 3,
            "max" -> 4,
            "many" -> 5,
            "small" -> 6
          )
      )
    }

    it("are found by name") {
      Presets.all.foreach(p => assert(Presets.byName(p.name) eq p))
    }

    it("name the known ones when asked for an unknown one") {
      val error = intercept[IllegalArgumentException](Presets.byName("huge"))
      assert(
        error.getMessage == "unknown preset 'huge'; known: nic, tiny, formal, ecp5, max, many, small"
      )
    }

    it("have these numbers as units and as cards") {
      for (p <- Seq(Presets.nic, Presets.tiny)) {
        assert(Presets.number(p.unit) == Presets.number(p) && !p.unit.hasNetwork)
        assert(Presets.number(p.card) == Presets.number(p) && p.card.hasSend)
      }
      assert(Presets.small.unit == Presets.small)
      val error = intercept[IllegalArgumentException](Presets.small.card)
      assert(error.getMessage.contains("preset small has no network side: pdcs is 0"))
    }

    it("give a configuration that is none of them the number of one's own") {
      assert(Presets.number(Presets.nic.copy(name = "mine")) == 0xffff)
    }

    it("nic: 2,048 endpoints, 16,384 entries a queue of which 1,024 in lanes, full widths") {
      val p = Presets.nic
      assert(p.arrayEntries == 1024)
      assert((p.endpoints, p.postedEntries, p.unexpectedEntries) == ((2048, 16384, 16384)))
      assert((p.matchBits, p.sourceBits, p.handleBits, p.addressBits) == ((64, 32, 64, 64)))
    }

    it("tiny: 4 endpoints, 64 entries a queue, full widths") {
      val p = Presets.tiny
      assert((p.endpoints, p.postedEntries, p.unexpectedEntries) == ((4, 64, 64)))
      assert((p.matchBits, p.sourceBits, p.handleBits, p.addressBits) == ((64, 32, 64, 64)))
      assert((p.lengthBits, p.idBits) == ((48, 20)))
    }

    it("small: room for a job of 16 ranks, with memory rows, spill and full widths") {
      val p = Presets.small
      assert(p.endpoints >= 16 && p.hasFilter && p.hasSpill && p.parity && p.reserve)
      assert((p.matchBits, p.sourceBits, p.handleBits, p.addressBits) == ((64, 32, 64, 64)))
    }

    it("many: 256 endpoints with a queue each, and command slots for two pairs of each") {
      val p = Presets.many
      assert((p.endpoints, p.queues, p.commandSlots) == ((256, 256, 4 * 256)))
      assert((p.matchBits, p.sourceBits, p.handleBits, p.addressBits) == ((64, 32, 64, 64)))
    }

    it("formal: 4 to 8 entries, narrow keys and handles") {
      val p = Presets.formal
      assert(Seq(p.postedEntries, p.unexpectedEntries).forall(n => n >= 4 && n <= 8))
      assert(p.matchBits <= 4 && p.sourceBits <= 4 && p.handleBits <= 8)
    }
  }
}
