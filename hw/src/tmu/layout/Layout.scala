// SPDX-License-Identifier: Apache-2.0
package tmu.layout

import chisel3._
import chisel3.util.Cat

/** A field of a 64-byte record: `width` bits from bit `low` of little-endian 64-bit word `word`. */
case class WordField(name: String, word: Int, low: Int, width: Int, text: String) {
  require(word >= 0 && word < 8, s"field $name is in word $word; records have words 0 to 7")
  require(
    width >= 1 && low >= 0 && low + width <= 64,
    s"field $name takes bits $low to ${low + width - 1}; a word has bits 0 to 63"
  )

  /** This field of the record `bits`. */
  def of(bits: UInt): UInt = bits(word * 64 + low + width - 1, word * 64 + low)
}

/** A 64-byte record: fields that do not overlap (overlays are alternative meanings by status). */
case class Layout(name: String, fields: Seq[WordField], overlays: Seq[WordField] = Nil) {
  for {
    (a, i) <- fields.zipWithIndex
    b <- fields.drop(i + 1)
    if a.word == b.word
  } require(
    a.low + a.width <= b.low || b.low + b.width <= a.low,
    s"$name: ${a.name} and ${b.name} overlap in word ${a.word}"
  )

  /** Builds the record: each named field with its value, zero elsewhere. */
  def pack(values: (WordField, UInt)*): UInt = Cat((7 to 0 by -1).map { word =>
    val parts = values.filter(_._1.word == word).map { case (field, value) =>
      (value.pad(field.width)(field.width - 1, 0) << field.low).asUInt.pad(64)(63, 0)
    }
    parts.foldLeft(0.U(64.W))(_ | _)
  })
}

object Layout {

  /** Fields in the order of their bits, with those between them that must be 0. */
  def withZeros(fields: Seq[WordField]): Seq[WordField] = (0 until 8).flatMap { word =>
    val used = fields.filter(_.word == word).sortBy(_.low)
    val ends = 0 +: used.map(f => f.low + f.width)
    val gaps = ends.zip(used.map(_.low) :+ 64).filter { case (from, to) => from < to }
    val zeros = gaps.zipWithIndex.map { case ((from, to), i) =>
      val name = if (i == 0) s"reserved$word" else s"reserved${word}_$i"
      WordField(name = name, word = word, low = from, width = to - from, text = "Must be 0.")
    }
    (used ++ zeros).sortBy(_.low)
  }
}
