// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3.util.log2Ceil
import tmu.DeviceSpec
import tmu.layout.{CommandLayout, KeyLayout, SpillEntryLayout, WordField}
import tmu.params.{SpillLayout, SpillParams, TmuParams}

/** Common setup of specs of the parts that keep queues in memory: a small unit, plain entries. */
trait SpillSpec extends DeviceSpec {
  protected def segments: Int = 2
  protected val p: TmuParams = TmuParams(
    "spill",
    4,
    8,
    8,
    8,
    2,
    contextBits = 6,
    tagBits = 6,
    sourceBits = 4,
    handleBits = 16,
    addressBits = 16,
    lengthBits = 8,
    idBits = 8,
    queues = 2,
    commandSlots = 8,
    spillSegments = segments
  )
  protected val s: SpillParams = SpillParams(p)
  protected val chunkSlots: Int = SpillLayout.entries

  /** An entry as it lies in memory. */
  protected case class Plain(endpoint: Int, bits: Int, source: Int, id: Int, handle: Int)

  /** Fields side by side, the first in the highest bits. */
  private def pack(fields: (Int, Int)*): BigInt = fields.foldLeft(BigInt(0)) {
    case (all, (width, value)) => (all << width) | value
  }
  protected def beat(e: Plain, chunk: Int, slot: Int): BigInt = {
    val body = Seq(
      SpillEntryLayout.endpoint -> e.endpoint,
      SpillEntryLayout.receiveId -> e.id,
      SpillEntryLayout.handle -> e.handle,
      KeyLayout.matchBits.value -> e.bits,
      KeyLayout.source.value -> e.source
    ).map { case (field, value) => BigInt(value) << lowest(field) }.sum
    val ones = body.bitCount + BigInt(chunk).bitCount + BigInt(slot).bitCount
    (BigInt(ones % 2) << lowest(SpillEntryLayout.parity)) | body
  }

  /** Bit of a beat where a field begins. */
  protected def lowest(field: WordField): Int = 64 * field.word + field.low

  /** Bits of a beat that the small unit keeps. */
  protected val kept: Seq[Int] = Seq(
    SpillEntryLayout.parity -> 1,
    SpillEntryLayout.endpoint -> log2Ceil(p.endpoints),
    KeyLayout.matchBits.value -> p.matchBits,
    KeyLayout.matchBits.ignore -> p.matchBits,
    KeyLayout.source.value -> p.sourceBits,
    KeyLayout.source.ignore -> p.sourceBits,
    SpillEntryLayout.handle -> p.handleBits,
    SpillEntryLayout.address -> p.addressBits,
    CommandLayout.length -> p.lengthBits,
    SpillEntryLayout.receiveId -> p.idBits
  ).flatMap { case (field, width) => (0 until width).map(lowest(field) + _) }

  /** Its word. So few bits of the key are in it that many words say yes wrongly. */
  protected def word(e: Plain): BigInt = {
    val bits = bareWord(e)
    (bits << 1) | (bits.bitCount % 2)
  }

  /** A word as it is written: in every slot of a beat. */
  protected def everywhere(word: BigInt): BigInt =
    (0 until SpillLayout.wordsPerBeat).map(i => word << (8 * SpillLayout.wordBytes * i)).sum

  private def bareWord(e: Plain): BigInt = pack(
    s.idBits -> (e.id & ((1 << s.idBits) - 1)),
    s.pieces(0) -> 0,
    s.pieces(1) -> (e.bits & 3),
    s.pieces(2) -> 0,
    3 -> 0
  )
}
