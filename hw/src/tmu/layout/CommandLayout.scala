// SPDX-License-Identifier: Apache-2.0
package tmu.layout

/** Bytes of a command: one aligned 64-byte write into a doorbell page. */
object CommandLayout {
  val opcode = WordField("opcode", 0, 0, 8, "What is asked.")
  val endpoint = WordField("endpoint", 0, 32, 32, "Endpoint; used on the privileged page only.")
  val handle = WordField("handle", 4, 0, 64, "Caller's handle, returned unchanged (R15).")
  val address =
    WordField("address", 5, 0, 64, "Buffer of a receive, place of a message; inspect: which entry.")
  val length = WordField("length", 6, 0, 48, "Bytes of the buffer or of the message.")
  val receiveId =
    WordField("receive_id", 7, 0, 32, "Post: id of this receive; cancel: id of the target.")

  /** Inspect reads `address` as these two fields. */
  val inspectPosition = WordField("inspect_position", 5, 0, 32, "Inspect: position, oldest is 0.")
  val inspectQueue = WordField("inspect_queue", 5, 32, 1, "Inspect: 0 posted, 1 unexpected.")

  val layout: Layout = Layout(
    "command",
    Layout.withZeros(
      Seq(opcode, endpoint) ++ KeyLayout.fields ++ Seq(handle, address, length, receiveId)
    ),
    overlays = Seq(inspectPosition, inspectQueue)
  )
}
