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
import tmu.params.{Presets, SpillLayout, TmuParams}
import tmu.registers.{Access, Counters, Discovery, Register, RegisterMap, TmuRegisters}

/** Renders the host interface as a Markdown document. */
object RegisterDocument {
  private def table(head: Seq[String], rows: Seq[Seq[String]]): Seq[String] =
    Seq(head, head.map(_ => "-")).map(_.mkString("|", "|", "|")) ++ rows.map(
      _.mkString("|", "|", "|")
    )

  private def bits(low: Int, width: Int): String =
    if (width == 1) s"$low" else s"${low + width - 1}..$low"

  private def access(a: Access): String = a match {
    case Access.ReadOnly  => "r"
    case Access.ReadWrite => "rw"
    case Access.Trigger   => "w"
  }

  private def registers(map: RegisterMap): Seq[String] = {
    val rows = map.registers.filterNot(isCounter).flatMap { r =>
      Seq(f"0x${r.offset}%03x", s"`${r.name}`", access(r.access), r.text) +:
        r.fields.map(f => Seq("", s"`${f.name}` ${bits(f.low, f.width)}", "", f.text))
    }
    table(Seq("offset", "register, fields with bits", "access", "meaning"), rows)
  }

  private def isCounter(r: Register): Boolean = r.name.startsWith("COUNTER_")

  /** A row for each counter, of two registers. */
  private def counters(map: RegisterMap): Seq[String] = {
    val rows = map.registers.filter(isCounter).grouped(2).map { pair =>
      val Seq(low, high) = pair.map(_.name): @unchecked
      require(
        low.endsWith("_LO") && high == low.stripSuffix("_LO") + "_HI",
        s"a counter has the registers NAME_LO and NAME_HI, one after the other; found $low, $high"
      )
      val text = pair.head.text.stripSuffix(" Low word, as of the last snapshot.")
      val name = low.stripPrefix("COUNTER_").stripSuffix("_LO")
      Seq(f"0x${pair.head.offset}%03x", s"`$name`", text)
    }
    table(Seq("offset", "counter", "counts"), rows.toSeq)
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
    Seq("offset in the page", "access", "meaning"),
    Seq(
      Seq(
        s"0 to ${DoorbellLayout.commandWindowBytes - DoorbellLayout.commandBytes}, multiples of ${DoorbellLayout.commandBytes}",
        s"write of ${DoorbellLayout.commandBytes} bytes, whole",
        "A command; every slot is alike."
      ),
      Seq(
        s"${DoorbellLayout.consumerOffset}",
        "write of 4 bytes",
        "Completions consumed so far, modulo 2^32."
      ),
      Seq(
        s"${DoorbellLayout.askOffset}",
        "write of 4 bytes",
        s"Any value: a new snapshot of the counters is wanted. It is taken when the last one is ${DoorbellLayout.snapshotClocks} clocks old."
      ),
      Seq(
        s"${DoorbellLayout.snapshotOffset}",
        "read of 8 bytes",
        "Which snapshot stands below: bit 0, it is not whole yet; bits 31..1, how many whole ones there were."
      ),
      Seq(
        s"${DoorbellLayout.countersOffset} to ${DoorbellLayout.countersOffset + DoorbellLayout.counterBytes * (Counters.all.size - 1)}, multiples of ${DoorbellLayout.counterBytes}",
        "read of 8 bytes",
        s"The counters of that snapshot, in the order of their registers; 0 from there to the page's end."
      )
    )
  )

  def render(p: TmuParams): String = (Seq(
    s"<!-- ${Notice.text} -->",
    "# Registers and formats",
    "",
    s"Interface version ${Discovery.versionMajor}.${Discovery.versionMinor}.",
    "Registers are 32 bits wide, on AXI4-Lite; an access to an offset that is not listed, a write to a read-only register and a partial write are answered with SLVERR and counted.",
    "Records are 64 bytes: eight little-endian 64-bit words.",
    "",
    "## Registers",
    "",
    "Access is r for read only, rw for kept, w for a write of 1 that triggers.",
    ""
  ) ++ registers(TmuRegisters.map(p)) ++
    Seq(
      "",
      "## Counters",
      "",
      "Each has 64 bits as of the last snapshot, read only: `COUNTER_` *name* `_LO` at its offset, `_HI` 4 above.",
      ""
    ) ++ counters(TmuRegisters.map(p)) ++
    Seq(
      "",
      "## Doorbell page",
      "",
      s"Page n of ${DoorbellLayout.pageBytes} bytes is submission queue n; the page after the last queue is the privileged one.",
      "Counters are the unit's, the same on every page; wider reads get what lies beside.",
      s"What is read while the snapshot's number is the same even one is of one clock.",
      ""
    ) ++ doorbell ++
    Seq("", "## Opcodes", "") ++ codes(Opcodes.all ++ Opcodes.network) ++
    Seq("", "## Command", "", "A field that an opcode does not use must be 0.", "") ++ layout(
      CommandLayout.layout
    ) ++
    Seq("", "## Send command", "", "What a command of opcode send has instead.", "") ++ layout(
      SendLayout.layout
    ) ++
    Seq("", "## List of pieces", "", "64 bytes at a multiple of 64.", "") ++ layout(
      SendLayout.piece
    ) ++
    Seq("", "## Statuses", "") ++ codes(Statuses.all ++ Statuses.network) ++
    Seq("", "## Completion", "") ++ layout(CompletionLayout.layout) ++
    Seq(
      "",
      "## Entry in memory",
      "",
      s"A chunk of ${SpillLayout.chunkBytes} bytes has ${SpillLayout.entries} slots for entries of ${SpillLayout.beatBytes} bytes, from byte ${SpillLayout.wordBeats * SpillLayout.beatBytes} on; which of them are queued, SPILL_LIVE tells.",
      "Bits that no field has are 0, and the parity is 0 without the capability PARITY.",
      ""
    ) ++ layout(SpillEntryLayout.layout) ++
    Seq("", "## Presets", "") ++ presets).mkString("", "\n", "\n")
}
