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
  *
  * @param unlimited
  *   there is no limit, known a clock after `limit`
  * @param none
  *   there is no place, whatever the limit says, known a clock after it
  */
class PlacesLeft(limit: UInt, depth: UInt, unlimited: Bool, none: Bool, steps: QueueSteps) {
  private val free = RegNext(limit.zext - depth.zext)
  private val now = free - steps.appended.zext + steps.left.zext

  // So few steps do not count where there is a lot, and where there is little they do in a few bits.
  require(steps.appended.getWidth <= 2 && steps.left.getWidth <= 2, "more than three steps a queue")
  private val upper = free.asUInt >> 3
  private val little = upper.andR || !upper.orR
  private val small = free(3, 0).asSInt -& steps.appended.zext +& steps.left.zext

  // Whether there are so many places, or no limit at all: what the last steps choose from.
  private def atLeast(most: Int): Bool =
    RegNext(!none && (unlimited || Mux(little, small >= most.S, !upper.head(1).asBool)))
  private val enough = Seq.tabulate(4)(most => atLeast(most - 1))

  /** All of them, less than none if the limit was lowered. */
  val exact: SInt = RegNext(now) - steps.more.zext + steps.fewer.zext

  /** Whether there is a place, were there `extra` more: 0 or 1. */
  def any(extra: Int): Bool = Mux1H(
    Seq(
      (steps.more && !steps.fewer) -> enough(3 - extra),
      (steps.more === steps.fewer) -> enough(2 - extra),
      (!steps.more && steps.fewer) -> enough(1 - extra)
    )
  )
}
