// SPDX-License-Identifier: Apache-2.0
package tmu.layout

/** Bytes of an entry in memory: those of a command that would queue it, where both have them. */
object SpillEntryLayout {
  import CommandLayout.length

  val parity = WordField(
    name = "parity",
    word = 0,
    low = 0,
    width = 1,
    text = "Makes the ones of the entry even, with those of its chunk's number and of its slot's."
  )
  val endpoint: WordField = CommandLayout.endpoint.copy(text = "Endpoint that it is queued at.")
  val handle: WordField =
    CommandLayout.handle.copy(text = "Handle of the receive or of the message.")
  val address: WordField =
    CommandLayout.address.copy(text = "Buffer of a receive, address of a message.")
  val receiveId: WordField = CommandLayout.receiveId.copy(text = "Id of a receive.")

  val layout: Layout = Layout(
    name = "spill_entry",
    fields = Seq(
      parity,
      endpoint
    ) ++ KeyLayout.fields ++ Seq(
      handle,
      address,
      length,
      receiveId
    )
  )
}
