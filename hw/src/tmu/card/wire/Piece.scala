// SPDX-License-Identifier: Apache-2.0
package tmu.card.wire

import chisel3._
import chisel3.util.Mux1H

/** Bytes of a variable number, byte 0 in the lowest bits; zero behind the last. */
case class Piece(bits: UInt, bytes: UInt) {

  /** With one of several headers in front; exactly one of the conditions holds. */
  def behind(headers: (Bool, Seq[(UInt, Int)])*): Piece = {
    val most = headers.map(_._2.map(_._2).sum).max
    val joined = headers.map { case (condition, parts) =>
      val front = parts.foldRight(bits) { case ((part, bytes), rest) =>
        rest ## part(8 * bytes - 1, 0)
      }
      val length = bytes +& parts.map(_._2).sum.U
      condition -> ((front.pad(bits.getWidth + 8 * most), length))
    }
    Piece(
      Mux1H(joined.map { case (condition, (front, _)) => condition -> front }),
      Mux1H(joined.map { case (condition, (_, length)) => condition -> length })
    )
  }

  /** A clock later. */
  def later: Piece = {
    val (bitsLater, bytesLater) = (Reg(UInt(bits.getWidth.W)), Reg(UInt(bytes.getWidth.W)))
    bitsLater := bits
    bytesLater := bytes
    Piece(bitsLater, bytesLater)
  }
}
