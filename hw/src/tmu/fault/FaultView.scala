// SPDX-License-Identifier: Apache-2.0
package tmu.fault

import chisel3._
import tmu.layout.Code
import tmu.registers.FaultStores

/** Bit that software asks to be flipped. */
class FaultRequest extends Bundle {
  val store = UInt(FaultStores.storeBits.W)
  val bit = UInt(FaultStores.bitBits.W)
}

/** Flipped bits that are seen in a clock. */
class FaultView extends Bundle {

  /** Bit n: store n has given a word with a flipped bit. */
  val seen = UInt(FaultStores.seenBits.W)

  /** A bit was flipped as it was asked for. */
  val flipped = Bool()

  /** Asked for a bit, a store answers with the bits of its words. */
  val bits = UInt(FaultStores.bitBits.W)
}

object FaultView {
  def none: FaultView = 0.U.asTypeOf(new FaultView)

  /** View of one checked memory. */
  def apply(store: Code, broken: Bool): FaultView = {
    val view = WireDefault(none)
    view.seen := Mux(broken, (BigInt(1) << store.value).U, 0.U)
    view
  }

  /** The same, and what was flipped there. */
  def apply(store: Code, broken: Bool, flips: FaultView): FaultView =
    or(Seq(FaultView(store, broken), flips))

  /** Of several stores, a clock later. */
  def all(views: Seq[FaultView]): FaultView = RegNext(or(views), none)

  private def or(views: Seq[FaultView]): FaultView =
    views.map(_.asUInt).reduce(_ | _).asTypeOf(new FaultView)
}
