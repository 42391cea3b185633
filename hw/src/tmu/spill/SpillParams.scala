// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3.util.log2Ceil
import tmu.contract.SpillLayout
import tmu.matching.TableParams
import tmu.params.TmuParams

/** Sizes of what keeps queues in memory; they follow from a preset. */
case class SpillParams(p: TmuParams) {
  val chunks: Int = p.spillChunks
  val chunkBits: Int = log2Ceil(chunks)
  val freeBits: Int = log2Ceil(chunks + 1)
  val placeBits: Int = log2Ceil(SpillLayout.entries)

  /** Entries of one queue in memory. */
  val countBits: Int = p.spilledBits

  /** A list for each endpoint and queue. */
  val lists: Int = 2 * p.endpoints
  val listBits: Int = p.endpointBits + 1

  /** Commands that wait for memory. The unit takes no more when all that are inside could not be
    * deferred; long before that, pages whose commands would only wait get no turn.
    */
  val deferred: Int = 4 * TableParams.posted(p).inFlight
  val full: Int = deferred - TableParams.posted(p).inFlight - 4
  val crowded: Int = deferred / 4

  /** Bursts of words that a search reads ahead at most, and entries that it verifies at a time. */
  val bursts: Int = 64
  val verifies: Int = 16

  /** Chunks whose words lie on chip as well, those begun or read last; none in a unit that is lent
    * one segment at most, for it is one on a small device. And chunks whose entries do, those begun
    * last.
    */
  val cachedChunks: Int = if (p.spillSegments == 1) 0 else math.max(8, math.min(512, chunks / 64))
  val recentChunks: Int = math.max(4, math.min(8, chunks / 4096))

  /** Entries that are moved to the tables at a time. */
  val batch: Int = 32

  /** Free places of a table that make a refill worth it. */
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
}
