// SPDX-License-Identifier: Apache-2.0
package tmu.rules

import chisel3._
import chisel3.util.{log2Ceil, Cat}

/** Selection by age, where bit 0 is the oldest: pure functions, built as balanced trees. */
object OldestFirst {

  /** Wider words than that are looked at in groups of a quarter of it. */
  private val wide = 128

  /** Bit i: some bit at or below i is set. log2(width) levels. */
  def atOrBelow(x: UInt): UInt = {
    val width = x.getWidth
    (0 until log2Ceil(width)).foldLeft(x)((y, k) => (y | (y << (1 << k)))(width - 1, 0))
  }

  /** The oldest set bit alone (R3, R4). A wide word is looked at in groups: the oldest group that
    * has a bit, and meanwhile the oldest bit of each; one tree over all of it maps to more levels.
    */
  def first(x: UInt): UInt =
    if (x.getWidth == 1) x
    else if (x.getWidth > wide) {
      val groups = x.asBools.grouped(wide / 4).map(VecInit(_).asUInt).toSeq
      val oldest = first(VecInit(groups.map(_.orR)).asUInt)
      Cat(groups.zipWithIndex.map { case (g, i) => Mux(oldest(i), first(g), 0.U) }.reverse)
    } else x & ~Cat(atOrBelow(x)(x.getWidth - 2, 0), 0.U(1.W))

  /** Bit i: every bit above i is set; so the youngest hole is at or below i. */
  def allAbove(x: UInt): UInt = {
    val width = x.getWidth
    val shifted = if (width == 1) 1.U(1.W) else Cat(1.U(1.W), x(width - 1, 1))
    (0 until log2Ceil(width)).foldLeft(shifted) { (y, k) =>
      val step = 1 << k
      if (step >= width) y else y & Cat(((BigInt(1) << step) - 1).U(step.W), y(width - 1, step))
    }
  }

  /** One bit or more of a word made for it: a reduction, which stays a tree where a chain of ORs,
    * however grouped, is flattened in Verilog.
    */
  private def any(bits: Seq[Bool]): Bool = VecInit(bits).asUInt.orR

  /** Two bits or more are set: six of them, then three counts at a time, for LUTs of six inputs. */
  def atLeastTwo(x: UInt): Bool = {
    def two(bits: Seq[Bool]): Bool =
      any(false.B +: bits.combinations(2).map(_.reduce(_ && _)).toSeq)
    def merge(counts: Seq[(Bool, Bool)]): Bool =
      if (counts.size == 1) counts.head._2
      else
        merge(
          counts
            .grouped(3)
            .map(g => (any(g.map(_._1)), any(g.map(_._2) :+ two(g.map(_._1)))))
            .toSeq
        )
    merge(x.asBools.grouped(6).map(bits => (any(bits), two(bits))).toSeq)
  }

  /** Value of the oldest choice; 0 when there is none. */
  def select(hits: UInt, values: Seq[UInt]): UInt = {
    val oldest = first(hits)
    values.zipWithIndex
      .map { case (value, i) => Mux(oldest(i), value, 0.U) }
      .reduce(_ | _)
  }
}
