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
      name = "SPILL_SELECT",
      offset = 0x104,
      access = ReadWrite,
      text = "What the next SPILL_LOOK fetches, of the endpoint in ENDPOINT_SELECT.",
      fields = Seq(
        RegisterField(name = "CHUNK", low = 0, width = chunkBits, text = "Chunk that is meant."),
        RegisterField(
          name = "UNEXPECTED",
          low = 31,
          width = 1,
          text = "Queue that is meant: 0 receives, 1 messages."
        )
      )
    ),
    Register(
      name = "SPILL_LOOK",
      offset = 0x108,
      access = Trigger,
      text = "Looks at what the unit keeps about queues in memory.",
      fields = Seq(
        RegisterField(
          name = "FETCH",
          low = 0,
          width = 1,
          text =
            s"Fetches the registers from SPILL_STATE on. The next access waits until that is done, $clocks clocks at most."
        )
      )
    ),
    Register(
      name = "SPILL_STATE",
      offset = 0x10c,
      access = ReadOnly,
      text = "Outcome of the last SPILL_LOOK.",
      fields = Seq(
        RegisterField(
          name = "RESTING",
          low = 0,
          width = 1,
          text =
            "The registers behind this one say what is, and it stays so until a command comes. Otherwise they mean nothing: commands were under way, entries were or may be moved soon, or one of the other bits is set."
        ),
        RegisterField(
          name = "ERROR",
          low = 1,
          width = 1,
          text = "The selected endpoint is not there."
        ),
        RegisterField(
          name = "FAILED",
          low = 2,
          width = 1,
          text = "Memory has failed: no answer is known until a reset."
        ),
        RegisterField(name = "LOST_NEXT", low = 3, width = 1, text = "SPILL_NEXT has lost a bit."),
        RegisterField(name = "LOST_LIVE", low = 4, width = 1, text = "SPILL_LIVE has lost a bit.")
      )
    ),
    Register(
      name = "SPILL_COUNT",
      offset = 0x110,
      access = ReadOnly,
      text = "Entries of the queue that lie in memory."
    ),
    Register(
      name = "SPILL_HEAD",
      offset = 0x114,
      access = ReadOnly,
      text = "Chunk with the oldest of them, if there is one."
    ),
    Register(
      name = "SPILL_NEXT",
      offset = 0x118,
      access = ReadOnly,
      text = "Chunk behind the selected one; of no meaning in the youngest of a queue."
    ),
    Register(
      name = "SPILL_LIVE_LO",
      offset = 0x11c,
      access = ReadOnly,
      text =
        "Bit n: slot n of the selected chunk has an entry that is queued, slots 0 to 31; lower ones are older."
    ),
    Register(
      name = "SPILL_LIVE_HI",
      offset = 0x120,
      access = ReadOnly,
      text = "The same, slots from 32 on.",
      fields = Seq(
        RegisterField(
          name = "PLACES",
          low = 0,
          width = high,
          text = s"Slots 32 to ${SpillLayout.entries - 1}."
        )
      )
    )
  )
}
