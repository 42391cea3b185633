// SPDX-License-Identifier: Apache-2.0
package tmu.emit

import tmu.layout.{
  Code,
  CommandLayout,
  CompletionLayout,
  DoorbellLayout,
  Layout,
  Opcodes,
  SendLayout,
  SpillEntryLayout,
  Statuses
}
import tmu.params.{Parameters, Presets, SpillLayout, TmuParams}
import tmu.registers.{Counters, Discovery, FaultStores, RegisterMap, TmuRegisters}
import tmu.rules.FilterFold

/** Renders the host interface as a C header. */
object CHeader {
  private def mask(width: Int): String = f"0x${((BigInt(1) << width) - 1).toString(16)}"

  private def registers(map: RegisterMap): Seq[String] = map.registers.flatMap { r =>
    val offset =
      f"#define TMU_REG_${r.name} 0x${r.offset}%03x /* ${r.access.text}: ${r.text} */"
    val fields = r.fields.flatMap { f =>
      Seq(
        s"#define TMU_${r.name}_${f.name}_SHIFT ${f.low} /* ${f.text} */",
        s"#define TMU_${r.name}_${f.name}_MASK ${mask(f.width)}u"
      )
    }
    val initial = s"#define TMU_${r.name}_INITIAL 0x${r.initial.toString(16)}u /* after reset */"
    (offset +: fields) ++ (if (r.initial == 0) Nil else Seq(initial))
  }

  private def codes(kind: String, all: Seq[Code]): Seq[String] =
    Seq(s"typedef enum tmu_${kind.toLowerCase} {") ++
      all.map(c => s"    TMU_${kind}_${c.name.toUpperCase} = ${c.value}, /* ${c.text} */") ++
      Seq(s"} tmu_${kind.toLowerCase}_t;")

  private def layout(l: Layout): Seq[String] = (l.fields ++ l.overlays).flatMap { f =>
    val name = s"TMU_${l.name.toUpperCase}_${f.name.toUpperCase}"
    Seq(
      s"#define ${name}_WORD ${f.word} /* ${f.text} */",
      s"#define ${name}_SHIFT ${f.low}",
      s"#define ${name}_MASK ${mask(f.width)}ull"
    )
  }

  private def presets: Seq[String] = {
    val rows = Presets.all.map { p =>
      (Seq(s""""${p.name}"""", s"${Presets.number(p)}") ++ Parameters.functional.map(one =>
        s"${p.values(one.name)}"
      ))
        .mkString("    X(", ", ", ")")
    }
    val members = Parameters.functional.map { one =>
      s"    X(${snakeCase(one.name)}, ${one.range.least}, ${one.range.most})"
    }
    Seq(
      s"#define TMU_PRESET_OWN ${Presets.ownNumber} /* number of a configuration of one's own */",
      "/* X(name, least, most): parameters of a configuration */",
      "#define TMU_PARAMETER_TABLE(X) \\",
      members.mkString(" \\\n"),
      "/* X(name, number, the values of these parameters) */",
      "#define TMU_PRESET_TABLE(X) \\",
      rows.mkString(" \\\n")
    )
  }

  /** `postedEntries` as C and Python write it. */
  private[emit] def snakeCase(name: String): String = name.replaceAll("([A-Z])", "_$1").toLowerCase

  private def doorbell: Seq[String] = Seq(
    s"#define TMU_DOORBELL_PAGE_BYTES ${DoorbellLayout.pageBytes}",
    s"#define TMU_DOORBELL_COMMAND_BYTES ${DoorbellLayout.commandBytes}",
    s"#define TMU_DOORBELL_COMMAND_WINDOW_BYTES ${DoorbellLayout.commandWindowBytes}",
    s"#define TMU_DOORBELL_CONSUMER_OFFSET ${DoorbellLayout.consumerOffset}",
    s"#define TMU_DOORBELL_ASK_OFFSET ${DoorbellLayout.askOffset}",
    s"#define TMU_DOORBELL_PICTURE_OFFSET ${DoorbellLayout.snapshotOffset}",
    s"#define TMU_DOORBELL_COUNTERS_OFFSET ${DoorbellLayout.countersOffset}",
    s"#define TMU_DOORBELL_COUNTER_BYTES ${DoorbellLayout.counterBytes}",
    s"#define TMU_DOORBELL_PICTURE_CLOCKS ${DoorbellLayout.snapshotClocks}",
    s"#define TMU_RING_LOG2_MIN ${DoorbellLayout.ringLog2Min}",
    s"#define TMU_RING_LOG2_MAX ${DoorbellLayout.ringLog2Max}"
  )

