// SPDX-License-Identifier: Apache-2.0
package tmu.emit

import tmu.contract._
import tmu.params.{Presets, TmuParams}

/** Renders the host interface as a Markdown document. */
object RegisterDocument {
  private def table(head: Seq[String], rows: Seq[Seq[String]]): Seq[String] =
    Seq(head, head.map(_ => "---")).map(_.mkString("| ", " | ", " |")) ++ rows.map(
      _.mkString("| ", " | ", " |")
    )

  private def bits(low: Int, width: Int): String =
    if (width == 1) s"$low" else s"${low + width - 1}..$low"

  private def registers(map: RegisterMap): Seq[String] = {
    val rows = map.registers.flatMap { r =>
      Seq(f"`0x${r.offset}%03x`", s"`${r.name}`", "", r.access.text, r.text) +:
        r.fields.map(f => Seq("", s"`${f.name}`", bits(f.low, f.width), "", f.text))
    }
    table(Seq("offset", "register", "bits", "access", "meaning"), rows)
  }

  private def layout(l: Layout): Seq[String] = table(
    Seq("word", "bits", "field", "meaning"),
    (l.fields.map(f => f -> "") ++ l.overlays.map(f => f -> " (overlay)")).map { case (f, note) =>
      Seq(s"${f.word}", bits(f.low, f.width), s"`${f.name}`$note", f.text)
    }
  )

  private def codes(all: Seq[Code]): Seq[String] =
    table(Seq("value", "name", "meaning"), all.map(c => Seq(s"${c.value}", s"`${c.name}`", c.text)))

  private def presets: Seq[String] = table(
    Seq(
      "preset",
      "number",
      "endpoints",
      "posted entries",
      "unexpected entries",
      "array entries",
      "lanes",
      "match bits",
      "source bits",
      "id bits"
    ),
    Presets.all.map(p =>
      Seq(
        s"`${p.name}`",
        s"${Presets.number(p)}",
        s"${p.endpoints}",
        s"${p.postedEntries}",
        s"${p.unexpectedEntries}",
        s"${p.arrayEntries}",
        s"${p.lanes}",
        s"${p.matchBits}",
        s"${p.sourceBits}",
        s"${p.idBits}"
      )
    )
  )

  private def doorbell: Seq[String] = table(
    Seq("offset in the page", "write", "meaning"),
    Seq(
      Seq(
        s"0 to ${DoorbellLayout.commandWindowBytes - DoorbellLayout.commandBytes}, multiples of ${DoorbellLayout.commandBytes}",
        s"${DoorbellLayout.commandBytes} bytes, whole",
        "A command; every slot is alike."
      ),
      Seq(
        s"${DoorbellLayout.consumerOffset}",
        "4 bytes",
        "Completions consumed so far, modulo 2^32."
      )
    )
  )

  def render(p: TmuParams): String = (Seq(
    s"<!-- ${Notice.text} -->",
    "# Registers and formats",
    "",
    s"Interface version ${TmuRegisters.versionMajor}.${TmuRegisters.versionMinor}.",
    "Registers are 32 bits wide, on AXI4-Lite; an access to an offset that is not listed, a write to a read-only register and a partial write are answered with SLVERR and counted.",
    "Records are 64 bytes: eight little-endian 64-bit words.",
    "",
    "## Registers",
    ""
  ) ++ registers(TmuRegisters.map(p)) ++
    Seq(
      "",
      "## Doorbell page",
      "",
      s"Page n of ${DoorbellLayout.pageBytes} bytes is submission queue n; the page after the last queue is the privileged one.",
      ""
    ) ++ doorbell ++
    Seq("", "## Opcodes", "") ++ codes(Opcodes.all) ++
    Seq("", "## Command", "", "A field that an opcode does not use must be 0.", "") ++ layout(
      CommandLayout.layout
    ) ++
    Seq("", "## Statuses", "") ++ codes(Statuses.all) ++
    Seq("", "## Completion", "") ++ layout(CompletionLayout.layout) ++
    Seq(
      "",
      "## Entry in memory",
      "",
      s"A chunk of ${SpillLayout.chunkBytes} bytes has ${SpillLayout.entries} places for entries of ${SpillLayout.beatBytes} bytes, from byte ${SpillLayout.wordBeats * SpillLayout.beatBytes} on; which of them are queued, SPILL_LIVE tells.",
      "Bits that no field has are 0, and the parity is 0 without the capability PARITY.",
      ""
    ) ++ layout(SpillEntryLayout.layout) ++
    Seq("", "## Presets", "") ++ presets).mkString("", "\n", "\n")
}
