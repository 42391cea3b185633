// SPDX-License-Identifier: Apache-2.0
package tmu.registers

import tmu.layout.Code

/** Where stored words are checked for flipped bits, by the number that registers name them by. */
object FaultPlaces {
  val postedLanes = Code("posted_lanes", 1, "Lanes of the array of receives.")
  val unexpectedLanes = Code("unexpected_lanes", 2, "Lanes of the array of messages.")
  val postedStore = Code("posted_store", 3, "Whole receives.")
  val unexpectedStore = Code("unexpected_store", 4, "Whole messages.")
  val postedSlots = Code("posted_slots", 5, "Free slots for receives: one is lost, no answer.")
  val unexpectedSlots =
    Code("unexpected_slots", 6, "Free slots for messages: one is lost, no answer.")
  val postedFilters = Code("posted_filters", 7, "Filter ids of receives: made up for.")
  val unexpectedFilters = Code("unexpected_filters", 8, "Filter ids of messages: made up for.")
  val postTallies = Code("post_tallies", 9, "What posts have done at endpoints.")
  val arrivalTallies = Code("arrival_tallies", 10, "What arrivals have done at endpoints.")
  val postedQuotas = Code("posted_quotas", 11, "Quotas of receives.")
  val unexpectedQuotas = Code("unexpected_quotas", 12, "Quotas of messages.")
  val marks = Code("marks", 13, "Which endpoints have something in memory.")
  val chunkLinks = Code("chunk_links", 14, "The chunk behind a chunk: memory has failed.")
  val chunkLives = Code("chunk_lives", 15, "The live entries of a chunk: memory has failed.")
  val freeChunks = Code("free_chunks", 16, "Free chunks: one is lost, no answer.")
  val lists = Code("lists", 17, "Queues in memory, by endpoint: memory has failed.")
  val answered =
    Code("answered", 18, "Commands that memory has answered, by endpoint: memory has failed.")
  val words = Code("words", 19, "Words in memory that stand for entries: made up for.")
  val entries = Code("entries", 20, "Entries in memory.")
  val wordTags =
    Code("word_tags", 21, "Which chunks' words lie on chip: these are read from memory.")
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

  /** Bits of a place's number, of a register with one for each place, and of a bit's number in a
    * word.
    */
  val placeBits: Int = 5
  val seenBits: Int = all.map(_.value).max + 1

  /** Bits of the first such register; interfaces before 2.7 had no other. */
  val firstBits: Int = 21
  val bitBits: Int = 10
}
