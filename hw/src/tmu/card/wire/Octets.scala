// SPDX-License-Identifier: Apache-2.0
package tmu.card.wire

import chisel3._
import chisel3.util.Cat

/** A field of a header: big-endian, `width` bits from bit `skip` of byte `byte`, where bit 0 is the
  * most significant one. It may begin and end inside a byte.
  */
case class Field(byte: Int, skip: Int, width: Int) {
  require(skip >= 0 && skip < 8 && width > 0, s"field at byte $byte: skip $skip, width $width")

  /** The byte behind the field's last one. */
  val end: Int = byte + (skip + width + 7) / 8
}

object Field {

  /** A field of whole bytes. */
  def apply(byte: Int, width: Int): Field = Field(byte = byte, skip = 0, width = width)
}

/** Bytes in the order of the wire: byte 0, the first, in the lowest bits, as in AXI4-Stream. */
class Octets(data: UInt) {
  val count: Int = data.getWidth / 8

  def apply(byte: Int): UInt = data(8 * byte + 7, 8 * byte)

  def apply(field: Field): UInt = {
    val spare = 8 * (field.end - field.byte) - field.skip - field.width
    Cat((field.byte until field.end).map(apply))(spare + field.width - 1, spare)
  }

  /** The bytes from `byte` on. */
  def from(byte: Int): Octets = new Octets(data(data.getWidth - 1, 8 * byte))
}

object Octets {

  /** Header bytes from fields that do not overlap, byte 0 in the lowest bits; zero elsewhere. */
  def build(bytes: Int, values: (Field, UInt)*): UInt = {
    val fields = values.map(_._1)
    for ((a, i) <- fields.zipWithIndex; b <- fields.drop(i + 1))
      require(
        8 * a.byte + a.skip + a.width <= 8 * b.byte + b.skip ||
          8 * b.byte + b.skip + b.width <= 8 * a.byte + a.skip,
        s"$a and $b overlap"
      )
    val bits = values.map { case (field, value) =>
      require(field.end <= bytes, s"$field ends behind byte $bytes")
      val low = 8 * bytes - 8 * field.byte - field.skip - field.width
      (value.pad(field.width)(field.width - 1, 0) << low).asUInt.pad(8 * bytes)
    }
    reverse(bits.reduce(_ | _))
  }

  /** Big-endian bytes to the order of the wire, and back. */
  def reverse(data: UInt): UInt =
    Cat((0 until data.getWidth / 8).map(byte => data(8 * byte + 7, 8 * byte)))
}
