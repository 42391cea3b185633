// SPDX-License-Identifier: Apache-2.0
package tmu.contract

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
  val endpoint = WordField("endpoint", 0, 32, 32, "Endpoint that it is queued at.")
  val matchBits = WordField("match", 1, 0, 64, "Match bits.")
  val ignore = WordField("ignore", 2, 0, 64, "Match bits that a receive ignores; of a message 0.")
  val handle = WordField("handle", 4, 0, 64, "Handle of the receive or of the message.")
  val address = WordField("address", 5, 0, 64, "Buffer of a receive, place of a message.")
  val receiveId = WordField("receive_id", 7, 0, 32, "Id of a receive.")

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
