// SPDX-License-Identifier: Apache-2.0
package tmu.rules

import chisel3._
import chisel3.util.DecoupledIO
import tmu.params.TmuParams
import tmu.types.MatchCommand

/** Assertions on what the decoder says of a command. */
object CommandCheck {

  /** The matching unit relies on what the decoder says of a command. */
  def checkFlush(p: TmuParams, way: DecoupledIO[MatchCommand]): Unit = assert(
    !way.valid || way.bits.flushes === MatchRules.flushes(p, way.bits),
    "R14: a flush that is not taken for one, or the other way round"
  )

  /** The same of its early answer; what is injected has none. */
  def checkEarly(p: TmuParams, way: DecoupledIO[MatchCommand]): Unit = {
    val (searches, status) = MatchRules.early(p, way.bits, MatchRules.noId(p, way.bits.id))
    assert(
      !way.valid || way.bits.spill.injected ||
        (way.bits.searches === searches && (searches || way.bits.status === status)),
      "R13: a command with the wrong early answer, %d",
      way.bits.status
    )
  }
}
