// SPDX-License-Identifier: Apache-2.0
package tmu.registers

/** Registers of a card's network side; a unit without one does not have them. */
object NetworkRegisters {
  import Access.{ReadOnly, ReadWrite, Trigger}

  val all: Seq[Register] = Seq(
    Register(
      name = "WIRE_CONFIG",
      offset = 0x180,
      access = ReadWrite,
      text = "How frames are read and written.",
      fields = Seq(
        RegisterField(name = "UDP_PORT", low = 0, width = 16, text = "Destination port."),
        RegisterField(
          name = "CRC",
          low = 16,
          width = 2,
          text = "Coverage: 0 none, 1 from the addresses on, 2 behind UDP."
        ),
        RegisterField(
          name = "CRC_BIG_ENDIAN",
          low = 18,
          width = 1,
          text = "Most significant byte first."
        ),
        RegisterField(name = "NATIVE", low = 19, width = 1, text = "The form without UDP as well."),
        RegisterField(name = "NATIVE_PROTOCOL", low = 20, width = 8, text = "Its IP protocol."),
        RegisterField(
          name = "IPV6",
          low = 28,
          width = 1,
          text = "The card's address is one of IPv6."
        ),
        RegisterField(name = "ENABLE", low = 31, width = 1, text = "Frames are taken.")
      ),
      initial = 4793 | (1 << 16) | (BigInt(253) << 20)
    )
  ) ++ (0 until 4).map(word =>
    Register(
      name = s"WIRE_ADDRESS_$word",
      offset = 0x184 + 4 * word,
      access = ReadWrite,
      text = s"The card's IP address, bits ${32 * word + 31}..${32 * word}."
    )
  ) ++ Seq(
    Register(
      name = "WIRE_MESSAGES",
      offset = 0x194,
      access = ReadWrite,
      text = "Messages and answers.",
      fields = Seq(
        RegisterField(
          name = "PAYLOAD_MTU",
          low = 0,
          width = 14,
          text = "Bytes in every packet of a message but the last."
        ),
        RegisterField(
          name = "POOL_LOG2",
          low = 16,
          width = 5,
          text = "Bytes of a buffer of a pool, 64 at least; the longest message."
        ),
        RegisterField(name = "DSCP", low = 24, width = 6, text = "Traffic class of answers.")
      ),
      initial = 4096 | (20 << 16) | (BigInt(46) << 24)
    ),
    Register(
      name = "POOL_BASE_LO",
      offset = 0x198,
      access = ReadWrite,
      text = "Pool that the next POOL_ENDPOINT means, low word."
    ),
    Register(name = "POOL_BASE_HI", offset = 0x19c, access = ReadWrite, text = "High word."),
    Register(
      name = "POOL_RELEASE",
      offset = 0x1a0,
      access = Trigger,
      text = "Frees the buffer of a message that was claimed.",
      fields = Seq(
        RegisterField(name = "NUMBER", low = 0, width = 12, text = "Of the buffer."),
        RegisterField(name = "RELEASE", low = 31, width = 1, text = "Frees it.")
      )
    ),
    Register(
      name = "NAME_JOB",
      offset = 0x1a4,
      access = ReadWrite,
      text = "Name that the next NAME_COMMAND means.",
      fields = Seq(
        RegisterField(name = "JOB", low = 0, width = 24, text = "Job."),
        RegisterField(
          name = "RELATIVE",
          low = 24,
          width = 1,
          text = "Relative addressing; else the job is no part of it."
        )
      )
    ),
    Register(
      name = "NAME_PROCESS",
      offset = 0x1a8,
      access = ReadWrite,
      text = "The rest of the name.",
      fields = Seq(
        RegisterField(name = "PID", low = 0, width = 12, text = "PIDonFEP."),
        RegisterField(name = "INDEX", low = 16, width = 12, text = "Resource index.")
      )
    ),
    Register(
      name = "NAME_ENDPOINT",
      offset = 0x1ac,
      access = ReadWrite,
      text = "What has the name.",
      fields = Seq(
        RegisterField(name = "ENDPOINT", low = 0, width = 12, text = "Endpoint of the unit.")
      )
    ),
    Register(
      name = "NAME_STATE",
      offset = 0x1b0,
      access = ReadWrite,
      text = "Its state.",
      fields = Seq(
        RegisterField(name = "GENERATION", low = 0, width = 8, text = "Generation of the index."),
        RegisterField(
          name = "USES_GENERATION",
          low = 8,
          width = 1,
          text = "Generations are compared."
        ),
        RegisterField(
          name = "ENABLED",
          low = 9,
          width = 1,
          text = "Takes messages, if it has a pool."
        )
      )
    ),
    Register(
      name = "NAME_COMMAND",
      offset = 0x1b4,
      access = Trigger,
      text = "Changes a table of names.",
      fields = Seq(
        RegisterField(name = "JOB", low = 0, width = 1, text = "The job's."),
        RegisterField(name = "PROCESS", low = 1, width = 1, text = "The process's."),
        RegisterField(name = "ENDPOINT", low = 2, width = 1, text = "The endpoint's."),
        RegisterField(
          name = "REMOVE",
          low = 3,
          width = 1,
          text = "Removes the name; else it is there, with this state."
        )
      )
    ),
    Register(
      name = "NAME_STATUS",
      offset = 0x1b8,
      access = ReadOnly,
      text = "State of the last NAME_COMMAND.",
      fields = Seq(
        RegisterField(
          name = "BUSY",
          low = 0,
          width = 1,
          text = "Not done yet; a new one is ignored."
        ),
        RegisterField(
          name = "REFUSED",
          low = 1,
          width = 1,
          text = "No room for the name, or none to remove."
        )
      )
    ),
    Register(
      name = "WIRE_COUNT_SELECT",
      offset = 0x1bc,
      access = ReadWrite,
      text =
        "Counter to read: 0 to 15 frames by verdict, 16 to 31 packets by outcome (W6), 32 to " +
          "35 beats of host memory: written for completions, payload and moves, read for moves; " +
          "36 to 42 of a card that sends: answers taken, frames sent, packets sent again, " +
          "timeouts, messages taken, messages refused, frames that found the link full.",
      fields = Seq(RegisterField(name = "NUMBER", low = 0, width = 6, text = "Number."))
    ),
    Register(
      name = "WIRE_COUNT",
      offset = 0x1c0,
      access = ReadOnly,
      text = "The counter, modulo 2^32; 0 after a reset."
    ),
    Register(
      name = "POOL_ENDPOINT",
      offset = 0x1c4,
      access = Trigger,
      text =
        "Registers a pool with an endpoint, before that is enabled: a buffer for each message.",
      fields = Seq(
        RegisterField(name = "ENDPOINT", low = 0, width = 12, text = "Endpoint of the unit."),
        RegisterField(name = "REGISTER", low = 31, width = 1, text = "Registers it.")
      )
    )
  )
}
