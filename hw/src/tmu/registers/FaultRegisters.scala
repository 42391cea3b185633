// SPDX-License-Identifier: Apache-2.0
package tmu.registers

/** Registers that tell of flipped bits in stored words, and make one for tests. */
object FaultRegisters {
  import Access.{ReadOnly, ReadWrite, Trigger}
  import FaultPlaces.{bitBits, firstBits, placeBits, seenBits}

  val all: Seq[Register] = Seq(
    Register(
      "FAULT_SELECT",
      0xf8,
      ReadWrite,
      "What the next FAULT_INJECT flips.",
      Seq(
        RegisterField("PLACE", 0, placeBits, "Number of the place; another one flips nothing."),
        RegisterField("BIT", 8, bitBits, "Bit of the word; beyond its end nothing is flipped.")
      )
    ),
    Register(
      "FAULT_INJECT",
      0xfc,
      Trigger,
      "For tests.",
      Seq(
        RegisterField("FLIP", 0, 1, "Flips the bit of the next word that is written there, once.")
      )
    ),
    Register(
      "FAULT_STATUS",
      0x100,
      ReadOnly,
      "Flipped bits since the last reset.",
      Seq(
        RegisterField(
          "SEEN",
          0,
          firstBits,
          "Bit n: the place with number n has given a word with a flipped bit."
        ),
        RegisterField(
          "WIDTH",
          firstBits,
          bitBits,
          "Bits of a word at the place of the last FAULT_INJECT; 0 if it names none."
        ),
        RegisterField("FLIPPED", 31, 1, "The last FAULT_INJECT has flipped a bit.")
      )
    ),
    Register(
      "FAULT_MORE",
      0x124,
      ReadOnly,
      "The same, of further places.",
      Seq(
        RegisterField(
          "SEEN",
          0,
          seenBits - firstBits,
          s"Bit n: the place with number $firstBits + n has given a word with a flipped bit."
        )
      )
    )
  )
}
