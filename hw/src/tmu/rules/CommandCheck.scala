// SPDX-License-Identifier: Apache-2.0
package tmu.rules

import chisel3._
import chisel3.util.DecoupledIO
import tmu.layout.{Opcodes, Statuses}
import tmu.params.TmuParams
import tmu.types.MatchCommand

/** Assertions on what the decoder says of a command. */
object CommandCheck {

  /** The matching unit relies on what the decoder says of a command. */
  def checkFlush(p: TmuParams, stream: DecoupledIO[MatchCommand]): Unit = assert(
    !stream.valid || stream.bits.flushes === MatchRules.flushes(p, stream.bits),
    "R14: a flush that is not taken for one, or the other way round"
  )

  /** The same of its early answer; what is injected has none. */
  def checkEarly(p: TmuParams, stream: DecoupledIO[MatchCommand]): Unit = {
    val (searches, status) = MatchRules.early(p, stream.bits, MatchRules.noId(p, stream.bits.id))
    val right = !stream.valid || stream.bits.spill.injected ||
      (stream.bits.searches === searches && (searches || stream.bits.status === status))
    // Whose memory is registered only a card knows (W8).
    def refused = searches && !stream.bits.searches &&
      MatchRules.is(stream.bits.opcode, Opcodes.post) &&
      MatchRules.is(stream.bits.status, Statuses.refusedMemory)
    assert(
      if (p.hasSend) right || refused else right,
      "R13: a command with the wrong early answer, %d",
      stream.bits.status
    )
  }
}
