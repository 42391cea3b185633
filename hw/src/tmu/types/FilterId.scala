// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import tmu.params.TmuParams

/** Which key bits each piece of a filter id is folded from. Bits outside are not filtered by. */
class FilterWindows(p: TmuParams) extends Bundle {
  val source = UInt(p.sourceBits.W)

  /** Two windows on the match bits; MPI: the tag, and the context. */
  val low = UInt(p.matchBits.W)
  val high = UInt(p.matchBits.W)
}

/** A filter id: one piece per window, and the pieces that a wildcard makes meaningless. */
class FilterId(widths: Seq[Int]) extends Bundle {
  val source = UInt(widths(0).W)
  val low = UInt(widths(1).W)
  val high = UInt(widths(2).W)
  val wild = UInt(3.W)
}
