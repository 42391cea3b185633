// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import tmu.params.TmuParams

/** Requests of memory to the parts that give pages their turns. */
class SpillTurns(p: TmuParams) extends Bundle {

  /** Many commands wait for memory: one that would join them should wait for those before it. */
  val crowded = Output(Bool())

  /** So many that every command should whose endpoint could have something in memory by then. */
  val scarce = Output(Bool())

  /** Some endpoint's entries are on their return, or should soon be: its commands would only thwart
    * them.
    */
  val holds = Output(Bool())

  /** An endpoint; in the same clock, whether it has something in memory, and whether it is that
    * one.
    */
  val asked = Input(UInt(p.endpointBits.W))
  val spilling = Output(Bool())
  val held = Output(Bool())
}
