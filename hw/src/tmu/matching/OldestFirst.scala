// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{log2Ceil, Cat}

/** Selection by age, where bit 0 is the oldest: pure functions, built as balanced trees. */
object OldestFirst {

  /** Bit i: some bit at or below i is set. log2(width) levels. */
  def atOrBelow(x: UInt): UInt = {
    val width = x.getWidth
    (0 until log2Ceil(width)).foldLeft(x)((y, k) => (y | (y << (1 << k)))(width - 1, 0))
  }

  /** The oldest set bit alone (R3, R4). */
  def first(x: UInt): UInt =
    if (x.getWidth == 1) x else x & ~Cat(atOrBelow(x)(x.getWidth - 2, 0), 0.U(1.W))

  /** Bit i: every bit above i is set; so the youngest hole is at or below i. */
  def allAbove(x: UInt): UInt = {
    val width = x.getWidth
    val shifted = if (width == 1) 1.U(1.W) else Cat(1.U(1.W), x(width - 1, 1))
    (0 until log2Ceil(width)).foldLeft(shifted) { (y, k) =>
      val step = 1 << k
      if (step >= width) y else y & Cat(((BigInt(1) << step) - 1).U(step.W), y(width - 1, step))
    }
  }

  /** Two bits or more are set. */
  def atLeastTwo(x: UInt): Bool = {
    // Any, and two, of each half.
    def count(bits: Seq[Bool]): (Bool, Bool) =
      if (bits.size == 1) (bits.head, false.B)
      else {
        val (low, high) = bits.splitAt(bits.size / 2)
        val (lowAny, lowTwo) = count(low)
        val (highAny, highTwo) = count(high)
        (lowAny || highAny, lowTwo || highTwo || (lowAny && highAny))
      }
    count(x.asBools)._2
  }

  /** Value of the oldest choice; 0 when there is none. */
  def select(hits: UInt, values: Seq[UInt]): UInt = {
    val oldest = first(hits)
    values.zipWithIndex
      .map { case (value, i) => Mux(oldest(i), value, 0.U) }
      .reduce(_ | _)
  }
}
