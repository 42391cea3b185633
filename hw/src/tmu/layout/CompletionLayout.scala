// SPDX-License-Identifier: Apache-2.0
package tmu.layout

/** Bytes of a completion: one aligned 64-byte write into the ring of the page that asked. */
object CompletionLayout {
  val opcode = WordField("opcode", 0, 0, 8, "Opcode of the command.")
  val status = WordField("status", 0, 8, 8, "The verdict.")
  val phase = WordField("phase", 0, 16, 1, "1 in the first lap of the ring, then alternating.")
  val truncated = WordField("truncated", 0, 17, 1, "The message is longer than the receive (R12).")
  val unexpected =
    WordField("unexpected", 0, 18, 1, "Removed or inspected entry is a message, not a receive.")
  val serial =
    WordField("serial", 0, 32, 32, "Serialisation number: verdicts of this endpoint so far (R7).")
  val handle = WordField("handle", 1, 0, 64, "Handle of the command.")
  val other =
    WordField("other", 2, 0, 64, "Handle of the entry that was matched, found or removed.")
  val endpoint = WordField("endpoint", 4, 32, 32, "Endpoint.")
  val messageLength = WordField("message_length", 5, 0, 48, "Bytes of the message.")
  val hostLatency =
    WordField("host_latency", 5, 48, 16, "Clocks from doorbell to completion write, saturating.")
  val receiveLength = WordField("receive_length", 6, 0, 48, "Bytes of the receive's buffer.")
  val unitLatency = WordField("unit_latency", 6, 48, 16, "Clocks in the matching unit, saturating.")
  val address = WordField("address", 7, 0, 64, "The receive's buffer or the message's place.")

  /** Status flushed reads `other` as these two counts. */
  val removedPosted = WordField("removed_posted", 2, 0, 32, "Flushed: receives removed.")
  val removedUnexpected = WordField("removed_unexpected", 2, 32, 32, "Flushed: messages removed.")

  val layout: Layout = Layout(
    "completion",
    Seq(
      opcode,
      status,
      phase,
      truncated,
      unexpected,
      serial,
      handle,
      other
    ) ++ KeyLayout.all.map(_.completed) ++ Seq(
      endpoint,
      messageLength,
      hostLatency,
      receiveLength,
      unitLatency,
      address
    ),
    // Status entry has the entry's masks where verdicts have `serial` and word 6.
    overlays = Seq(removedPosted, removedUnexpected) ++ KeyLayout.all.map(_.inspected)
  )
}
