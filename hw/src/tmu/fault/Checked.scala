// SPDX-License-Identifier: Apache-2.0
package tmu.fault

import chisel3._
import tmu.params.TmuParams

/** A word as it is stored, with a bit that makes the number of ones even; a unit without parity
  * stores the word alone.
  *
  * A word that is found by an address may be stored with the parity of the address as well: then it
  * also tells when it is found at another address that differs in a bit.
  */
class Checked[T <: Data](p: TmuParams, data: => T) extends Bundle {
  val word = data
  val parity = Option.when(p.parity)(Bool())

  /** A bit was lost since this was stored, or it was stored elsewhere. */
  def broken(address: UInt = 0.U): Bool =
    parity.fold(false.B)(_ ^ word.asUInt.xorR ^ address.xorR)
}

object Checked {

  /** A word as it is to be stored. */
  def apply[T <: Data](p: TmuParams, data: => T, word: T, address: UInt = 0.U): Checked[T] = {
    val out = Wire(new Checked(p, data))
    out.word := word
    out.parity.foreach(_ := word.asUInt.xorR ^ address.xorR)
    out
  }
}
