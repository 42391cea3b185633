// SPDX-License-Identifier: Apache-2.0
package tmu.card.initiator

import chisel3.util.{isPow2, log2Ceil}

/** Sizes of the sending side.
  *
  * @param connections
  *   that this card opens, at a time: one for each address and job that it sends to
  * @param window
  *   packets of a connection that are sent and have no answer
  * @param messages
  *   that are on their way out, all connections together
  * @param clocks
  *   of a microsecond
  */
case class InitiatorParams(
    connections: Int = 8,
    window: Int = 64,
    messages: Int = 32,
    clocks: Int = 250
) {
  require(
    isPow2(connections) && connections >= 2 && connections <= 256,
    s"found $connections sending connections; a power of two from 2 to 256 is needed"
  )
  require(
    isPow2(window) && window >= 4 && window <= 2048,
    s"found a window of $window; a power of two from 4 to 2048 is needed"
  )
  require(
    isPow2(messages) && messages >= 2 && messages <= 4096,
    s"found $messages messages; a power of two from 2 to 4096 is needed"
  )
  require(clocks >= 2, s"found $clocks clocks of a microsecond; at least 2 are needed")
  val connectionBits: Int = log2Ceil(connections)
  val windowBits: Int = log2Ceil(window)
  val messageBits: Int = log2Ceil(messages)

  /** The rest of a PDCID counts how often its entry was used; never 0, so no PDCID is. */
  val generationBits: Int = 16 - connectionBits

  /** The rest of a message id counts messages; never 0, so no id is. */
  val roundBits: Int = 16 - messageBits
}

object InitiatorParams {

  /** Longest time before a packet is sent again, in microseconds, and the most doublings to it. */
  val longestWait: Int = 4000000
  val waitBits: Int = 22
  val doublings: Int = 14
  require(longestWait < (1 << waitBits))

  /** For proofs. */
  val small: InitiatorParams = InitiatorParams(connections = 2, window = 4, messages = 2)
}
