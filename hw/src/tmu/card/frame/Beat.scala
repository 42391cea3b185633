// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._

/** 64 bytes of a frame, or fewer at its end. What lies behind the last byte means nothing. */
class Beat extends Bundle {
  val data = UInt(Beat.dataBits.W)

  /** 64 but in the last beat, which may have any number, also none. */
  val bytes = UInt(Beat.countBits.W)
  val first = Bool()
  val last = Bool()

  /** With the last beat: the Ethernet port calls the frame bad. */
  val bad = Bool()
}

object Beat {
  val size: Int = 64
  val dataBits: Int = 8 * size
  val countBits: Int = 7
}

/** A beat with what is known of its frame; the mark is the same in all beats of a frame. */
class Marked[T <: Data](gen: => T) extends Bundle {
  val beat = new Beat
  val mark: T = gen
}

/** 64 bytes of a payload, the first of them in the lowest bits. */
class PayloadBeat extends Bundle {
  val data = UInt(Beat.dataBits.W)
  val last = Bool()
}
