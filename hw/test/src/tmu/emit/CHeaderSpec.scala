// SPDX-License-Identifier: Apache-2.0
package tmu.emit

import org.scalatest.funspec.AnyFunSpec
import tmu.layout.{CommandLayout, CompletionLayout, Opcodes, SendLayout, SpillEntryLayout, Statuses}
import tmu.params.Presets
import tmu.registers.{Counters, Discovery, TmuRegisters}

class CHeaderSpec extends AnyFunSpec {
  private val text = CHeader.render(Presets.nic)
  private val defines: Map[String, String] = text.linesIterator
    .map(_.replaceAll("/\\*.*\\*/", "").trim.split("\\s+", 3))
    .collect { case Array("#define", name, value) => name -> value }
    .toMap
  private def number(name: String): BigInt = {
    val digits = defines(name).replaceAll("u(ll)?$", "")
    if (digits.startsWith("0x")) BigInt(digits.drop(2), 16) else BigInt(digits)
  }

  describe("CHeader") {
    it("has every register with its offset") {
      TmuRegisters
        .interface(Presets.nic)
        .registers
        .foreach(r => assert(number(s"TMU_REG_${r.name}") == r.offset))
    }

    it("has shift and mask of every register field") {
      for (r <- TmuRegisters.interface(Presets.nic).registers; f <- r.fields) {
        assert(number(s"TMU_${r.name}_${f.name}_SHIFT") == f.low)
        assert(number(s"TMU_${r.name}_${f.name}_MASK") == (BigInt(1) << f.width) - 1)
      }
    }

    it("has word, shift and mask of every field of a record, the 64-bit ones too") {
      val layouts = Seq(
        CommandLayout.layout,
        CompletionLayout.layout,
        SpillEntryLayout.layout,
        SendLayout.layout,
        SendLayout.piece
      )
      for (l <- layouts; f <- l.fields ++ l.overlays) {
        val name = s"TMU_${l.name}_${f.name}".toUpperCase
        assert(number(s"${name}_WORD") == f.word)
        assert(number(s"${name}_SHIFT") == f.low)
        assert(number(s"${name}_MASK") == (BigInt(1) << f.width) - 1)
        assert(defines(s"${name}_MASK").endsWith("ull"), "a 64-bit mask needs a 64-bit literal")
      }
    }

    it("writes masks of width 1, 32, 48 and 64 in full") {
      assert(defines("TMU_COMPLETION_PHASE_MASK") == "0x1ull")
      assert(defines("TMU_COMMAND_SOURCE_MASK") == "0xffffffffull")
      assert(defines("TMU_COMMAND_LENGTH_MASK") == "0xffffffffffffull")
      assert(defines("TMU_COMMAND_MATCH_MASK") == "0xffffffffffffffffull")
    }

    it("has every opcode and status with its value") {
      val lines = text.linesIterator.map(_.trim).toSeq
      for (
        (kind, codes) <- Seq(
          "OPCODE" -> (Opcodes.all ++ Opcodes.network),
          "STATUS" -> (Statuses.all ++ Statuses.network)
        );
        c <- codes
      ) {
        val start = s"TMU_${kind}_${c.name.toUpperCase} = ${c.value},"
        assert(lines.count(_.startsWith(start)) == 1, start)
      }
    }

    it("has every counter and every preset in its table") {
      Counters.all.zipWithIndex.foreach { case (c, i) =>
        assert(text.contains(f"X(${c.name}, 0x${0x400 + 8 * i}%03x)"), c.name)
      }
      Presets.all.foreach { p =>
        val head = s"""X("${p.name}", ${Presets.number(p)}, ${p.endpoints}, ${p.postedEntries}, """
        assert(text.contains(head), p.name)
      }
    }

    it("has the numbers of the doorbell page") {
      assert(number("TMU_DOORBELL_PAGE_BYTES") == 4096)
      assert(number("TMU_DOORBELL_COMMAND_BYTES") == 64)
      assert(number("TMU_DOORBELL_COMMAND_WINDOW_BYTES") == 2048)
      assert(number("TMU_DOORBELL_CONSUMER_OFFSET") == 2048)
      assert(number("TMU_MAGIC") == Discovery.magic)
    }

    it("tells where an entry lies in memory") {
      assert(number("TMU_SPILL_FIRST_ENTRY") == 256 && number("TMU_SPILL_ENTRY_BYTES") == 64)
      assert(number("TMU_SPILL_CHUNK_ENTRIES") * 64 + 256 == number("TMU_SPILL_CHUNK_BYTES"))
    }

    it("defines no name twice") {
      val names = text.linesIterator.filter(_.startsWith("#define")).map(_.split("\\s+")(1)).toSeq
      assert(names.diff(names.distinct) == Nil)
    }

    it("is the same text each time, and says that it is generated") {
      assert(CHeader.render(Presets.nic) == text)
      assert(text.contains(Notice.text))
      assert(text.startsWith("/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */\n"))
    }
  }
}
