// SPDX-License-Identifier: Apache-2.0
package tmu.rules

import chisel3._
import chisel3.util.Cat
import tmu.types.{FilterId, FilterWindows, MatchKey}

/** Fuzzy match identifiers: pure functions.
  *
  * A piece is the remainder of its window's bits by a primitive polynomial. So keys that differ
  * only within a burst no longer than the piece never share it, wherever the burst lies: tags equal
  * modulo 256 or 65,536 are as different as any (a truncation would make them one). A piece that
  * either side ignores in part is not compared; so a filter may let a wrong entry through to be
  * verified, and never hides a right one.
  */
object FilterFold {

  /** Bits of the pieces of an id of 8, 16 or 32 bits: source, low, high. Where wildcards leave one
    * piece to compare, each has to do alone; so none is small.
    */
  def widths(bits: Int): Seq[Int] = {
    val third = bits / 3
    Seq(third, bits - 2 * third, third)
  }

  /** Primitive polynomials over GF(2) by degree, without the leading term. */
  private val polynomials: Map[Int, Int] =
    Map(2 -> 0x3, 4 -> 0x3, 5 -> 0x05, 6 -> 0x03, 7 -> 0x03, 9 -> 0x011, 10 -> 0x009, 12 -> 0x053)

  /** x to the power of each bit's number, modulo the polynomial of degree `width`. */
  private def powers(width: Int, bits: Int): Seq[Int] =
    Iterator
      .iterate(1) { x =>
        val shifted = x << 1
        val mask = (1 << width) - 1
        if ((shifted >> width) == 1) (shifted & mask) ^ polynomials(width) else shifted
      }
      .take(bits)
      .toSeq

  /** Remainder of `x` by the polynomial of degree `width`. */
  def fold(x: UInt, width: Int): UInt = {
    val of = powers(width, x.getWidth)
    VecInit
      .tabulate(width) { k =>
        val terms = x.asBools.zip(of).collect { case (bit, power) if (power >> k & 1) == 1 => bit }
        terms.foldLeft(false.B)(_ ^ _)
      }
      .asUInt
  }

  /** The id of a key with its ignored bits, in pieces of `w` bits. */
  def apply(w: Seq[Int], windows: FilterWindows, key: MatchKey, ignore: MatchKey): FilterId = {
    val id = Wire(new FilterId(w))
    id.source := fold(key.source & windows.source, w(0))
    id.low := fold(key.bits & windows.low, w(1))
    id.high := fold(key.bits & windows.high, w(2))
    id.wild := Cat(
      (ignore.bits & windows.high).orR,
      (ignore.bits & windows.low).orR,
      (ignore.source & windows.source).orR
    )
    id
  }

  /** Whether keys with these ids may match. */
  def mayMatch(a: FilterId, b: FilterId): Bool = {
    val wild = a.wild | b.wild
    (a.source === b.source || wild(0)) && (a.low === b.low || wild(1)) &&
    (a.high === b.high || wild(2))
  }
}
