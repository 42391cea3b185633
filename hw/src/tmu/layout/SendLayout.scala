// SPDX-License-Identifier: Apache-2.0
package tmu.layout

/** Bytes of a command that sends a message over a card's network. Who it is from and where it goes
  * the privileged driver has written into the table of peers (W8).
  */
object SendLayout {
  private def field(name: String, word: Int, low: Int, width: Int, text: String): WordField =
    WordField(name = name, word = word, low = low, width = width, text = text)

  val inlineBytes: Int = 24
  val pieces: Int = 4

  val layout: Layout = Layout(
    name = "send",
    fields = Layout.withZeros(
      Seq(
        CommandLayout.opcode,
        field("header", 0, 8, 1, "The message has header data."),
        field("pieces", 0, 9, 3, "0 inline, 1 at `address`, 2 to 4: a list lies at `address`."),
        field("peer", 0, 16, 16, "Index into the table of peers."),
        CommandLayout.endpoint,
        field("match", 1, 0, 64, "Match bits."),
        field("header_data", 2, 0, 64, "Header data, told with the message."),
        field("length", 3, 0, 32, "Bytes of the message."),
        field("memory", 3, 32, 16, "Registered memory that `address` is in."),
        CommandLayout.handle,
        field("inline0", 5, 0, 64, "Bytes of the message, the first lowest."),
        field("inline1", 6, 0, 64, "Bytes 8 to 15."),
        field("inline2", 7, 0, 64, "Bytes 16 to 23.")
      )
    ),
    overlays =
      Seq(field("address", 5, 0, 64, "The message, or its list of pieces; then the rest is 0."))
  )

  /** A list has room for four: piece n is at word 2n. */
  val piece: Layout = Layout(
    name = "piece",
    fields = Layout.withZeros(
      (0 until 2 * pieces by 2).flatMap { word =>
        val n = if (word == 0) "" else s"${word / 2}"
        Seq(
          field(s"address$n", word, 0, 64, "First byte of a piece."),
          field(s"length$n", word + 1, 0, 32, "Its bytes."),
          field(s"memory$n", word + 1, 32, 16, "Registered memory that it is in.")
        )
      }
    )
  )
}
