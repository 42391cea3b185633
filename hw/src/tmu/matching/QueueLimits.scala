// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import tmu.params.TmuParams

/** What is kept of a queue's quota and reserve. */
class QueueLimits(p: TmuParams) extends Bundle {
  val quota = UInt(p.quotaBits.W)
  val reserve = UInt((if (p.reserve) p.depthBits else 0).W)
}

/** What reserves have to do with the two operations of a slot (R11, R13). */
class ReserveState(p: TmuParams) extends Bundle {

  /** The stream's own queue has fewer entries than its reserve; the other stream's queue has, once
    * an entry is taken from it.
    */
  val within = Vec(2, Bool())
  val restores = Vec(2, Bool())

  /** A changed reserve leaves the others so many places more of each table. */
  val released = Vec(2, SInt((p.depthBits + 2).W))
}

/** What an endpoint's quota leaves one of its queues. */
class Allowance(p: TmuParams) extends Bundle {
  val unlimited = Bool()
  val left = SInt((p.quotaBits + 1).W)

  /** Whether `more` entries fit that were not counted. */
  def exceeds(more: UInt): Bool = unlimited || left > more.zext
}
