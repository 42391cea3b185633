// SPDX-License-Identifier: Apache-2.0
package tmu.registers

/** Registers by which software opens and closes doorbell pages. */
object PageRegisters {
  import Access.{ReadOnly, ReadWrite, Trigger}

  val all: Seq[Register] = Seq(
    Register(
      name = "PAGE_SELECT",
      offset = 0x90,
      access = ReadWrite,
      text = "Doorbell page that the next PAGE_COMMIT configures."
    ),
    Register(
      name = "RING_BASE_LO",
      offset = 0x94,
      access = ReadWrite,
      text = "Bus address of the completion ring, low word; bits 5..0 are ignored."
    ),
    Register(
      name = "RING_BASE_HI",
      offset = 0x98,
      access = ReadWrite,
      text = "Bus address of the completion ring, high word."
    ),
    Register(
      name = "RING_CONFIG",
      offset = 0x9c,
      access = ReadWrite,
      text = "Shape of the completion ring.",
      fields = Seq(
        RegisterField(
          name = "LOG2",
          low = 0,
          width = 5,
          text = "Completions the ring holds, as a power of two: 4 to 16."
        ),
        RegisterField(
          name = "ENABLE",
          low = 8,
          width = 1,
          text = "Commands of a page that is not enabled are dropped and counted."
        )
      )
    ),
    Register(
      name = "PAGE_COMMIT",
      offset = 0xa0,
      access = Trigger,
      text = "Takes the selected page's configuration over.",
      fields = Seq(
        RegisterField(
          name = "COMMIT",
          low = 0,
          width = 1,
          text =
            "Configures the page and sets its ring's indices to 0. Its commands that have not begun are lost."
        )
      )
    ),
    Register(
      name = "RING_PATIENCE",
      offset = 0xa4,
      access = ReadWrite,
      text =
        "Clocks that a page whose ring is full may hold up all others in a row. Then the page is disabled, its completions are " +
          "dropped, and RING_OVERRUNS counts one. 0 is no limit. Only a flush of more entries than its " +
          "ring has room for, or a consumer index that is not true, gets there: other commands start when " +
          "there is room for their answers.",
      initial = BigInt(1) << 26
    ),
    Register(
      name = "PAGE_ENDPOINT",
      offset = 0xa8,
      access = ReadWrite,
      text = "Endpoint that the page acts for; of no effect on the privileged page."
    ),
    Register(
      name = "QUEUE_CONFIG",
      offset = 0xac,
      access = ReadWrite,
      text =
        "The page's share of the command slots. Shares must not overlap; a command that finds no free " +
          "slot in its share is dropped, and QUEUE_OVERRUNS counts it.",
      fields = Seq(
        RegisterField(
          name = "FIRST",
          low = 0,
          width = 16,
          text = "First slot; a multiple of the share."
        ),
        RegisterField(
          name = "LOG2",
          low = 16,
          width = 4,
          text = "Slots of the share, as a power of two."
        )
      )
    ),
    Register(
      name = "PAGE_STATUS",
      offset = 0xcc,
      access = ReadOnly,
      text = "State of the last PAGE_COMMIT.",
      fields = Seq(
        RegisterField(
          name = "BUSY",
          low = 0,
          width = 1,
          text =
            "Not done yet: a command that the page had begun, or a write to its ring, is on its way. A new commit is ignored."
        ),
        RegisterField(
          name = "ERROR",
          low = 1,
          width = 1,
          text =
            "The page, its endpoint, the ring's size or the share is out of range: nothing changed."
        )
      )
    )
  )
}
