// SPDX-License-Identifier: Apache-2.0
package tmu.card.placement

import chisel3.util.{isPow2, log2Ceil}

/** Sizes of the path from payload to host memory; a proof takes small ones.
  *
  * @param bytes
  *   of a beat, of the payload and of host memory
  * @param page
  *   no burst crosses a multiple of it
  * @param lengthBits
  *   of the length of a message, and of an offset in it
  * @param packetBits
  *   of the length of a packet
  * @param messages
  *   that are under way at a time at most
  * @param outstanding
  *   bursts that host memory has not answered, at most
  * @param beats
  *   of payload that wait for their destination; with what the parser holds, more than a packet has
  * @param orders
  *   packets that wait
  * @param queued
  *   beats that wait for the memory port
  */
case class PlacementParams(
    bytes: Int = 64,
    page: Int = 4096,
    addressBits: Int = 64,
    lengthBits: Int = 32,
    packetBits: Int = 16,
    messages: Int = 256,
    outstanding: Int = 63,
    beats: Int = 1023,
    orders: Int = 63,
    queued: Int = 15
) {
  require(isPow2(bytes) && isPow2(page) && bytes >= 2 && page > bytes, s"$bytes bytes, page $page")
  require(page / bytes <= 256, s"bursts of ${page / bytes} beats; AXI4 has at most 256")
  require(packetBits <= lengthBits && lengthBits <= addressBits, "a packet is part of a message")
  require(messages >= 2, s"$messages messages")
  require(
    queued > PlacementParams.unseen,
    s"$queued beats wait; more than ${PlacementParams.unseen}"
  )

  val dataBits: Int = 8 * bytes
  val byteBits: Int = log2Ceil(bytes)
  val messageBits: Int = log2Ceil(messages)

  /** A count of the beats of a packet's payload; one more of those that it touches in memory. */
  val beatBits: Int = packetBits - byteBits + 1
  val burstBits: Int = log2Ceil(page / bytes)
}

object PlacementParams {

  /** Steps that may be made while the count of what waits for memory does not show them: two clocks
    * in the shifter, one until the count is looked at, and the one of now.
    */
  val unseen: Int = 4

  /** For proofs: beats of four bytes, bursts of up to four of them. */
  val small: PlacementParams = PlacementParams(
    bytes = 4,
    page = 16,
    addressBits = 7,
    lengthBits = 5,
    packetBits = 4,
    messages = 2,
    outstanding = 3,
    beats = 3,
    orders = 2,
    queued = 5
  )
}
