// SPDX-License-Identifier: Apache-2.0
package tmu.registers

import tmu.params.SpillLayout

/** Registers by which software registers memory for queues that outgrow the tables. */
object SpillRegisters {
  import Access.{ReadOnly, ReadWrite, Trigger}

  val all: Seq[Register] = Seq(
    Register(
      "SPILL_BASE_LO",
      0xe4,
      ReadWrite,
      "Bus address of the segment that the next SPILL_COMMIT adds, low word; bits 11..0 are ignored."
    ),
    Register("SPILL_BASE_HI", 0xe8, ReadWrite, "The same, high word."),
    Register(
      "SPILL_COMMIT",
      0xec,
      Trigger,
      "Registers memory with the unit, until the next reset. Without any, a full table refuses and stalls.",
      Seq(
        RegisterField("ADD", 0, 1, "Adds the segment. The unit writes nowhere outside of segments.")
      )
    ),
    Register(
      "SPILL_STATUS",
      0xf0,
      ReadOnly,
      "Memory registered with the unit.",
      Seq(
        RegisterField("SEGMENTS", 0, 8, "Segments that it has."),
        RegisterField("ERROR", 8, 1, "The last SPILL_COMMIT was one too many: nothing changed.")
      )
    ),
    Register(
      "SPILL_FREE",
      0xf4,
      ReadOnly,
      s"Chunks of ${SpillLayout.chunkBytes} bytes in which nothing lies."
    )
  )
}
