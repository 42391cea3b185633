// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import tmu.layout.DoorbellLayout

/** Indices into completion rings and shares of command slots: they count modulo twice the largest
  * ring, which is enough to tell full from empty, and the lap.
  */
object RingIndex {
  val bits: Int = DoorbellLayout.ringLog2Max + 1
  def apply(): UInt = UInt(bits.W)

  /** Slots of a ring or a share. */
  def size(log2: UInt): UInt = (1.U(bits.W) << log2)(bits - 1, 0)
}
