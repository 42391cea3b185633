// SPDX-License-Identifier: Apache-2.0
package tmu.registers

/** Registers of a card that sends: peers and registered memory. What a process cannot do is written
  * here by who is privileged (W8).
  */
object SendRegisters {
  import Access.{ReadOnly, ReadWrite, Trigger}

  private val settings: Seq[Register] = Seq(
    Register(
      name = "WIRE_TABLES",
      offset = 0x1c8,
      access = ReadOnly,
      text = "Sizes of the tables.",
      fields = Seq(
        RegisterField(name = "PEERS_LOG2", low = 0, width = 5, text = "Peers."),
        RegisterField(name = "MEMORIES_LOG2", low = 8, width = 5, text = "Registered memory."),
        RegisterField(
          name = "MESSAGES_LOG2",
          low = 16,
          width = 5,
          text = "Numbers of messages, and buffers of each pool."
        )
      )
    ),
    Register(
      name = "WIRE_RETRANSMIT",
      offset = 0x1cc,
      access = ReadWrite,
      text = "Microseconds before a packet is sent again; they double each time.",
      initial = 250
    ),
    Register(
      name = "WIRE_ATTEMPTS",
      offset = 0x1d0,
      access = ReadWrite,
      text = "Such times in a row after which a peer is given up; 0 is never (W7)."
    )
  )

  private val peers: Seq[Register] = Seq(
    Register(
      name = "PEER_SELECT",
      offset = 0x1d4,
      access = ReadWrite,
      text = "Peer that the next PEER_COMMAND means."
    )
  ) ++ (0 until 4).map(word =>
    Register(
      name = s"PEER_ADDRESS_$word",
      offset = 0x1d8 + 4 * word,
      access = ReadWrite,
      text = s"Its IP address, bits ${32 * word + 31}..${32 * word}."
    )
  ) ++ Seq(
    Register(
      name = "PEER_JOB",
      offset = 0x1e8,
      access = ReadWrite,
      text = "Job that it is in.",
      fields = Seq(RegisterField(name = "JOB", low = 0, width = 24, text = "Job."))
    ),
    Register(
      name = "PEER_PROCESS",
      offset = 0x1ec,
      access = ReadWrite,
      text = "The rest of its name.",
      fields = Seq(
        RegisterField(name = "PID", low = 0, width = 12, text = "PIDonFEP."),
        RegisterField(name = "INDEX", low = 16, width = 12, text = "Resource index.")
      )
    ),
    Register(
      name = "PEER_INITIATOR",
      offset = 0x1f0,
      access = ReadWrite,
      text = "Source that messages to it have (W8)."
    ),
    Register(
      name = "PEER_OWNER",
      offset = 0x1f4,
      access = ReadWrite,
      text = "Endpoint that may send to it.",
      fields = Seq(RegisterField(name = "ENDPOINT", low = 0, width = 12, text = "Endpoint."))
    ),
    command("PEER_COMMAND", 0x1f8, "the selected peer")
  )

  private val memories: Seq[Register] = Seq(
    Register(
      name = "MEMORY_SELECT",
      offset = 0x1fc,
      access = ReadWrite,
      text = "Registered memory that the next MEMORY_COMMAND means."
    ),
    Register(name = "MEMORY_BASE_LO", offset = 0x200, access = ReadWrite, text = "First byte."),
    Register(name = "MEMORY_BASE_HI", offset = 0x204, access = ReadWrite, text = "High word."),
    Register(name = "MEMORY_BYTES_LO", offset = 0x208, access = ReadWrite, text = "Bytes of it."),
    Register(name = "MEMORY_BYTES_HI", offset = 0x20c, access = ReadWrite, text = "High word."),
    Register(
      name = "MEMORY_OWNER",
      offset = 0x210,
      access = ReadWrite,
      text = "Whose it is.",
      fields = Seq(
        RegisterField(name = "ENDPOINT", low = 0, width = 12, text = "Endpoint."),
        RegisterField(name = "READ", low = 16, width = 1, text = "Messages are sent from it."),
        RegisterField(name = "WRITE", low = 17, width = 1, text = "Receives lie in it.")
      )
    ),
    command("MEMORY_COMMAND", 0x214, "the selected memory"),
    Register(
      name = "TABLE_STATUS",
      offset = 0x218,
      access = ReadOnly,
      text = "State of the last PEER_COMMAND or MEMORY_COMMAND.",
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
          text = "Not in the table, no endpoint, or what is removed is in use."
        )
      )
    )
  )

  private def command(name: String, offset: Int, what: String): Register = Register(
    name = name,
    offset = offset,
    access = Trigger,
    text = s"Changes $what.",
    fields = Seq(
      RegisterField(name = "SET", low = 0, width = 1, text = "It is what registers say."),
      RegisterField(name = "REMOVE", low = 1, width = 1, text = "It is none.")
    )
  )

  val all: Seq[Register] = settings ++ peers ++ memories
}
