// SPDX-License-Identifier: Apache-2.0
package tmu.fault

import chisel3._
import tmu.contract.{Code, FaultPlaces}

/** What software asks to be flipped. */
class FaultRequest extends Bundle {
  val place = UInt(FaultPlaces.placeBits.W)
  val bit = UInt(FaultPlaces.bitBits.W)
}

/** What is seen of flipped bits in a clock. */
class FaultView extends Bundle {

  /** Bit n: place n has given a word with a flipped bit. */
  val seen = UInt(FaultPlaces.seenBits.W)

  /** A bit was flipped as it was asked for. */
  val flipped = Bool()
}

object FaultView {
  def none: FaultView = 0.U.asTypeOf(new FaultView)

  /** A place's own. */
  def apply(place: Code, broken: Bool, flipped: Bool): FaultView = {
    val view = Wire(new FaultView)
    view.seen := Mux(broken, (BigInt(1) << place.value).U, 0.U)
    view.flipped := flipped
    view
  }

  /** Of several places, a clock later. */
  def all(views: Seq[FaultView]): FaultView =
    RegNext(views.map(_.asUInt).reduce(_ | _).asTypeOf(new FaultView), none)
}
