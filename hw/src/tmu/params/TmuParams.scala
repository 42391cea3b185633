// SPDX-License-Identifier: Apache-2.0
package tmu.params

import chisel3.util.log2Ceil

/** One configuration of the unit: the only parameter object there is, passed by hand to each
  * module.
  *
  * Widths are those that the hardware keeps. The command and completion formats have the full
  * widths of the contract; a configuration with narrower ones answers a command that uses more bits
  * as malformed.
  *
  * `Parameters` says what each one means and which values it can have.
  *
  * @param name
  *   lower-case letters and digits
  */
case class TmuParams(
    name: String,
    endpoints: Int,
    postedEntries: Int,
    unexpectedEntries: Int,
    arrayEntries: Int,
    lanes: Int,
    filterLanes: Int = 8,
    filterBits: Int = 32,
    contextBits: Int = 32,
    tagBits: Int = 32,
    sourceBits: Int = 32,
    handleBits: Int = 64,
    addressBits: Int = 64,
    lengthBits: Int = 48,
    idBits: Int = 20,
    queues: Int = 64,
    commandSlots: Int = 512,
    spillSegments: Int = 4,
    parity: Boolean = true,
    reserve: Boolean = true,
    pdcs: Int = 0,
    messages: Int = 0,
    wireNames: Int = 256,
    sendPdcs: Int = 0,
    sends: Int = 32,
    peers: Int = 256,
    memories: Int = 256
) {

  /** A card around the unit. */
  def hasNetwork: Boolean = pdcs > 0

  /** A card that sends. */
  def hasSend: Boolean = sendPdcs > 0

  /** Queues that outgrow the tables go on in memory. */
  def hasSpill: Boolean = spillSegments > 0

  /** The unit without its network side: `TmuTop`, a product of its own. */
  def unit: TmuParams = copy(pdcs = 0, messages = 0, sendPdcs = 0)

  /** The card: `TmuCard`, which takes no memory for its queues yet. */
  def card: TmuParams = {
    require(hasNetwork, s"preset $name has no network side: pdcs is 0")
    copy(spillSegments = 0)
  }

  /** Every parameter but the name, as a number: a flag is 1 or 0. */
  def values: Map[String, Int] =
    productElementNames
      .zip(productIterator)
      .drop(1)
      .map {
        case (field, set: Boolean) => field -> (if (set) 1 else 0)
        case (field, value)        => field -> value.asInstanceOf[Int]
      }
      .toMap

  require(
    name.matches("[a-z][a-z0-9]*"),
    s"preset name '$name' must be lower-case letters and digits"
  )
  Parameters.complaint(values).foreach(text => require(false, s"preset $name: $text"))

  /** Match bits kept per entry: the context above the tag (MPI). */
  val matchBits: Int = contextBits + tagBits

  /** Entries beyond the arrays are kept in memory rows. */
  val hasFilter: Boolean = postedEntries > arrayEntries

  /** Doorbell pages: one per submission queue and, last, the privileged one. */
  val pages: Int = queues + 1
  val privilegedPage: Int = queues
  val pageBits: Int = log2Ceil(pages)
  val endpointBits: Int = log2Ceil(endpoints)
  val slotBits: Int = log2Ceil(commandSlots)

  /** Depth counters count from 0 to the number of entries, both included. */
  val depthBits: Int = log2Ceil(math.max(postedEntries, unexpectedEntries) + 1)

  /** Segments that have been registered, from none to all. */
  val segmentBits: Int = math.max(1, log2Ceil(spillSegments + 1))

  /** Chunks of memory that can be registered, and entries of one queue in them: both included.
    * Without any the ports are as wide as with one segment.
    */
  val spillChunks: Int = math.max(1, spillSegments) * SpillLayout.chunksPerSegment
  val spilledBits: Int = log2Ceil(spillChunks * SpillLayout.entries + 1)

  /** Quotas count what an endpoint has on chip and in memory. */
  val quotaMost: Int = 1 << 20
  val quotaBits: Int = log2Ceil(quotaMost + 1)

  /** Receive id that names no receive. */
  val idNone: BigInt = (BigInt(1) << idBits) - 1

  /** Byte address bits of the doorbell aperture. */
  val doorbellAddressBits: Int = log2Ceil(pages) + 12
}

object TmuParams {

  /** Commands of a page's turn at most: enough that one page alone keeps the unit busy. */
  val turnCommands: Int = 8

  /** A configuration of one's own, `BASE:NAME=VALUE,...`: a preset with other values. */
  def own(text: String): TmuParams = {
    val (base, rest) = text.span(_ != ':')
    val preset = Presets.byName(base)
    val changed = rest
      .drop(1)
      .split(',')
      .filter(_.nonEmpty)
      .map { word =>
        val (key, value) = word.span(_ != '=')
        require(preset.values.contains(key), s"configuration '$text': there is no parameter '$key'")
        key -> value.drop(1).toInt
      }
      .toMap
    val values = preset.productElementNames.zip(preset.productIterator).map {
      case ("name", _)           => "own"
      case (field, old: Boolean) => Boolean.box(changed.get(field).fold(old)(_ != 0))
      case (field, old)          => Int.box(changed.getOrElse(field, old.asInstanceOf[Int]))
    }
    val make = classOf[TmuParams].getConstructors.head
    try make.newInstance(values.toSeq: _*).asInstanceOf[TmuParams]
    catch { case error: java.lang.reflect.InvocationTargetException => throw error.getCause }
  }
}
