// SPDX-License-Identifier: Apache-2.0
package tmu.registers

/** Registers by which software opens and closes doorbell pages. */
object PageRegisters {
  import Access.{ReadOnly, ReadWrite, Trigger}

  val all: Seq[Register] = Seq(
    Register("PAGE_SELECT", 0x90, ReadWrite, "Doorbell page that the next PAGE_COMMIT configures."),
    Register(
      "RING_BASE_LO",
      0x94,
      ReadWrite,
      "Bus address of the completion ring, low word; bits 5..0 are ignored."
    ),
    Register("RING_BASE_HI", 0x98, ReadWrite, "Bus address of the completion ring, high word."),
    Register(
      "RING_CONFIG",
      0x9c,
      ReadWrite,
      "Shape of the completion ring.",
      Seq(
        RegisterField("LOG2", 0, 5, "Completions the ring holds, as a power of two: 4 to 16."),
        RegisterField(
          "ENABLE",
          8,
          1,
          "Commands of a page that is not enabled are dropped and counted."
        )
      )
    ),
    Register(
      "PAGE_COMMIT",
      0xa0,
      Trigger,
      "Takes the selected page's configuration over.",
      Seq(
        RegisterField(
          "COMMIT",
          0,
          1,
          "Configures the page and sets its ring's indices to 0. Its commands that have not begun are lost."
        )
      )
    ),
    Register(
      "RING_PATIENCE",
      0xa4,
      ReadWrite,
      "Clocks that a page whose ring is full may hold up all others in a row. Then the page is disabled, its completions are " +
        "dropped, and RING_OVERRUNS counts one. 0 is no limit. Only a flush of more entries than its " +
        "ring has room for, or a consumer index that is not true, gets there: other commands start when " +
        "there is room for their answers.",
      initial = BigInt(1) << 26
    ),
    Register(
      "PAGE_ENDPOINT",
      0xa8,
      ReadWrite,
      "Endpoint that the page acts for; of no effect on the privileged page."
    ),
    Register(
      "QUEUE_CONFIG",
      0xac,
      ReadWrite,
      "The page's share of the command slots. Shares must not overlap; a command that finds no free " +
        "slot in its share is dropped, and QUEUE_OVERRUNS counts it.",
      Seq(
        RegisterField("FIRST", 0, 16, "First slot; a multiple of the share."),
        RegisterField("LOG2", 16, 4, "Slots of the share, as a power of two.")
      )
    ),
    Register(
      "PAGE_STATUS",
      0xcc,
      ReadOnly,
      "State of the last PAGE_COMMIT.",
      Seq(
        RegisterField(
          "BUSY",
          0,
          1,
          "Not done yet: a command that the page had begun, or a write to its ring, is on its way. A new commit is ignored."
        ),
        RegisterField(
          "ERROR",
          1,
          1,
          "The page, its endpoint, the ring's size or the share is out of range: nothing changed."
        )
      )
    )
  )
}
