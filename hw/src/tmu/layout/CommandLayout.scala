// SPDX-License-Identifier: Apache-2.0
package tmu.layout

/** Bytes of a command: one aligned 64-byte write into a doorbell page. */
object CommandLayout {
  val opcode = WordField("opcode", 0, 0, 8, "What is asked.")
  val zero0 = WordField("reserved0", 0, 8, 24, "Must be 0.")
  val endpoint = WordField("endpoint", 0, 32, 32, "Endpoint; used on the privileged page only.")
  val matchBits = WordField(
    "match",
    1,
    0,
    64,
    "Match bits (MPI: the tag in the lowest TAG_BITS, the context above)."
  )
  val ignore =
    WordField("ignore", 2, 0, 64, "Match bits that are not compared (post, probe, claim, flush).")
  val source = WordField("source", 3, 0, 32, "Source.")
  val sourceIgnore = WordField("source_ignore", 3, 32, 32, "Source bits that are not compared.")
  val handle = WordField("handle", 4, 0, 64, "Caller's handle, returned unchanged (R15).")
  val address =
    WordField("address", 5, 0, 64, "Buffer of a receive, place of a message; inspect: which entry.")
  val length = WordField("length", 6, 0, 48, "Bytes of the buffer or of the message.")
  val zero6 = WordField("reserved6", 6, 48, 16, "Must be 0.")
  val receiveId =
    WordField("receive_id", 7, 0, 32, "Post: id of this receive; cancel: id of the target.")
  val zero7 = WordField("reserved7", 7, 32, 32, "Must be 0.")

  /** Inspect reads `address` as these two fields. */
  val inspectPosition = WordField("inspect_position", 5, 0, 32, "Inspect: position, oldest is 0.")
  val inspectQueue = WordField("inspect_queue", 5, 32, 1, "Inspect: 0 posted, 1 unexpected.")

  val layout: Layout = Layout(
    "command",
    Seq(
      opcode,
      zero0,
      endpoint,
      matchBits,
      ignore,
      source,
      sourceIgnore,
      handle,
      address,
      length,
      zero6,
      receiveId,
      zero7
    ),
    overlays = Seq(inspectPosition, inspectQueue)
  )
}
