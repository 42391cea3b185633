// SPDX-License-Identifier: Apache-2.0
package tmu.emit

import tmu.layout.{
  Code,
  CommandLayout,
  CompletionLayout,
  DoorbellLayout,
  KeyLayout,
  Layout,
  Opcodes,
  SendLayout,
  Statuses
}
import tmu.params.{Presets, TableParams, TmuParams}
import tmu.registers.{Counters, Discovery, FaultStores, RegisterMap, Streams, TmuRegisters}

/** Renders the host interface as a Python module of constants. */
object PythonConstants {
  private def enumeration(name: String, all: Seq[Code]): Seq[String] =
    Seq(s"class $name(IntEnum):") ++ all.map(c =>
      s"    ${c.name.toUpperCase} = ${c.value}  # ${c.text}"
    )

  private def offsets(map: RegisterMap): Seq[String] =
    Seq("REGISTERS: Final[dict[str, int]] = {") ++
      map.registers.map(r => f"""    "${r.name}": 0x${r.offset}%03X,""") ++ Seq("}")

  private def fields(map: RegisterMap): Seq[String] =
    Seq(
      "# (low bit, width) by register and field",
      "REGISTER_FIELDS: Final[dict[str, dict[str, tuple[int, int]]]] = {"
    ) ++
      map.registers.filter(_.fields.nonEmpty).flatMap { r =>
        Seq(s"""    "${r.name}": {""") ++ r.fields
          .map(f => s"""        "${f.name}": (${f.low}, ${f.width}),""") ++ Seq("    },")
      } ++ Seq("}")

  private def access(map: RegisterMap): Seq[String] =
    Seq("REGISTER_ACCESS: Final[dict[str, str]] = {") ++
      map.registers.map(r => s"""    "${r.name}": "${r.access.rdl}",""") ++ Seq("}")

  private def key: Seq[String] =
    Seq(
      "# Fields of the key: (value, mask, width, name in the hardware)",
      "KEY: Final[tuple[tuple[str, str, int, str], ...]] = ("
    ) ++ KeyLayout.all.map(f =>
      s"""    ("${f.value.name}", "${f.ignore.name}", ${f.value.width}, "${f.signal}"),"""
    ) :+ ")"

  private def keyClass: Seq[String] = Seq(
    "@dataclass(frozen=True, kw_only=True)",
    "class KeyFields:",
    "    \"\"\"The key: values, and masks of bits that are not compared (R1, R2).\"\"\"",
    ""
  ) ++ KeyLayout.fields.map(f => s"    ${f.name}: int = 0")

  private def layout(l: Layout): Seq[String] =
    Seq(
      "# (64-bit word, low bit, width)",
      s"${l.name.toUpperCase}_FIELDS: Final[dict[str, tuple[int, int, int]]] = {"
    ) ++
      (l.fields ++ l.overlays).map(f =>
        s"""    "${f.name}": (${f.word}, ${f.low}, ${f.width}),"""
      ) ++ Seq("}")

  private def counters: Seq[String] =
    Seq("# offset of the low word", "COUNTERS: Final[dict[str, int]] = {") ++
      Counters.all.zipWithIndex.map { case (c, i) =>
        f"""    "${c.name}": 0x${TmuRegisters.counterBase + 8 * i}%03X,"""
      } ++ Seq("}")

  private def streams: Seq[String] = {
    Seq("# by name: the counters of active and stalled clocks, and of idle runs by their length") ++
      Seq("STREAMS: Final[dict[str, tuple[str, str, tuple[str, ...]]]] = {") ++
      Streams.all.flatMap { s =>
        Seq(s"""    "${s.name}": (""") ++
          Seq(s.active, s.stalled).map(c => s"""        "${c.name}",""") ++
          Seq("        (") ++ s.idle.map(c => s"""            "${c.name}",""") ++
          Seq("        ),", "    ),")
      } ++ Seq("}") ++
      Seq("# shortest run of idle clocks of each bucket") ++
      Seq(s"STREAM_IDLE_FROM: Final = (${Streams.idleFrom.mkString(", ")})")
  }

