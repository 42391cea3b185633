// SPDX-License-Identifier: Apache-2.0
package tmu.registers

import tmu.layout.Code

/** Stored words that are checked for flipped bits, by the number that registers name them by. */
object FaultStores {
  val postedLanes = Code(name = "posted_lanes", value = 1, text = "Lanes of the array of receives.")
  val unexpectedLanes =
    Code(name = "unexpected_lanes", value = 2, text = "Lanes of the array of messages.")
  val postedStore = Code(name = "posted_store", value = 3, text = "Whole receives.")
  val unexpectedStore = Code(name = "unexpected_store", value = 4, text = "Whole messages.")
  val postedSlots = Code(
    name = "posted_slots",
    value = 5,
    text = "Free slots for receives: one is lost, no answer."
  )
  val unexpectedSlots =
    Code(
      name = "unexpected_slots",
      value = 6,
      text = "Free slots for messages: one is lost, no answer."
    )
  val postedFilters =
    Code(name = "posted_filters", value = 7, text = "Filter ids of receives: made up for.")
  val unexpectedFilters =
    Code(name = "unexpected_filters", value = 8, text = "Filter ids of messages: made up for.")
  val postTallies =
    Code(name = "post_tallies", value = 9, text = "What posts have done at endpoints.")
  val arrivalTallies =
    Code(name = "arrival_tallies", value = 10, text = "What arrivals have done at endpoints.")
  val postedQuotas = Code(name = "posted_quotas", value = 11, text = "Quotas of receives.")
  val unexpectedQuotas = Code(name = "unexpected_quotas", value = 12, text = "Quotas of messages.")
  val marks = Code(name = "marks", value = 13, text = "Which endpoints have something in memory.")
  val chunkLinks =
    Code(name = "chunk_links", value = 14, text = "The chunk behind a chunk: memory has failed.")
  val chunkLives =
    Code(name = "chunk_lives", value = 15, text = "The live entries of a chunk: memory has failed.")
  val freeChunks =
    Code(name = "free_chunks", value = 16, text = "Free chunks: one is lost, no answer.")
  val lists =
    Code(name = "lists", value = 17, text = "Queues in memory, by endpoint: memory has failed.")
  val answered =
    Code(
      name = "answered",
      value = 18,
      text = "Commands that memory has answered, by endpoint: memory has failed."
    )
  val words =
    Code(name = "words", value = 19, text = "Words in memory that stand for entries: made up for.")
  val entries = Code(name = "entries", value = 20, text = "Entries in memory.")
  val wordTags =
    Code(
      name = "word_tags",
      value = 21,
      text = "Which chunks' words lie on chip: these are read from memory."
    )
  val all: Seq[Code] = Seq(
    postedLanes,
    unexpectedLanes,
    postedStore,
    unexpectedStore,
    postedSlots,
    unexpectedSlots,
    postedFilters,
    unexpectedFilters,
    postTallies,
    arrivalTallies,
    postedQuotas,
    unexpectedQuotas,
    marks,
    chunkLinks,
    chunkLives,
    freeChunks,
    lists,
    answered,
    words,
    entries,
    wordTags
  )

  /** Bits of a store's number, of a register with one for each store, and of a bit's number in a
    * word.
    */
  val storeBits: Int = 5
  val seenBits: Int = all.map(_.value).max + 1

  /** Bits of the first such register; interfaces before 2.7 had no other. */
  val firstBits: Int = 21
  val bitBits: Int = 10
}
