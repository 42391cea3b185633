// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import tmu.params.TmuParams

/** Number of entries that an endpoint's quota leaves one of its queues. */
class Allowance(p: TmuParams) extends Bundle {
  val unlimited = Bool()
  val left = SInt((p.quotaBits + 1).W)

  /** Whether `more` entries fit that were not counted. */
  def exceeds(more: UInt): Bool = unlimited || left > more.zext
}
