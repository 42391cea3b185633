// SPDX-License-Identifier: Apache-2.0
package tmu.registers

import tmu.params.TmuParams

/** The register map of the unit. */
object TmuRegisters {
  import Access.{ReadOnly, ReadWrite, Trigger}

  /** Register offsets of the counter snapshot start here, eight bytes a counter. */
  val counterBase: Int = 0x400
  val bytes: Int = 0x1000

  private val control: Seq[Register] = Seq(
    Register(
      name = "CONTROL",
      offset = 0x80,
      access = Trigger,
      text = "Actions.",
      fields = Seq(
        RegisterField(
          name = "RESET",
          low = 0,
          width = 1,
          text =
            "Empties both queues, clears quotas, reserves, serial numbers, counters and rings. Commands that wait are lost."
        ),
        RegisterField(
          name = "SNAPSHOT",
          low = 1,
          width = 1,
          text =
            s"Copies all counters, at one clock, to where they can be read. The next access waits until that is done, ${Counters.snapshotClocks} clocks at most."
        )
      )
    ),
    Register(
      name = "STATUS",
      offset = 0x84,
      access = ReadOnly,
      text = "State of the unit.",
      fields = Seq(
        RegisterField(name = "READY", low = 0, width = 1, text = "Reset has finished."),
        RegisterField(
          name = "IDLE",
          low = 1,
          width = 1,
          text =
            "No command works or has a completion on its way; none waits, but for room in its ring."
        )
      )
    ),
    Register(
      name = "ENDPOINT_SELECT",
      offset = 0xb0,
      access = ReadWrite,
      text = "Endpoint that the next ENDPOINT_COMMAND means."
    ),
    Register(
      name = "QUOTA_POSTED",
      offset = 0xb4,
      access = ReadWrite,
      text = "Receives the endpoint may have queued; 0 is no quota."
    ),
    Register(
      name = "QUOTA_UNEXPECTED",
      offset = 0xb8,
      access = ReadWrite,
      text = "Messages the endpoint may have queued; 0 is no quota."
    ),
    Register(
      name = "RESERVE_POSTED",
      offset = 0x140,
      access = ReadWrite,
      text = "Slots for receives on chip that are the endpoint's even while others fill the rest."
    ),
    Register(
      name = "RESERVE_UNEXPECTED",
      offset = 0x144,
      access = ReadWrite,
      text = "Slots for messages on chip that are the endpoint's even while others fill the rest."
    ),
    Register(
      name = "ENDPOINT_COMMAND",
      offset = 0xbc,
      access = Trigger,
      text = "Acts on the selected endpoint between two commands of the stream.",
      fields = Seq(
        RegisterField(
          name = "SET_QUOTA",
          low = 0,
          width = 1,
          text = "Takes both quotas and both reserves over."
        ),
        RegisterField(name = "READ_DEPTH", low = 1, width = 1, text = "Fetches both depths.")
      )
    ),
    Register(
      name = "ENDPOINT_STATUS",
      offset = 0xc0,
      access = ReadOnly,
      text = "State of the last ENDPOINT_COMMAND.",
      fields = Seq(
        RegisterField(
          name = "BUSY",
          low = 0,
          width = 1,
          text = "Not done yet; a new one is ignored."
        ),
        RegisterField(
          name = "ERROR",
          low = 1,
          width = 1,
          text = "The selected endpoint is not there."
        )
      )
    ),
    Register(
      name = "DEPTH_POSTED",
      offset = 0xc4,
      access = ReadOnly,
      text = "Receives queued at the endpoint of the last READ_DEPTH."
    ),
    Register(
      name = "DEPTH_UNEXPECTED",
      offset = 0xc8,
      access = ReadOnly,
      text = "Messages queued at the endpoint of the last READ_DEPTH."
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
      Register(name = name, offset = offset, access = ReadWrite, text = meaning, initial = initial)
    }
  }

  private val counters: Seq[Register] = Counters.all.zipWithIndex.flatMap { case (c, i) =>
    Seq(
      Register(
        name = lo(c),
        offset = counterBase + 8 * i,
        access = ReadOnly,
        text = s"${c.text} Low word, as of the last snapshot."
      ),
      Register(
        name = hi(c),
        offset = counterBase + 8 * i + 4,
        access = ReadOnly,
        text = s"${c.text} High word."
      )
    )
  }

  /** Name of the register with the low word of a counter. */
  def lo(c: Counter): String = s"COUNTER_${c.name.toUpperCase}_LO"

  /** Name of the register with the high word of a counter. */
  def hi(c: Counter): String = s"COUNTER_${c.name.toUpperCase}_HI"

  /** The whole interface, for software: those of a card as well. */
  def interface(p: TmuParams): RegisterMap = {
    val unit = map(p).registers
    val network = NetworkRegisters.all ++ SendRegisters.all
    map(p).copy(registers = unit ++ network.filterNot(one => unit.exists(_.name == one.name)))
  }

  def map(p: TmuParams): RegisterMap =
    RegisterMap(
      name = "tmu",
      bytes = bytes,
      registers = Discovery.registers(p) ++ control ++ PageRegisters.all ++ filters(p) ++
        SpillRegisters.all ++ FaultRegisters.all ++ SpillLookRegisters.all ++
        (if (p.hasNetwork) NetworkRegisters.all else Nil) ++
        (if (p.hasSend) SendRegisters.all else Nil) ++ counters
    )
}
