// SPDX-License-Identifier: Apache-2.0
package tmu.emit

import tmu.params.TmuParams
import tmu.registers.{Access, Register, RegisterField, TmuRegisters}

/** Renders the register map as SystemRDL 2.0, which an independent compiler checks in the tests. */
object SystemRdl {
  private def quoted(text: String): String = "\"" + text.replace("\"", "\\\"") + "\""

  private def field(r: Register, f: RegisterField): Seq[String] = {
    val hardware = r.access match {
      case Access.ReadOnly => if (r.constant.isDefined) "hw = na" else "hw = w"
      case _               => "hw = r"
    }
    val single = if (r.access == Access.Trigger) Seq("            singlepulse;") else Nil
    val reset = r.constant match {
      case Some(value) => Some((value >> f.low) & ((BigInt(1) << f.width) - 1))
      case None if r.access == Access.ReadOnly => None
      case None => Some((r.initial >> f.low) & ((BigInt(1) << f.width) - 1))
    }
    Seq(
      "        field {",
      s"            desc = ${quoted(f.text)};",
      s"            sw = ${r.access.rdl}; $hardware;"
    ) ++
      single ++
      Seq(
        s"        } ${f.name}[${f.low + f.width - 1}:${f.low}]" + reset.fold("")(v =>
          s" = 0x${v.toString(16)}"
        ) + ";"
      )
  }

  private def register(r: Register): Seq[String] = {
    val fields =
      if (r.fields.isEmpty) Seq(RegisterField(name = "VALUE", low = 0, width = 32, text = r.text))
      else r.fields
    Seq(
      "    reg {",
      s"        name = ${quoted(r.name)};",
      s"        desc = ${quoted(r.text)};",
      "        regwidth = 32;"
    ) ++
      fields.flatMap(field(r, _)) ++ Seq(f"    } ${r.name} @ 0x${r.offset}%03x;")
  }

  def render(p: TmuParams): String = {
    val map = TmuRegisters.map(p)
    (Seq(
      "// SPDX-License-Identifier: Apache-2.0",
      s"// ${Notice.text}",
      s"addrmap ${map.name} {",
      s"    name = ${quoted(s"OpenTMU, preset ${p.name}")};",
      "    default regwidth = 32;",
      "    default accesswidth = 32;"
    ) ++ map.registers.flatMap(register) ++ Seq("};")).mkString("", "\n", "\n")
  }
}
