// SPDX-License-Identifier: Apache-2.0
package tmu.card.wire

import chisel3._
import chisel3.util.{log2Ceil, Cat}

/** CRC32C (Castagnoli, reflected) as linear maps of bits: column `i` is what input bit `i` adds. */
object Crc32c {
  private val polynomial = 0x82f63b78L
  private val registerBits = 32
  type Map = Seq[Long]

  private def step(register: Long): Long =
    (register >> 1) ^ (if ((register & 1) != 0) polynomial else 0)

  // The polynomial's highest bit is set: so is the register's after a step that used it.
  private def stepBack(register: Long): Long =
    if ((register >> 31) != 0) ((register ^ polynomial) << 1 | 1) & 0xffffffffL else register << 1

  private def repeated(f: Long => Long, bytes: Int)(register: Long): Long =
    Iterator.iterate(register)(f).drop(8 * bytes).next()

  /** The register behind so many zero bytes more. */
  def advance(bytes: Int): Map =
    (0 until registerBits).map(i => repeated(step, bytes)(1L << i))

  /** The register before so many zero bytes. */
  def goBack(bytes: Int): Map =
    (0 until registerBits).map(i => repeated(stepBack, bytes)(1L << i))

  /** The register, from zero, behind so many bytes: those of the data, byte 0 first. */
  def over(bytes: Int): Map = (0 until 8 * bytes).map { i =>
    repeated(step, bytes - i / 8)(1L << (i % 8))
  }

  def apply(map: Map, bits: UInt): UInt = {
    require(map.size == bits.getWidth, s"a map of ${map.size} bits, ${bits.getWidth} bits to map")
    Cat((registerBits - 1 to 0 by -1).map { row =>
      map.indices.filter(i => (map(i) >> row & 1) != 0).map(bits(_)).foldLeft(false.B)(_ ^ _)
    })
  }

  /** The register behind so many zero bytes less, a number below `most`: `rewindClocks` later. */
  def rewind(register: UInt, bytes: UInt, most: Int): UInt =
    (0 until log2Ceil(most)).reverse
      .foldLeft((register, bytes)) { case ((now, count), i) =>
        val next = Reg(UInt(registerBits.W))
        next := Mux(count(i), Crc32c(goBack(1 << i), now), now)
        (next, RegNext(count))
      }
      ._1
  def rewindClocks(most: Int): Int = log2Ceil(most)

  /** Contribution of the bytes to a register that is zero before them, a clock later. */
  def sum(data: UInt): UInt = {
    val map = over(data.getWidth / 8)
    val slices = Seq.range(0, data.getWidth, sliceBits)
    RegNext(VecInit(slices.map { low =>
      val high = math.min(low + sliceBits, data.getWidth)
      Crc32c(map.slice(low, high), data(high - 1, low))
    })).reduceTree(_ ^ _)
  }

  /** Bits that are added up in one clock, before the slices are. */
  private val sliceBits = 64
}
