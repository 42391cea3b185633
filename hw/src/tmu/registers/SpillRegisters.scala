// SPDX-License-Identifier: Apache-2.0
package tmu.registers

import tmu.params.SpillLayout

/** Registers by which software registers memory for queues that outgrow the tables. */
object SpillRegisters {
  import Access.{ReadOnly, ReadWrite, Trigger}

  val all: Seq[Register] = Seq(
    Register(
      name = "SPILL_BASE_LO",
      offset = 0xe4,
      access = ReadWrite,
      text =
        "Bus address of the segment that the next SPILL_COMMIT adds, low word; bits 11..0 are ignored."
    ),
    Register(
      name = "SPILL_BASE_HI",
      offset = 0xe8,
      access = ReadWrite,
      text = "The same, high word."
    ),
    Register(
      name = "SPILL_COMMIT",
      offset = 0xec,
      access = Trigger,
      text =
        "Registers memory with the unit, until the next reset. Without any, a full table refuses and stalls.",
      fields = Seq(
        RegisterField(
          name = "ADD",
          low = 0,
          width = 1,
          text = "Adds the segment. The unit writes nowhere outside of segments."
        )
      )
    ),
    Register(
      name = "SPILL_STATUS",
      offset = 0xf0,
      access = ReadOnly,
      text = "Memory registered with the unit.",
      fields = Seq(
        RegisterField(name = "SEGMENTS", low = 0, width = 8, text = "Segments that it has."),
        RegisterField(
          name = "ERROR",
          low = 8,
          width = 1,
          text = "The last SPILL_COMMIT was one too many: nothing changed."
        )
      )
    ),
    Register(
      name = "SPILL_FREE",
      offset = 0xf4,
      access = ReadOnly,
      text = s"Chunks of ${SpillLayout.chunkBytes} bytes in which nothing lies."
    )
  )
}
