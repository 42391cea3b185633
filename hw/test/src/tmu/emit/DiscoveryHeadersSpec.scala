// SPDX-License-Identifier: Apache-2.0
package tmu.emit

import org.scalatest.funspec.AnyFunSpec
import tmu.params.Presets
import tmu.registers.{Discovered, Discovery, TmuRegisters}

class DiscoveryHeadersSpec extends AnyFunSpec {
  private def members(text: String, kind: String): Seq[String] =
    text.linesIterator.map(_.trim).collect { case s"$found $name;" if found == kind => name }.toSeq

  describe("DiscoveryHeaders") {
    it("give tmu_info_t a member of each discovery register, in the order of the list") {
      assert(members(DiscoveryHeaders.info, "uint32_t") == Discovery.all.map(_.member))
    }

    it(
      "give a session's query the members that it was released with, at their offsets, then new ones"
    ) {
      val released = "size version interface_version preset endpoints posted_entries " +
        "unexpected_entries lanes match_bits source_bits handle_bits address_bits length_bits " +
        "id_bits command_slots capabilities array_entries filter_lanes filter_bits queues vectors " +
        "spill_segments spill_free tag_bits"
      val all = members(DiscoveryHeaders.query, "__u32")
      assert(all.take(24) == released.split(' ').toSeq)
      assert(all.distinct == all && Discovery.all.forall(one => all.contains(one.member)))
    }

    it("have a row of each register, with its offset, and older units' answer") {
      val text = DiscoveryHeaders.tables.mkString("\n")
      val map = TmuRegisters.map(Presets.nic)
      for (one <- Discovery.all) {
        assert(map(one.name).offset == one.offset)
        assert(text.contains(s"X(${one.member}, TMU_REG_${one.name}, ${one.since}, "), one.name)
      }
      assert(text.contains("X(tag_bits, TMU_REG_TAG_BITS, 8, 0x0, 32)"))
      assert(text.contains("X(spill_segments, TMU_REG_SPILL_SEGMENTS, 0, 0x4, 0)"))
      assert(text.contains("X(TMU_REG_COMMAND_SLOTS, command_slots)"))
    }

    it("keep lines within 100 columns") {
      val text = DiscoveryHeaders.info + DiscoveryHeaders.query
      assert(text.linesIterator.forall(_.length <= 100))
    }
  }

  describe("Discovery") {
    it("derives every capability from the parameters") {
      val p =
        Presets.tiny.unit.copy(name = "bare", spillSegments = 0, parity = false, reserve = false)
      def bits(one: tmu.params.TmuParams) =
        Discovery.all.find(_.name == "CAPABILITIES").get.value(one)
      assert(bits(p) == 3)
      assert(bits(p.copy(spillSegments = 1)) == 7 && bits(p.copy(reserve = true)) == 0x13)
      assert(bits(p.copy(parity = true)) == 0xb)
    }

    it("refuses a parameter that the functional device has not, and an unknown capability") {
      def refused(body: => Discovered): String =
        intercept[IllegalArgumentException](body).getMessage
      val one = Discovered("NEW", 0x54, "New.", _ => 0)
      assert(refused(one.copy(parameter = Some("parity"))).contains("NEW: the functional device"))
      assert(refused(one.copy(needs = Some("WINGS"))).contains("no capability WINGS"))
    }
  }
}
