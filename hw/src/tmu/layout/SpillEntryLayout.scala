// SPDX-License-Identifier: Apache-2.0
package tmu.layout

/** Bytes of an entry in memory: those of a command that would queue it, where both have them. */
object SpillEntryLayout {
  import CommandLayout.{length, source, sourceIgnore}

  val parity = WordField(
    "parity",
    0,
    0,
    1,
    "Makes the ones of the entry even, with those of its chunk's number and of its place's."
  )
  val endpoint: WordField = CommandLayout.endpoint.copy(text = "Endpoint that it is queued at.")
  val matchBits: WordField = CommandLayout.matchBits.copy(text = "Match bits.")
  val ignore: WordField =
    CommandLayout.ignore.copy(text = "Match bits that a receive ignores; of a message 0.")
  val handle: WordField =
    CommandLayout.handle.copy(text = "Handle of the receive or of the message.")
  val address: WordField =
    CommandLayout.address.copy(text = "Buffer of a receive, place of a message.")
  val receiveId: WordField = CommandLayout.receiveId.copy(text = "Id of a receive.")

  val layout: Layout = Layout(
    "spill_entry",
    Seq(
      parity,
      endpoint,
      matchBits,
      ignore,
      source,
      sourceIgnore,
      handle,
      address,
      length,
      receiveId
    )
  )
}
