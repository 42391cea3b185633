// SPDX-License-Identifier: Apache-2.0
package tmu.emit

import org.scalatest.funspec.AnyFunSpec
import tmu.params.Presets
import tmu.registers.{Access, Register, TmuRegisters}

class SystemRdlSpec extends AnyFunSpec {
  private val text = SystemRdl.render(Presets.nic)
  private val registers = TmuRegisters.map(Presets.nic).registers

  /** The text of one register, from `reg {` to its address. */
  private def block(r: Register): String = {
    val end = text.indexOf(f"    } ${r.name} @ 0x${r.offset}%03x;")
    assert(end >= 0, s"no register ${r.name}")
    text.substring(text.lastIndexOf("    reg {", end), end)
  }

  describe("SystemRdl") {
    it("has every register at its offset, with the sentence that documents it") {
      registers.foreach(r => assert(block(r).contains(s"""name = "${r.name}";"""), r.name))
    }

    it("has the bits of every field; a register without fields is one field of 32") {
      for (r <- registers) {
        r.fields.foreach(f =>
          assert(block(r).contains(s"} ${f.name}[${f.low + f.width - 1}:${f.low}]"), f.name)
        )
        if (r.fields.isEmpty) assert(block(r).contains("} VALUE[31:0]"), r.name)
      }
    }

    it("says what software may do with each") {
      for (r <- registers) {
        assert(block(r).contains(s"sw = ${r.access.rdl};"), r.name)
        assert(block(r).contains("singlepulse;") == (r.access == Access.Trigger), r.name)
      }
    }

    it("gives constants, whole or by field, as reset values") {
      assert(block(registers.find(_.name == "MAGIC").get).contains("VALUE[31:0] = 0x4f544d55;"))
      val version = block(registers.find(_.name == "INTERFACE_VERSION").get)
      assert(version.contains("MINOR[15:0] = 0x9;") && version.contains("MAJOR[31:16] = 0x2;"))
    }

    it("closes every brace that it opens") {
      assert(text.count(_ == '{') == text.count(_ == '}'))
    }

    it("is the same text each time, and says that it is generated") {
      assert(SystemRdl.render(Presets.nic) == text)
      assert(text.contains(Notice.text))
    }
  }
}