  private def preset(p: TmuParams): Seq[String] = Seq(
    s"""    "${p.name}": Preset(""",
    s"""        name="${p.name}",""",
    s"        number=${Presets.number(p)},",
    s"        endpoints=${p.endpoints},",
    s"        posted_entries=${p.postedEntries},",
    s"        unexpected_entries=${p.unexpectedEntries},",
    s"        array_entries=${p.arrayEntries},",
    s"        lanes=${p.lanes},",
    s"        context_bits=${p.contextBits},",
    s"        tag_bits=${p.tagBits},",
    s"        match_bits=${p.matchBits},",
    s"        source_bits=${p.sourceBits},",
    s"        handle_bits=${p.handleBits},",
    s"        address_bits=${p.addressBits},",
    s"        length_bits=${p.lengthBits},",
    s"        id_bits=${p.idBits},",
    s"        queues=${p.queues},",
    s"        command_slots=${p.commandSlots},",
    s"        spill_segments=${p.spillSegments},",
    s"        posted_positions=${TableParams.posted(p).positions},",
    s"        unexpected_positions=${TableParams.unexpected(p).positions},",
    "    ),"
  )

  private val presetClass: Seq[String] = Seq(
    "@dataclass(frozen=True)",
    "class Preset:",
    "    \"\"\"One configuration of the unit; the numbers of hw/src/tmu/params/Presets.scala.\"\"\"",
    "",
    "    name: str"
  ) ++ Seq(
    "number",
    "endpoints",
    "posted_entries",
    "unexpected_entries",
    "array_entries",
    "lanes",
    "context_bits",
    "tag_bits",
    "match_bits",
    "source_bits",
    "handle_bits",
    "address_bits",
    "length_bits",
    "id_bits",
    "queues",
    "command_slots",
    "spill_segments"
  ).map(f => s"    $f: int") ++ Seq(
    "    # That an inspect can name; 0 is not known: of a configuration that is no preset.",
    "    posted_positions: int = 0",
    "    unexpected_positions: int = 0"
  )

  def render(p: TmuParams): String = {
    val map = TmuRegisters.map(p)
    (Seq(
      "# SPDX-License-Identifier: Apache-2.0",
      s"# ${Notice.text}",
      "\"\"\"Constants of the host interface.\"\"\"",
      "",
      "from dataclasses import dataclass",
      "from enum import IntEnum",
      "from typing import Final",
      "",
      f"MAGIC: Final = 0x${Discovery.magic.toString(16).toUpperCase}",
      s"INTERFACE_MAJOR: Final = ${Discovery.versionMajor}",
      s"INTERFACE_MINOR: Final = ${Discovery.versionMinor}",
      f"REGISTER_BYTES: Final = 0x${TmuRegisters.bytes}%X",
      s"DOORBELL_PAGE_BYTES: Final = ${DoorbellLayout.pageBytes}",
      s"DOORBELL_COMMAND_BYTES: Final = ${DoorbellLayout.commandBytes}",
      s"DOORBELL_COMMAND_WINDOW_BYTES: Final = ${DoorbellLayout.commandWindowBytes}",
      s"DOORBELL_CONSUMER_OFFSET: Final = ${DoorbellLayout.consumerOffset}",
      s"DOORBELL_ASK_OFFSET: Final = ${DoorbellLayout.askOffset}",
      s"DOORBELL_PICTURE_OFFSET: Final = ${DoorbellLayout.snapshotOffset}",
      s"DOORBELL_COUNTERS_OFFSET: Final = ${DoorbellLayout.countersOffset}",
      s"DOORBELL_COUNTER_BYTES: Final = ${DoorbellLayout.counterBytes}",
      s"DOORBELL_PICTURE_CLOCKS: Final = ${DoorbellLayout.snapshotClocks}",
      s"RING_LOG2_MIN: Final = ${DoorbellLayout.ringLog2Min}",
      s"RING_LOG2_MAX: Final = ${DoorbellLayout.ringLog2Max}",
      "# The number of a configuration that is no preset.",
      s"PRESET_OWN: Final = ${Presets.ownNumber}"
    ) ++ Seq("", "") ++ enumeration("Opcode", Opcodes.all ++ Opcodes.network) ++
      Seq("", "") ++ enumeration("Status", Statuses.all ++ Statuses.network) ++
      Seq("", "") ++ enumeration("Fault", FaultStores.all) ++
      Seq("", "") ++ offsets(map) ++ Seq("") ++ fields(map) ++ Seq("") ++ access(map) ++ Seq("") ++
      key ++ Seq("") ++ layout(CommandLayout.layout) ++ Seq("") ++ layout(
        CompletionLayout.layout
      ) ++ Seq("") ++ layout(SendLayout.layout) ++ Seq(
        ""
      ) ++ counters ++ Seq("") ++ streams ++
      Seq("", "") ++ keyClass ++ Seq("", "") ++ presetClass ++ Seq(
        "",
        "",
        "PRESETS: Final[dict[str, Preset]] = {"
      ) ++
      Presets.all.flatMap(preset) ++ Seq("}")).mkString("", "\n", "\n")
  }
}
