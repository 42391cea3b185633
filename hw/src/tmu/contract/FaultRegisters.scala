// SPDX-License-Identifier: Apache-2.0
package tmu.contract

/** Registers that tell of flipped bits in stored words, and make one for tests. */
object FaultRegisters {
  import Access.{ReadOnly, Trigger}
  import FaultPlaces.{bitBits, placeBits, seenBits}

  val all: Seq[Register] = Seq(
    Register(
      "FAULT_INJECT",
      0xf8,
      Trigger,
      "Flips a bit of the next word that is written to a place, once: for tests.",
      Seq(
        RegisterField("PLACE", 0, placeBits, "Number of the place; another one flips nothing."),
        RegisterField("BIT", 8, bitBits, "Bit of the word; beyond its end nothing is flipped.")
      )
    ),
    Register(
      "FAULT_STATUS",
      0xfc,
      ReadOnly,
      "Flipped bits since the last reset.",
      Seq(
        RegisterField(
          "SEEN",
          0,
          seenBits,
          "Bit n: the place with number n has given a word with a flipped bit."
        ),
        RegisterField(
          "WIDTH",
          seenBits,
          bitBits,
          "Bits of a word at the place of the last FAULT_INJECT; 0 if it names none."
        ),
        RegisterField("FLIPPED", 31, 1, "The last FAULT_INJECT has flipped a bit.")
      )
    )
  )
}
