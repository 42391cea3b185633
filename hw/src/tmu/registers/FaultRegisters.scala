// SPDX-License-Identifier: Apache-2.0
package tmu.registers

/** Registers that tell of flipped bits in stored words, and make one for tests. */
object FaultRegisters {
  import Access.{ReadOnly, ReadWrite, Trigger}
  import FaultStores.{bitBits, firstBits, storeBits, seenBits}

  val all: Seq[Register] = Seq(
    Register(
      name = "FAULT_SELECT",
      offset = 0xf8,
      access = ReadWrite,
      text = "What the next FAULT_INJECT flips.",
      fields = Seq(
        RegisterField(
          name = "PLACE",
          low = 0,
          width = storeBits,
          text = "Number of the store; another one flips nothing."
        ),
        RegisterField(
          name = "BIT",
          low = 8,
          width = bitBits,
          text = "Bit of the word; beyond its end nothing is flipped."
        )
      )
    ),
    Register(
      name = "FAULT_INJECT",
      offset = 0xfc,
      access = Trigger,
      text = "For tests.",
      fields = Seq(
        RegisterField(
          name = "FLIP",
          low = 0,
          width = 1,
          text = "Flips the bit of the next word that is written there, once."
        )
      )
    ),
    Register(
      name = "FAULT_STATUS",
      offset = 0x100,
      access = ReadOnly,
      text = "Flipped bits since the last reset.",
      fields = Seq(
        RegisterField(
          name = "SEEN",
          low = 0,
          width = firstBits,
          text = "Bit n: the store with number n has given a word with a flipped bit."
        ),
        RegisterField(
          name = "WIDTH",
          low = firstBits,
          width = bitBits,
          text = "Bits of a word in the store of the last FAULT_INJECT; 0 if it names none."
        ),
        RegisterField(
          name = "FLIPPED",
          low = 31,
          width = 1,
          text = "The last FAULT_INJECT has flipped a bit."
        )
      )
    ),
    Register(
      name = "FAULT_MORE",
      offset = 0x124,
      access = ReadOnly,
      text = "The same, of further stores.",
      fields = Seq(
        RegisterField(
          name = "SEEN",
          low = 0,
          width = seenBits - firstBits,
          text = s"Bit n: the store with number $firstBits + n has given a word with a flipped bit."
        )
      )
    )
  )
}
