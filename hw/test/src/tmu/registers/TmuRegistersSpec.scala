// SPDX-License-Identifier: Apache-2.0
package tmu.registers

import org.scalatest.funspec.AnyFunSpec
import tmu.params.{Presets, TmuParams}

class TmuRegistersSpec extends AnyFunSpec {
  private def constant(p: TmuParams, register: String): BigInt =
    TmuRegisters.map(p)(register).constant.get

  describe("TmuRegisters") {
    it("starts with what a driver reads first: magic, version, preset") {
      val map = TmuRegisters.map(Presets.tiny.unit)
      assert(map("MAGIC").offset == 0 && constant(Presets.tiny.unit, "MAGIC") == 0x4f544d55)
      assert(map("INTERFACE_VERSION").offset == 4)
      assert(constant(Presets.tiny.unit, "INTERFACE_VERSION") == 0x20009)
      assert(map("PRESET").offset == 8)
      Presets.all.map(_.unit).zipWithIndex.foreach { case (p, i) =>
        assert(constant(p, "PRESET") == i)
      }
    }

    it("tells the build's parameters") {
      for (p <- Presets.all.map(_.unit)) {
        assert(constant(p, "ENDPOINTS") == p.endpoints)
        assert(constant(p, "POSTED_ENTRIES") == p.postedEntries)
        assert(constant(p, "UNEXPECTED_ENTRIES") == p.unexpectedEntries)
        assert(constant(p, "LANES") == p.lanes)
        assert(constant(p, "MATCH_BITS") == p.matchBits)
        assert(constant(p, "SOURCE_BITS") == p.sourceBits)
        assert(constant(p, "HANDLE_BITS") == p.handleBits)
        assert(constant(p, "ADDRESS_BITS") == p.addressBits)
        assert(constant(p, "LENGTH_BITS") == p.lengthBits)
        assert(constant(p, "ID_BITS") == p.idBits)
        assert(constant(p, "COMMAND_SLOTS") == p.commandSlots)
        assert(constant(p, "QUEUES") == p.queues)
        assert(constant(p, "SPILL_SEGMENTS") == p.spillSegments)
        assert(constant(p, "TAG_BITS") == p.tagBits)
      }
    }

    it("claims what follows from the parameters, bit by bit, and has no other bits") {
      val varied = for {
        p <- Presets.all.map(_.unit)
        segments <- Seq(0, p.spillSegments)
        parity <- Seq(false, true)
        reserve <- Seq(false, true)
      } yield p.copy(spillSegments = segments, parity = parity, reserve = reserve)
      val card = Presets.tiny.unit.copy(pdcs = 8, messages = 32)
      for (p <- Presets.all.map(_.unit) ++ varied ++ Seq(card, card.copy(sendPdcs = 4))) {
        val expected = Map(
          "INSPECT" -> true,
          "QUOTA" -> true,
          "SPILL" -> (p.spillSegments > 0),
          "PARITY" -> p.parity,
          "RESERVE" -> p.reserve,
          "NETWORK" -> p.hasNetwork,
          "SEND" -> p.hasSend
        )
        val value = constant(p, "CAPABILITIES")
        val fields = TmuRegisters.map(p)("CAPABILITIES").fields
        assert(fields.map(_.name).toSet == expected.keySet)
        fields.foreach(f =>
          assert(value.testBit(f.low) == expected(f.name), s"${p.name} ${f.name}")
        )
        assert(value.bitLength <= fields.size)
      }
      assert(Presets.all.map(_.unit).exists(!_.hasSpill) && Presets.all.exists(_.hasSpill))
    }

    it("filters by the whole tag and the whole context from power-on, whatever their widths") {
      def initial(p: TmuParams, name: String) = TmuRegisters.map(p)(name).initial
      def window(p: TmuParams, name: String) =
        (initial(p, s"FILTER_${name}_HI") << 32) | initial(p, s"FILTER_${name}_LO")
      for ((context, tag) <- Seq((32, 32), (32, 24), (8, 16), (1, 2))) {
        val p = Presets.tiny.unit.copy(contextBits = context, tagBits = tag)
        assert(window(p, "LOW") == (BigInt(1) << tag) - 1)
        assert(window(p, "LOW") + window(p, "HIGH") == (BigInt(1) << p.matchBits) - 1)
      }
    }

    it("has the same offsets and fields in every preset, so that one driver serves all") {
      val shapes = Presets.all
        .map(_.unit)
        .map(p => TmuRegisters.map(p).registers.map(r => (r.name, r.offset, r.access, r.fields)))
      assert(shapes.distinct.size == 1)
    }

    it("has two registers a counter, low word first") {
      val map = TmuRegisters.map(Presets.tiny.unit)
      for ((c, i) <- Counters.all.zipWithIndex) {
        assert(map(TmuRegisters.lo(c)).offset == TmuRegisters.counterBase + 8 * i)
        assert(map(TmuRegisters.hi(c)).offset == TmuRegisters.counterBase + 8 * i + 4)
      }
    }

    it("gives constants to read-only registers only") {
      TmuRegisters
        .map(Presets.tiny.unit)
        .registers
        .filter(_.constant.isDefined)
        .foreach(r => assert(r.access == Access.ReadOnly, r.name))
    }
  }
}
