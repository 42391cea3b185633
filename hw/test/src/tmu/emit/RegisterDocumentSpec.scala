// SPDX-License-Identifier: Apache-2.0
package tmu.emit

import org.scalatest.funspec.AnyFunSpec
import tmu.layout.{CommandLayout, CompletionLayout, Opcodes, SendLayout, SpillEntryLayout, Statuses}
import tmu.params.Presets
import tmu.registers.{Access, Counters, TmuRegisters}

class RegisterDocumentSpec extends AnyFunSpec {
  private val text = RegisterDocument.render(Presets.nic)
  private val lines = text.linesIterator.toSet
  private def bits(low: Int, width: Int) = if (width == 1) s"$low" else s"${low + width - 1}..$low"

  describe("RegisterDocument") {
    it("has a row for every register and every field of it, and one for each counter") {
      val access = Map[Access, String](
        Access.ReadOnly -> "r",
        Access.ReadWrite -> "rw",
        Access.Trigger -> "w"
      )
      val (counters, others) =
        TmuRegisters.map(Presets.nic).registers.partition(_.name.startsWith("COUNTER_"))
      for (r <- others) {
        assert(lines(f"|0x${r.offset}%03x|`${r.name}`|${access(r.access)}|${r.text}|"), r.name)
        r.fields.foreach(f =>
          assert(lines(s"||`${f.name}` ${bits(f.low, f.width)}||${f.text}|"), f.name)
        )
      }
      for (c <- Counters.all)
        assert(lines.exists(_.endsWith(s"|`${c.name.toUpperCase}`|${c.text}|")), c.name)
      for (r <- counters if r.name.endsWith("_LO"))
        assert(lines.exists(_.startsWith(f"|0x${r.offset}%03x|")), r.name)
    }

    it("has a row for every field of commands, completions and entries, overlays marked") {
      val layouts = Seq(
        CommandLayout.layout,
        CompletionLayout.layout,
        SpillEntryLayout.layout,
        SendLayout.layout,
        SendLayout.piece
      )
      for (l <- layouts) {
        l.fields.foreach(f =>
          assert(lines(s"|${f.word}|${bits(f.low, f.width)}|`${f.name}`|${f.text}|"))
        )
        l.overlays.foreach(f =>
          assert(lines(s"|${f.word}|${bits(f.low, f.width)}|`${f.name}` (overlay)|${f.text}|"))
        )
      }
    }

    it("writes one bit as its number and more as a range") {
      assert(text.contains("|0|16|`phase`|"))
      assert(text.contains("|1|63..0|`match`|"))
      assert(text.contains("|3|63..32|`source_ignore`|"))
    }

    it("has a row for every opcode, status and preset") {
      (Opcodes.all ++ Opcodes.network ++ Statuses.all ++ Statuses.network)
        .foreach(c => assert(lines(s"|${c.value}|`${c.name}`|${c.text}|"), c.name))
      Presets.all.foreach(p =>
        assert(text.contains(s"|`${p.name}`|${Presets.number(p)}|${p.endpoints}|"), p.name)
      )
    }

    it("has as many cells in every row of a table as its head") {
      val tables = text.linesIterator.toSeq.filter(_.startsWith("|"))
      val heads = Set(4, 3, 10)
      tables.foreach(row => assert(heads(row.count(_ == '|') - 1), row))
    }

    it("is the same text each time, and says that it is generated") {
      assert(RegisterDocument.render(Presets.nic) == text)
      assert(text.contains(Notice.text))
    }
  }
}
