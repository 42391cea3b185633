// SPDX-License-Identifier: Apache-2.0
package tmu.registers

import tmu.params.SpillLayout

/** Registers that show where in memory a queue goes on, for dumps. */
object SpillLookRegisters {
  import Access.{ReadOnly, ReadWrite, Trigger}

  /** Bits of a chunk's number. */
  val chunkBits: Int = 24

  /** Clocks that a look takes at most. */
  val clocks: Int = 12

  private def high = SpillLayout.entries - 32

  val all: Seq[Register] = Seq(
    Register(
      "SPILL_SELECT",
      0x104,
      ReadWrite,
      "What the next SPILL_LOOK fetches, of the endpoint in ENDPOINT_SELECT.",
      Seq(
        RegisterField("CHUNK", 0, chunkBits, "Chunk that is meant."),
        RegisterField("UNEXPECTED", 31, 1, "Queue that is meant: 0 receives, 1 messages.")
      )
    ),
    Register(
      "SPILL_LOOK",
      0x108,
      Trigger,
      "Looks at what the unit keeps about queues in memory.",
      Seq(
        RegisterField(
          "FETCH",
          0,
          1,
          s"Fetches the registers from SPILL_STATE on. The next access waits until that is done, $clocks clocks at most."
        )
      )
    ),
    Register(
      "SPILL_STATE",
      0x10c,
      ReadOnly,
      "Outcome of the last SPILL_LOOK.",
      Seq(
        RegisterField(
          "RESTING",
          0,
          1,
          "The registers behind this one say what is, and it stays so until a command comes. Otherwise they mean nothing: commands were under way, entries were or may be moved soon, or one of the other bits is set."
        ),
        RegisterField("ERROR", 1, 1, "The selected endpoint is not there."),
        RegisterField("FAILED", 2, 1, "Memory has failed: no answer is known until a reset."),
        RegisterField("LOST_NEXT", 3, 1, "SPILL_NEXT has lost a bit."),
        RegisterField("LOST_LIVE", 4, 1, "SPILL_LIVE has lost a bit.")
      )
    ),
    Register("SPILL_COUNT", 0x110, ReadOnly, "Entries of the queue that lie in memory."),
    Register("SPILL_HEAD", 0x114, ReadOnly, "Chunk with the oldest of them, if there is one."),
    Register(
      "SPILL_NEXT",
      0x118,
      ReadOnly,
      "Chunk behind the selected one; of no meaning in the youngest of a queue."
    ),
    Register(
      "SPILL_LIVE_LO",
      0x11c,
      ReadOnly,
      "Bit n: place n of the selected chunk has an entry that is queued, places 0 to 31; lower ones are older."
    ),
    Register(
      "SPILL_LIVE_HI",
      0x120,
      ReadOnly,
      "The same, places from 32 on.",
      Seq(RegisterField("PLACES", 0, high, s"Places 32 to ${SpillLayout.entries - 1}."))
    )
  )
}
