// SPDX-License-Identifier: Apache-2.0
package tmu.params

/** Layout of queues in memory: segments of chunks, a chunk an array of entries of one queue.
  *
  * A chunk begins with a word per entry, by which a search picks candidates; the entries follow. So
  * a search reads little, in one burst a chunk.
  */
object SpillLayout {
  val beatBytes: Int = 64
  val chunkBytes: Int = 4096
  val segmentBytes: Int = 2 << 20
  val chunksPerSegment: Int = segmentBytes / chunkBytes

  /** Bytes of the word that stands for an entry, and beats of these at the start of a chunk. */
  val wordBytes: Int = 4
  val wordBeats: Int = 4
  val wordsPerBeat: Int = beatBytes / wordBytes

  /** Entries of a chunk, a beat each. */
  val entries: Int = chunkBytes / beatBytes - wordBeats
}