  private def spill: Seq[String] = Seq(
    s"#define TMU_SPILL_SEGMENT_BYTES ${SpillLayout.segmentBytes}",
    s"#define TMU_SPILL_CHUNK_BYTES ${SpillLayout.chunkBytes}",
    s"#define TMU_SPILL_CHUNK_ENTRIES ${SpillLayout.entries}",
    s"#define TMU_SPILL_ENTRY_BYTES ${SpillLayout.beatBytes}",
    s"#define TMU_SPILL_FIRST_ENTRY ${SpillLayout.wordBeats * SpillLayout.beatBytes} /* bytes before it in a chunk */"
  )

  private def send: Seq[String] = Seq(
    s"#define TMU_SEND_INLINE_BYTES ${SendLayout.inlineBytes}",
    s"#define TMU_SEND_PIECES_MOST ${SendLayout.pieces}"
  ) ++ layout(SendLayout.layout) ++ layout(SendLayout.piece)

  private def filterPieces(p: TmuParams): Seq[String] = {
    val pieces = Seq("SOURCE", "LOW", "HIGH").zip(FilterFold.widths(p.filterBits))
    pieces.map { case (name, bits) =>
      s"#define TMU_FILTER_${name}_PIECE_BITS $bits /* of a filter id of ${p.filterBits} bits */"
    }
  }

  private def counters: Seq[String] = Seq(
    "/* X(name, offset of the low word) */",
    "#define TMU_COUNTER_TABLE(X) \\"
  ) :+ Counters.all.zipWithIndex
    .map { case (c, i) => f"    X(${c.name}, 0x${TmuRegisters.counterBase + 8 * i}%03x)" }
    .mkString(" \\\n")

  /** The codes of an enumeration as a table, for whoever needs all of them, or their names. */
  private def table(kind: String, all: Seq[Code]): Seq[String] = Seq(
    s"/* X(name, number): all of tmu_${kind.toLowerCase}_t */",
    s"#define TMU_${kind}_TABLE(X) \\"
  ) :+ all.map(c => s"    X(${c.name}, ${c.value})").mkString(" \\\n")

  /** The whole header; register offsets do not depend on the preset. */
  def render(p: TmuParams): String = {
    val sections = Seq(
      Seq(
        s"#define TMU_MAGIC 0x${Discovery.magic.toString(16)}u",
        s"#define TMU_INTERFACE_MAJOR ${Discovery.versionMajor}",
        s"#define TMU_INTERFACE_MINOR ${Discovery.versionMinor}",
        f"#define TMU_REGISTER_BYTES 0x${TmuRegisters.bytes}%x"
      ),
      registers(TmuRegisters.interface(p)),
      DiscoveryHeaders.tables,
      codes("OPCODE", Opcodes.all ++ Opcodes.network),
      table("OPCODE", Opcodes.all ++ Opcodes.network),
      codes("STATUS", Statuses.all ++ Statuses.network),
      table("STATUS", Statuses.all ++ Statuses.network),
      codes("FAULT", FaultStores.all),
      table("FAULT", FaultStores.all),
      doorbell,
      spill,
      filterPieces(p),
      layout(CommandLayout.layout),
      layout(CompletionLayout.layout),
      layout(SpillEntryLayout.layout),
      send,
      KeyHeader.tables,
      counters,
      presets
    )
    (Seq(
      "/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */",
      s"/* ${Notice.text} */",
      "#ifndef TMU_REGS_H",
      "#define TMU_REGS_H",
      "/* clang-format off */"
    ) ++ sections.flatMap(s => "" +: s) ++ Seq("", "/* clang-format on */", "#endif"))
      .mkString("", "\n", "\n")
  }
}
