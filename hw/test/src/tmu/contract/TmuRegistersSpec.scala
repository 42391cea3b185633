// SPDX-License-Identifier: Apache-2.0
package tmu.contract

import org.scalatest.funspec.AnyFunSpec
import tmu.params.{Presets, TmuParams}

class TmuRegistersSpec extends AnyFunSpec {
  private def constant(p: TmuParams, register: String): BigInt =
    TmuRegisters.map(p)(register).constant.get

  describe("TmuRegisters") {
    it("starts with what a driver reads first: magic, version, preset") {
      val map = TmuRegisters.map(Presets.tiny)
      assert(map("MAGIC").offset == 0 && constant(Presets.tiny, "MAGIC") == 0x4f544d55)
      assert(map("INTERFACE_VERSION").offset == 4)
      assert(constant(Presets.tiny, "INTERFACE_VERSION") == 0x20007)
      assert(map("PRESET").offset == 8)
      Presets.all.zipWithIndex.foreach { case (p, i) => assert(constant(p, "PRESET") == i) }
    }

    it("tells the build's parameters") {
      for (p <- Presets.all) {
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
      }
    }

    it("claims inspect, quotas and spill, and parity and reserves where there are some") {
      def claims(p: TmuParams): Seq[String] = {
        val value = constant(p, "CAPABILITIES")
        val bits = TmuRegisters.map(p)("CAPABILITIES").fields.map(f => f.name -> f.low)
        bits.collect { case (name, bit) if value.testBit(bit) => name }
      }
      assert(claims(Presets.formal) == Seq("INSPECT", "QUOTA", "SPILL"))
      assert(claims(Presets.tiny) == Seq("INSPECT", "QUOTA", "SPILL", "PARITY", "RESERVE"))
    }

    it("has the same offsets and fields in every preset, so that one driver serves all") {
      val shapes = Presets.all.map(p =>
        TmuRegisters.map(p).registers.map(r => (r.name, r.offset, r.access, r.fields))
      )
      assert(shapes.distinct.size == 1)
    }

    it("has two registers a counter, low word first") {
      val map = TmuRegisters.map(Presets.tiny)
      for ((c, i) <- Counters.all.zipWithIndex) {
        assert(map(TmuRegisters.lo(c)).offset == TmuRegisters.counterBase + 8 * i)
        assert(map(TmuRegisters.hi(c)).offset == TmuRegisters.counterBase + 8 * i + 4)
      }
    }

    it("gives constants to read-only registers only") {
      TmuRegisters
        .map(Presets.tiny)
        .registers
        .filter(_.constant.isDefined)
        .foreach(r => assert(r.access == Access.ReadOnly, r.name))
    }
  }
}
