// SPDX-License-Identifier: Apache-2.0
package tmu.card.request

import chisel3._

/** 64 bytes of a frame without its CRC, or fewer at its end; zero behind the last. */
class FrameBeat extends Bundle {
  val data = UInt(FrameBeat.bits.W)
  val bytes = UInt(7.W)
  val first = Bool()
  val last = Bool()
}

object FrameBeat {
  val size: Int = 64
  val bits: Int = 8 * size

  /** Width of the bytes of a frame. */
  val lengthBits: Int = 15
}
