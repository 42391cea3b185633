// SPDX-License-Identifier: Apache-2.0
package tmu.registers

import tmu.params.{Presets, SpillLayout, TmuParams}

/** The register map of the unit. */
object TmuRegisters {
  import Access.{ReadOnly, ReadWrite, Trigger}

  /** "OTMU" in ASCII, most significant byte first. */
  val magic: BigInt = BigInt("4f544d55", 16)
  val versionMajor: Int = 2
  val versionMinor: Int = 8

  /** Register offsets of the counter snapshot start here, eight bytes a counter. */
  val counterBase: Int = 0x400
  val bytes: Int = 0x1000

  private def fixed(name: String, offset: Int, value: BigInt, text: String) =
    Register(name, offset, ReadOnly, text, constant = Some(value))

  /** The bits of CAPABILITIES: what a unit of these parameters can do. */
  private def capabilities(p: TmuParams): Int =
    Seq(true, true, p.hasSpill, p.parity, p.reserve).zipWithIndex.collect { case (true, bit) =>
      1 << bit
    }.sum

  /** Discovery: what the driver reads before anything else. */
  private def discovery(p: TmuParams): Seq[Register] = Seq(
    fixed("MAGIC", 0x00, magic, "Reads 0x4f544d55."),
    Register(
      "INTERFACE_VERSION",
      0x04,
      ReadOnly,
      "Version of this host interface; a driver refuses a major version that it does not know.",
      Seq(
        RegisterField("MINOR", 0, 16, "Additions that old drivers may ignore."),
        RegisterField("MAJOR", 16, 16, "Incompatible changes.")
      ),
      constant = Some((BigInt(versionMajor) << 16) | versionMinor)
    ),
    fixed(
      "PRESET",
      0x08,
      Presets.number(p),
      s"Number of the preset this unit was built from; ${Presets.ownNumber} is a configuration of one's own."
    ),
    fixed("ENDPOINTS", 0x0c, p.endpoints, "Endpoints; they are numbered from 0."),
    fixed(
      "POSTED_ENTRIES",
      0x10,
      p.postedEntries,
      "Posted receives on chip, all endpoints together."
    ),
    fixed(
      "UNEXPECTED_ENTRIES",
      0x14,
      p.unexpectedEntries,
      "Unexpected messages on chip, all together."
    ),
    fixed("LANES", 0x18, p.lanes, "Lanes of a row of a match array."),
    fixed("MATCH_BITS", 0x1c, p.matchBits, "Match bits kept."),
    fixed("SOURCE_BITS", 0x20, p.sourceBits, "Source bits kept."),
    fixed("HANDLE_BITS", 0x24, p.handleBits, "Handle bits kept."),
    fixed("ADDRESS_BITS", 0x28, p.addressBits, "Address bits kept."),
    fixed("LENGTH_BITS", 0x2c, p.lengthBits, "Length bits kept."),
    fixed(
      "ID_BITS",
      0x30,
      p.idBits,
      "Receive id bits; the id with all of them set names no receive."
    ),
    fixed(
      "COMMAND_SLOTS",
      0x34,
      p.commandSlots,
      "Commands that can wait on chip; QUEUE_CONFIG gives each page its share."
    ),
    Register(
      "CAPABILITIES",
      0x38,
      ReadOnly,
      "What this unit can do.",
      Seq(
        RegisterField("INSPECT", 0, 1, "The inspect command."),
        RegisterField("QUOTA", 1, 1, "Quotas per endpoint."),
        RegisterField("SPILL", 2, 1, "Queues continue in memory when the tables are full."),
        RegisterField("PARITY", 3, 1, "Stored words are checked for flipped bits."),
        RegisterField("RESERVE", 4, 1, "An endpoint can have a reserve in the tables.")
      ),
      constant = Some(capabilities(p))
    ),
    fixed(
      "ARRAY_ENTRIES",
      0x3c,
      p.arrayEntries,
      "Of each queue, the oldest entries, searched at one operation a clock."
    ),
    fixed(
      "FILTER_LANES",
      0x40,
      if (p.hasFilter) p.filterLanes else 0,
      "Filter ids compared in one clock, of the entries beyond the arrays; 0 is none."
    ),
    fixed("FILTER_BITS", 0x44, if (p.hasFilter) p.filterBits else 0, "Bits of a filter id."),
    fixed(
      "QUEUES",
      0x48,
      p.queues,
      "Submission queues, a doorbell page each, numbered from 0; the privileged page has this number."
    ),
    fixed(
      "SPILL_SEGMENTS",
      0x4c,
      p.spillSegments,
      s"Segments of ${SpillLayout.segmentBytes >> 20} MiB that the unit can take for queues that continue in memory."
    ),
    fixed(
      "TAG_BITS",
      0x50,
      p.tagBits,
      "Match bits that MPI's tag takes, from bit 0 on: the highest is its sign (R2). The context lies above."
    )
  )

