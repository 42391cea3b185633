// SPDX-License-Identifier: Apache-2.0
package tmu.params

import chisel3.util.log2Ceil

/** Sizes of what keeps queues in memory; they follow from a preset. */
case class SpillParams(p: TmuParams) {
  val chunks: Int = p.spillChunks
  val chunkBits: Int = log2Ceil(chunks)
  val freeBits: Int = log2Ceil(chunks + 1)
  val slotBits: Int = log2Ceil(SpillLayout.entries)

  /** Entries of one queue in memory. */
  val countBits: Int = p.spilledBits

  /** A list for each endpoint and queue. */
  val lists: Int = 2 * p.endpoints
  val listBits: Int = p.endpointBits + 1

  /** Commands that have had their turn and may not have been decided yet: those of the turns at
    * hand and of those given, all inside the unit, and all messages of a network.
    */
  private val underWay: Int =
    4 * TmuParams.turnCommands + TableParams.posted(p).inFlight + 32 + p.messages

  /** Commands that wait for memory when pages with something there have their turns only once those
    * of the one before have ended; and when all pages have, one command at a time. From there on
    * come those under way and one of each page at most, and there are slots for all of them, so
    * that none of the unit's clocks ever wait for memory (R11, R13).
    */
  val crowded: Int = TableParams.posted(p).inFlight
  val deferred: Int =
    (1 << log2Ceil(p.pages + underWay + 4 * crowded + 1)) - 1
  val scarce: Int = deferred - p.pages - underWay

  /** Deferred commands of an endpoint are counted modulo more than twice as many as there can be.
    */
  val deferralBits: Int = log2Ceil(2 * deferred + 1)

  /** Bursts of words that a search reads ahead at most, and entries that it verifies at a time. */
  val bursts: Int = 64
  val verifies: Int = 16

  /** Chunks whose words lie on chip as well, those begun or read last; none in a unit that has one
    * segment at most, for it is one on a small device. And chunks whose entries do, those begun
    * last.
    */
  val cachedChunks: Int = if (p.spillSegments == 1) 0 else math.max(8, math.min(512, chunks / 64))
  val recentChunks: Int = math.max(4, math.min(8, chunks / 4096))

  /** Entries that are moved to the tables at a time. */
  val batch: Int = 32

  /** Free slots of a table that make a refill worth it. */
  def worth(entries: Int): Int = math.max(1, math.min(batch, entries / 8))

  /** A table with fewer entries has run low: refills come before commands then. */
  def low(entries: Int): Int = math.max(1, entries / 8)

  /** A word's filter id in pieces, and its share of a receive's id. Tags differ most, and a word
    * that wrongly says yes costs the read of an entry.
    */
  val pieces: Seq[Int] = Seq(7, 9, 7)
  val idBits: Int = math.min(p.idBits, 5)
}

object SpillParams {

  /** Clocks in which commands go on before they wait for refills again, and in which they wait at
    * least; as a power of two.
    */
  val restBits: Int = 8

  /** Clocks of others' commands that an endpoint stands aside for, before its turn to go back is
    * given up; as a power of two.
    */
  val patienceBits: Int = 10
}
