// SPDX-License-Identifier: Apache-2.0
package tmu.params

import chisel3.util.{isPow2, log2Ceil}
import tmu.contract.SpillLayout

/** One configuration of the unit: the only parameter object there is, passed by hand to each
  * module.
  *
  * Widths are those that the hardware keeps. The command and completion formats have the full
  * widths of the contract; a configuration with narrower ones answers a command that uses more bits
  * as malformed.
  *
  * @param name
  *   preset name, lower case
  * @param endpoints
  *   pairs of queues; endpoint numbers are 0 until endpoints
  * @param postedEntries
  *   posted receives on chip, over all endpoints together
  * @param unexpectedEntries
  *   unexpected messages on chip, over all endpoints together
  * @param arrayEntries
  *   of each queue, the oldest entries, which exact lanes hold: searched at one operation a clock
  * @param lanes
  *   lanes of a row: what one clock settles; a search walks arrayEntries / lanes rows
  * @param filterLanes
  *   lanes of a memory row of filter ids, which hold the younger entries: read in one clock
  * @param filterBits
  *   bits of a filter id: 8, 16 or 32
  * @param matchBits
  *   match bits kept per entry (MPI: context and tag)
  * @param sourceBits
  *   source bits kept per entry
  * @param handleBits
  *   caller's handle
  * @param addressBits
  *   buffer address or place of a message
  * @param lengthBits
  *   buffer or message length, bytes
  * @param idBits
  *   driver's receive id; the value with all bits set means none
  * @param queues
  *   submission queues: doorbell pages without privilege
  * @param commandSlots
  *   commands that wait on chip before the matching unit, shared out among the pages
  * @param spillSegments
  *   segments of memory that the unit can take for queues that outgrow the tables; none, and full
  *   tables refuse
  * @param parity
  *   stored words have a parity bit, and what depends on a flipped one is not answered
  * @param reserve
  *   an endpoint can have places of the tables that others do not fill
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
    matchBits: Int = 64,
    sourceBits: Int = 32,
    handleBits: Int = 64,
    addressBits: Int = 64,
    lengthBits: Int = 48,
    idBits: Int = 20,
    queues: Int = 64,
    commandSlots: Int = 512,
    spillSegments: Int = 4,
    parity: Boolean = true,
    reserve: Boolean = true
) {

  /** Queues that outgrow the tables go on in memory. */
  def hasSpill: Boolean = spillSegments > 0

  private def pow2(what: String, value: Int, low: Int, high: Int): Unit =
    require(
      isPow2(value) && value >= low && value <= high,
      s"preset $name: $what is $value; it must be a power of two from $low to $high"
    )
  private def within(what: String, value: Int, low: Int, high: Int): Unit =
    require(
      value >= low && value <= high,
      s"preset $name: $what is $value; it must lie between $low and $high"
    )

  require(
    name.matches("[a-z][a-z0-9]*"),
    s"preset name '$name' must be lower-case letters and digits"
  )
  pow2("endpoints", endpoints, 2, 4096)
  pow2("lanes", lanes, 2, 256)
  pow2("arrayEntries", arrayEntries, lanes, 1 << 12)
  pow2("postedEntries", postedEntries, arrayEntries, 1 << 20)
  pow2("unexpectedEntries", unexpectedEntries, arrayEntries, 1 << 20)
  require(
    (postedEntries > arrayEntries) == (unexpectedEntries > arrayEntries),
    s"preset $name: postedEntries is $postedEntries and unexpectedEntries $unexpectedEntries; " +
      s"both or neither must be more than arrayEntries, $arrayEntries"
  )
  pow2("filterLanes", filterLanes, 2, 1024)
  require(
    Set(8, 16, 32)(filterBits),
    s"preset $name: filterBits is $filterBits; it must be 8, 16 or 32"
  )
  within("matchBits", matchBits, 2, 64)
  within("sourceBits", sourceBits, 1, 32)
  within("handleBits", handleBits, 1, 64)
  within("addressBits", addressBits, 1, 64)
  within("lengthBits", lengthBits, 1, 48)
  within("idBits", idBits, 2, 31)
  within("queues", queues, 2, 4096)
  pow2("commandSlots", commandSlots, 4, 1 << 15)
  require(
    spillSegments == 0 || (isPow2(spillSegments) && spillSegments <= 128),
    s"preset $name: spillSegments is $spillSegments; it must be 0 or a power of two from 1 to 128"
  )

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

  /** Segments that have been lent, from none to all. */
  val segmentBits: Int = math.max(1, log2Ceil(spillSegments + 1))

  /** Chunks of memory that can be lent, and entries of one queue in them: both included. Without
    * any the ports are as wide as with one segment.
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
