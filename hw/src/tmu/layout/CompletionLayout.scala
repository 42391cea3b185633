// SPDX-License-Identifier: Apache-2.0
package tmu.layout

/** Bytes of a completion: one aligned 64-byte write into the ring of the page that asked. */
object CompletionLayout {
  val opcode =
    WordField(name = "opcode", word = 0, low = 0, width = 8, text = "Opcode of the command.")
  val status = WordField(name = "status", word = 0, low = 8, width = 8, text = "The verdict.")
  val phase = WordField(
    name = "phase",
    word = 0,
    low = 16,
    width = 1,
    text = "1 in the first lap of the ring, then alternating."
  )
  val truncated = WordField(
    name = "truncated",
    word = 0,
    low = 17,
    width = 1,
    text = "The message is longer than the receive (R12)."
  )
  val unexpected =
    WordField(
      name = "unexpected",
      word = 0,
      low = 18,
      width = 1,
      text = "Removed or inspected entry is a message, not a receive."
    )
  val serial =
    WordField(
      name = "serial",
      word = 0,
      low = 32,
      width = 32,
      text = "Serialisation number: verdicts of this endpoint so far (R7)."
    )
  val handle =
    WordField(name = "handle", word = 1, low = 0, width = 64, text = "Handle of the command.")
  val other =
    WordField(
      name = "other",
      word = 2,
      low = 0,
      width = 64,
      text = "Handle of the entry that was matched, found or removed."
    )
  val endpoint = WordField(name = "endpoint", word = 4, low = 32, width = 32, text = "Endpoint.")
  val messageLength = WordField(
    name = "message_length",
    word = 5,
    low = 0,
    width = 48,
    text = "Bytes of the message."
  )
  val hostLatency =
    WordField(
      name = "host_latency",
      word = 5,
      low = 48,
      width = 16,
      text = "Clocks from doorbell to completion write, saturating."
    )
  val receiveLength = WordField(
    name = "receive_length",
    word = 6,
    low = 0,
    width = 48,
    text = "Bytes of the receive's buffer."
  )
  val unitLatency = WordField(
    name = "unit_latency",
    word = 6,
    low = 48,
    width = 16,
    text = "Clocks in the matching unit, saturating."
  )
  val address = WordField(
    name = "address",
    word = 7,
    low = 0,
    width = 64,
    text = "The receive's buffer or the message's address."
  )

  /** Status flushed reads `other` as these two counts. */
  val removedPosted = WordField(
    name = "removed_posted",
    word = 2,
    low = 0,
    width = 32,
    text = "Flushed: receives removed."
  )
  val removedUnexpected = WordField(
    name = "removed_unexpected",
    word = 2,
    low = 32,
    width = 32,
    text = "Flushed: messages removed."
  )

  /** Opcode send reads `other` as these; lengths are those of the message and of what the target
    * told, `truncated` that it is less.
    */
  val peer = WordField(name = "peer", word = 2, low = 0, width = 16, text = "Send: the peer.")
  val code = WordField(
    name = "code",
    word = 2,
    low = 16,
    width = 8,
    text = "Send: return code of the target's answer."
  )
  val givenUp = WordField(
    name = "given_up",
    word = 2,
    low = 24,
    width = 1,
    text = "Undelivered: the peer did not answer."
  )

  val layout: Layout = Layout(
    name = "completion",
    fields = Seq(
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
    overlays = Seq(removedPosted, removedUnexpected) ++ KeyLayout.all.map(_.inspected) ++
      Seq(peer, code, givenUp)
  )
}
