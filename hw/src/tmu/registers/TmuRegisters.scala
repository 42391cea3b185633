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
      Discovery.registers(p) ++ control ++ PageRegisters.all ++ filters(p) ++ SpillRegisters.all ++
        FaultRegisters.all ++ SpillLookRegisters.all ++ counters
    )
}