  private val control: Seq[Register] = Seq(
    Register(
      "CONTROL",
      0x80,
      Trigger,
      "Actions.",
      Seq(
        RegisterField(
          "RESET",
          0,
          1,
          "Empties both queues, clears quotas, reserves, serial numbers, counters and rings. Commands that wait are lost."
        ),
        RegisterField(
          "SNAPSHOT",
          1,
          1,
          s"Copies all counters, at one clock, to where they can be read. The next access waits until that is done, ${Counters.snapshotClocks} clocks at most."
        )
      )
    ),
    Register(
      "STATUS",
      0x84,
      ReadOnly,
      "State of the unit.",
      Seq(
        RegisterField("READY", 0, 1, "Reset has finished."),
        RegisterField(
          "IDLE",
          1,
          1,
          "No command works or has a completion on its way; none waits, but for room in its ring."
        )
      )
    ),
    Register("ENDPOINT_SELECT", 0xb0, ReadWrite, "Endpoint that the next ENDPOINT_COMMAND means."),
    Register(
      "QUOTA_POSTED",
      0xb4,
      ReadWrite,
      "Receives the endpoint may have queued; 0 is no quota."
    ),
    Register(
      "QUOTA_UNEXPECTED",
      0xb8,
      ReadWrite,
      "Messages the endpoint may have queued; 0 is no quota."
    ),
    Register(
      "RESERVE_POSTED",
      0x140,
      ReadWrite,
      "Places for receives on chip that are the endpoint's even while others fill the rest."
    ),
    Register(
      "RESERVE_UNEXPECTED",
      0x144,
      ReadWrite,
      "Places for messages on chip that are the endpoint's even while others fill the rest."
    ),
    Register(
      "ENDPOINT_COMMAND",
      0xbc,
      Trigger,
      "Acts on the selected endpoint between two commands of the stream.",
      Seq(
        RegisterField("SET_QUOTA", 0, 1, "Takes both quotas and both reserves over."),
        RegisterField("READ_DEPTH", 1, 1, "Fetches both depths.")
      )
    ),
    Register(
      "ENDPOINT_STATUS",
      0xc0,
      ReadOnly,
      "State of the last ENDPOINT_COMMAND.",
      Seq(
        RegisterField("BUSY", 0, 1, "Not done yet; a new one is ignored."),
        RegisterField("ERROR", 1, 1, "The selected endpoint is not there.")
      )
    ),
    Register(
      "DEPTH_POSTED",
      0xc4,
      ReadOnly,
      "Receives queued at the endpoint of the last READ_DEPTH."
    ),
    Register(
      "DEPTH_UNEXPECTED",
      0xc8,
      ReadOnly,
      "Messages queued at the endpoint of the last READ_DEPTH."
    )
  )

  /** Windows of filter ids: the source, the tag and the context, unless software knows better. */
  private def filters(p: TmuParams): Seq[Register] = {
    val text = "that the filter id's piece is folded from. Windows take effect while no entry " +
      "lies beyond the arrays."
    def ones(bits: Int): BigInt = (BigInt(1) << bits) - 1
    val word = ones(32)
    val context = ones(p.contextBits) << p.tagBits
    Seq(
      ("FILTER_SOURCE", 0xd0, s"Source bits $text", word),
      ("FILTER_LOW_LO", 0xd4, s"Match bits 31..0 $text", ones(p.tagBits)),
      ("FILTER_LOW_HI", 0xd8, s"Match bits 63..32 $text", BigInt(0)),
      ("FILTER_HIGH_LO", 0xdc, s"Match bits 31..0 $text", context & word),
      ("FILTER_HIGH_HI", 0xe0, s"Match bits 63..32 $text", context >> 32)
    ).map { case (name, offset, meaning, initial) =>
      Register(name, offset, ReadWrite, meaning, initial = initial)
    }
  }

  private val counters: Seq[Register] = Counters.all.zipWithIndex.flatMap { case (c, i) =>
    Seq(
      Register(
        lo(c),
        counterBase + 8 * i,
        ReadOnly,
        s"${c.text} Low word, as of the last snapshot."
      ),
      Register(hi(c), counterBase + 8 * i + 4, ReadOnly, s"${c.text} High word.")
    )
  }

  /** Name of the register with the low word of a counter. */
  def lo(c: Counter): String = s"COUNTER_${c.name.toUpperCase}_LO"

  /** Name of the register with the high word of a counter. */
  def hi(c: Counter): String = s"COUNTER_${c.name.toUpperCase}_HI"

  def map(p: TmuParams): RegisterMap =
    RegisterMap(
      "tmu",
      bytes,
      discovery(p) ++ control ++ PageRegisters.all ++ filters(p) ++ SpillRegisters.all ++
        FaultRegisters.all ++ SpillLookRegisters.all ++ counters
    )
}
