// SPDX-License-Identifier: Apache-2.0
package tmu.matching.endpoints

import chisel3._
import chisel3.util.{Cat, Mux1H}

/** Steps of one queue of an endpoint, decided between an operation's read and its own decision.
  *
  * @param cameEarlier
  *   of each clock but the last two, whether an entry joined; known two clocks before the decision
  * @param wentEarlier
  *   and whether one left
  * @param came
  *   one joined in the last clock but one, known a clock before the decision
  * @param went
  *   and one left
  * @param more
  *   one joined in the last clock, known at the decision
  * @param fewer
  *   and one left
  */
class QueueSteps(
    val cameEarlier: Seq[Bool],
    val wentEarlier: Seq[Bool],
    val came: Bool,
    val went: Bool,
    val more: Bool,
    val fewer: Bool
)

/** Entries that a limit still allows a queue at its decision, two clocks after limit and depth:
  * most of it is cut to a few bits a clock ahead, for the last steps come late.
  *
  * @param unlimited
  *   there is no limit, known a clock after `limit`
  * @param none
  *   there is no room, whatever the limit says, known a clock after it; None if that cannot be
  */
class RoomLeft(limit: UInt, depth: UInt, unlimited: Bool, none: Option[Bool], steps: QueueSteps) {
  private val free = RegNext(limit.zext - depth.zext)
  private val change = RegNext(RoomLeft.change(steps.cameEarlier, steps.wentEarlier))
  private val now = free - change - steps.came.zext + steps.went.zext

  // So few steps do not count where there is a lot, and where there is little they do in a few bits.
  private val upper = free.asUInt >> 3
  private val little = upper.andR || !upper.orR

  // Whether there is room for so many, from less than none on, or no limit at all: what the steps of
  // the last clock but one choose from, and then those of the last.
  private val before = Seq.tabulate(6) { i =>
    Mux(little, RoomLeft.isLeft(free(3, 0), change, i - 2), !upper.head(1).asBool)
  }
  private val enough = before
    .sliding(3)
    .map(near => unlimited || RoomLeft.choose(steps.came, steps.went, near))
    .map(any => RegNext(none.fold(any)(any && !_)))
    .toSeq

  /** All of them, less than none if the limit was lowered. */
  val exact: SInt = RegNext(now) - steps.more.zext + steps.fewer.zext

  /** Whether there is room, were there `extra` more: 0 or 1. */
  def any(extra: Int): Bool =
    RoomLeft.choose(steps.more, steps.fewer, enough.slice(1 - extra, 4 - extra))
}

/** Sums of a few bits, written down as tables: an adder and a comparison take twice as long. */
object RoomLeft {

  /** Arrivals less departures: 3 bits, from two clocks. */
  def change(came: Seq[Bool], went: Seq[Bool]): SInt = {
    require(came.size == 2 && went.size == 2, "steps of two clocks")
    val table =
      VecInit.tabulate(16)(i => (Integer.bitCount(i & 3) - Integer.bitCount(i >> 2)).S(3.W))
    table(Cat(went ++ came))
  }

  /** Whether `free`, 4 bits with a sign, less `change`, 3 bits, is `most` or more. */
  def isLeft(free: UInt, change: SInt, most: Int): Bool = {
    def signed(bits: Int, width: Int) = bits - (bits >> (width - 1) << width)
    val table = VecInit.tabulate(128)(i => (signed(i >> 3, 4) - signed(i & 7, 3) >= most).B)
    table(Cat(free, change.asUInt))
  }

  /** Of three neighbours, by what joined and what left. */
  def choose(more: Bool, fewer: Bool, near: Seq[Bool]): Bool = Mux1H(
    Seq((more && !fewer) -> near(2), (more === fewer) -> near(1), (!more && fewer) -> near(0))
  )
}
