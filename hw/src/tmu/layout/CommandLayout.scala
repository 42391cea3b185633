// SPDX-License-Identifier: Apache-2.0
package tmu.layout

/** Bytes of a command: one aligned 64-byte write into a doorbell page. */
object CommandLayout {
  val opcode = WordField(name = "opcode", word = 0, low = 0, width = 8, text = "What is asked.")
  val endpoint = WordField(
    name = "endpoint",
    word = 0,
    low = 32,
    width = 32,
    text = "Endpoint; used on the privileged page only."
  )
  val handle = WordField(
    name = "handle",
    word = 4,
    low = 0,
    width = 64,
    text = "Caller's handle, returned unchanged (R15)."
  )
  val address =
    WordField(
      name = "address",
      word = 5,
      low = 0,
      width = 64,
      text = "Buffer of a receive, address of a message; inspect: which entry."
    )
  val length = WordField(
    name = "length",
    word = 6,
    low = 0,
    width = 48,
    text = "Bytes of the buffer or of the message."
  )
  val receiveId =
    WordField(
      name = "receive_id",
      word = 7,
      low = 0,
      width = 32,
      text = "Post: id of this receive; cancel: id of the target."
    )

  /** Inspect reads `address` as these two fields. */
  val inspectPosition = WordField(
    name = "inspect_position",
    word = 5,
    low = 0,
    width = 32,
    text = "Inspect: position, oldest is 0."
  )
  val inspectQueue = WordField(
    name = "inspect_queue",
    word = 5,
    low = 32,
    width = 1,
    text = "Inspect: 0 posted, 1 unexpected."
  )

  /** Post on a card that sends. */
  val memory = WordField(
    name = "memory",
    word = 7,
    low = 32,
    width = 16,
    text = "Card, post: registered memory that the buffer is in."
  )

  val layout: Layout = Layout(
    name = "command",
    fields = Layout.withZeros(
      Seq(opcode, endpoint) ++ KeyLayout.fields ++ Seq(handle, address, length, receiveId)
    ),
    overlays = Seq(inspectPosition, inspectQueue, memory)
  )
}
