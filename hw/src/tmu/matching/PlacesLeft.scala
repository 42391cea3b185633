// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.Mux1H

/** What was decided at an endpoint between its read and its own decision, of one of its queues.
  *
  * @param appended
  *   entries that joined, but for the last clock's, known a clock before the decision
  * @param left
  *   and that left
  * @param more
  *   one joined in the last clock, known at the decision
  * @param fewer
  *   and one left
  */
class QueueSteps(val appended: UInt, val left: UInt, val more: Bool, val fewer: Bool)

/** How many places a limit leaves a queue at its decision, two clocks after limit and depth: most
  * of it is cut to a few bits a clock ahead, for the last steps come late.
  */
class PlacesLeft(limit: UInt, depth: UInt, steps: QueueSteps) {
  private val free = RegNext(limit.zext - depth.zext)
  private val now = free - steps.appended.zext + steps.left.zext

  // So few steps do not count where there is a lot, and where there is little they do in a few bits.
  require(steps.appended.getWidth <= 2 && steps.left.getWidth <= 2, "more than three steps a queue")
  private val upper = free.asUInt >> 3
  private val little = upper.andR || !upper.orR
  private val small = free(3, 0).asSInt -& steps.appended.zext +& steps.left.zext
  private val cut = Mux(small > 2.S, 2.S, Mux(small < -2.S, -2.S, small))
  private val few = RegNext(
    Mux(little, cut(2, 0).asSInt, Mux(upper.head(1).asBool, -2.S(3.W), 2.S(3.W)))
  )

  /** All of them, less than none if the limit was lowered. */
  val exact: SInt = RegNext(now) - steps.more.zext + steps.fewer.zext

  /** Whether there is a place, were there `extra` more: 0 or 1. */
  def any(extra: Int): Bool = Mux1H(
    Seq(
      (steps.more && !steps.fewer) -> (few > (1 - extra).S),
      (steps.more === steps.fewer) -> (few > (0 - extra).S),
      (!steps.more && steps.fewer) -> (few > (-1 - extra).S)
    )
  )
}
