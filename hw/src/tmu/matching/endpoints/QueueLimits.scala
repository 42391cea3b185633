// SPDX-License-Identifier: Apache-2.0
package tmu.matching.endpoints

import chisel3._
import tmu.params.TmuParams

/** Quota and reserve of a queue, as they are stored. */
class QueueLimits(p: TmuParams) extends Bundle {
  val quota = UInt(p.quotaBits.W)
  val reserve = UInt((if (p.reserve) p.depthBits else 0).W)
}

/** State of the reserves that two operations of a slot depend on (R11, R13). */
class ReserveState(p: TmuParams) extends Bundle {

  /** The stream's own queue has fewer entries than its reserve; the other stream's queue has, once
    * an entry is taken from it.
    */
  val within = Vec(2, Bool())
  val restores = Vec(2, Bool())

  /** A changed reserve leaves the others so many slots more of each table. */
  val released = Vec(2, SInt((p.depthBits + 2).W))
}
