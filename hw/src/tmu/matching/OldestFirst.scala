// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{Mux1H, PriorityEncoderOH}

/** The ordering rule, and the only place where it is: of several hits the oldest wins (R3, R4).
  *
  * Bit 0 of a hit mask is the oldest entry of a row.
  */
object OldestFirst {

  /** One-hot of the oldest hit; zero where nothing hits. */
  def oneHot(hits: UInt): UInt = VecInit(PriorityEncoderOH(hits.asBools)).asUInt

  /** The value that belongs to the oldest hit; meaningless where nothing hits. */
  def select[T <: Data](hits: UInt, values: Seq[T]): T = Mux1H(oneHot(hits), values)
}
