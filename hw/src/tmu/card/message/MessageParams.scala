// SPDX-License-Identifier: Apache-2.0
package tmu.card.message

import chisel3.util.{isPow2, log2Ceil}

/** Sizes of the stage of messages.
  *
  * @param endpointBits
  *   of an endpoint of the unit
  * @param messages
  *   that are under way or unexpected at a time
  * @param contexts
  *   messages of several packets of which not all have come
  * @param names
  *   entries of each table of names
  * @param answers
  *   packets that wait for the unit's say to be answered
  */
case class MessageParams(
    endpointBits: Int = 4,
    messages: Int = 256,
    contexts: Int = 32,
    names: Int = 256,
    answers: Int = 31
) {
  require(isPow2(messages) && messages > 2 * MessageParams.ahead, s"found $messages messages")
  require(contexts > 2 * MessageParams.ahead, s"found $contexts contexts")
  val messageBits: Int = log2Ceil(messages)

  /** Numbers of messages that an endpoint has to itself (W5). */
  val kept: Int = math.min(16, messages / 8)
}

object MessageParams {

  /** Packets that the table of connections may still give after this stage has said that it has no
    * room: in its queue, being decided, and for the clock in which that is seen.
    */
  val ahead: Int = 6
}
