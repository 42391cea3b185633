// SPDX-License-Identifier: Apache-2.0
package tmu.emit

import org.scalatest.funspec.AnyFunSpec
import tmu.layout.{CommandLayout, CompletionLayout, Opcodes, SendLayout, Statuses}
import tmu.params.Presets
import tmu.registers.{Counters, Streams, TmuRegisters}

class PythonConstantsSpec extends AnyFunSpec {
  private val text = PythonConstants.render(Presets.nic)
  private def block(head: String): String = {
    val start = text.indexOf(head)
    assert(start >= 0, s"no '$head'")
    text.substring(start, text.indexOf("\n}", start))
  }

  describe("PythonConstants") {
    it("has every register with offset and access") {
      val offsets = block("REGISTERS:")
      val access = block("REGISTER_ACCESS:")
      TmuRegisters.map(Presets.nic).registers.foreach { r =>
        assert(offsets.contains(f""""${r.name}": 0x${r.offset}%03X,"""), r.name)
        assert(access.contains(s""""${r.name}": "${r.access.rdl}","""), r.name)
      }
    }

    it("has low bit and width of every register field") {
      val fields = block("REGISTER_FIELDS:")
      for (r <- TmuRegisters.map(Presets.nic).registers if r.fields.nonEmpty) {
        val start = fields.indexOf(s""""${r.name}": {""")
        assert(start >= 0, r.name)
        val own = fields.substring(start, fields.indexOf("},", start))
        r.fields.foreach(f => assert(own.contains(s""""${f.name}": (${f.low}, ${f.width}),""")))
      }
    }

    it("has word, low bit and width of every command and completion field") {
      for (l <- Seq(CommandLayout.layout, CompletionLayout.layout, SendLayout.layout)) {
        val fields = block(s"${l.name.toUpperCase}_FIELDS:")
        (l.fields ++ l.overlays).foreach { f =>
          assert(fields.contains(s""""${f.name}": (${f.word}, ${f.low}, ${f.width}),"""), f.name)
        }
      }
    }

    it("writes fields of width 1, 32 and 64 alike") {
      assert(text.contains("\"phase\": (0, 16, 1),"))
      assert(text.contains("\"source_ignore\": (3, 32, 32),"))
      assert(text.contains("\"match\": (1, 0, 64),"))
    }

    it("has every opcode and status as a member of its enumeration") {
      val (opcodes, statuses) = text.splitAt(text.indexOf("class Status(IntEnum):"))
      (Opcodes.all ++ Opcodes.network).foreach(c =>
        assert(opcodes.contains(s"    ${c.name.toUpperCase} = ${c.value}  #"))
      )
      (Statuses.all ++ Statuses.network)
        .foreach(c => assert(statuses.contains(s"    ${c.name.toUpperCase} = ${c.value}  #")))
    }

    it("has every counter and every preset with all its numbers") {
      val counters = block("COUNTERS:")
      Counters.all.zipWithIndex.foreach { case (c, i) =>
        assert(counters.contains(f""""${c.name}": 0x${0x400 + 8 * i}%03X,"""), c.name)
      }
      val presets = block("PRESETS:")
      for (p <- Presets.all) {
        val start = presets.indexOf(s""""${p.name}": Preset(""")
        assert(start >= 0, p.name)
        val own = presets.substring(start, presets.indexOf("\n    ),", start))
        val numbers = Seq(
          "number" -> Presets.number(p),
          "endpoints" -> p.endpoints,
          "posted_entries" -> p.postedEntries,
          "unexpected_entries" -> p.unexpectedEntries,
          "lanes" -> p.lanes,
          "context_bits" -> p.contextBits,
          "tag_bits" -> p.tagBits,
          "match_bits" -> p.matchBits,
          "source_bits" -> p.sourceBits,
          "handle_bits" -> p.handleBits,
          "address_bits" -> p.addressBits,
          "length_bits" -> p.lengthBits,
          "id_bits" -> p.idBits,
          "queues" -> p.queues,
          "command_slots" -> p.commandSlots
        )
        numbers.foreach { case (name, n) => assert(own.contains(s"        $name=$n,"), name) }
      }
    }

    it("has every stream with its counters") {
      val streams = block("STREAMS:")
      for (s <- Streams.all) {
        val start = streams.indexOf(s""""${s.name}": (""")
        assert(start >= 0, s.name)
        val own = streams.substring(start, streams.indexOf("\n    ),", start))
        val indices =
          (Seq(s.active, s.stalled) ++ s.idle).map(c => own.indexOf(s""""${c.name}","""))
        assert(indices.forall(_ > 0) && indices.sorted == indices, s.name)
      }
      assert(text.contains("STREAM_IDLE_FROM: Final = (1, 4, 16, 64, 256)"))
    }

    it("is the same text each time, and says that it is generated") {
      assert(PythonConstants.render(Presets.nic) == text)
      assert(text.contains(Notice.text))
    }
  }
}
