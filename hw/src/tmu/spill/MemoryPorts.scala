// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{Decoupled, Valid}
import tmu.bus.Axi
import tmu.fault.FaultPort
import tmu.params.{SpillLayout, SpillParams, TmuParams}
import tmu.types.{FilterWindows, SpillActivity, SpillPorts, Verdict}

/** Ports of the part that keeps queues in memory. */
class MemoryPorts(p: TmuParams) extends Bundle {
  private val s = SpillParams(p)
  val unit = Flipped(new SpillPorts(p))
  val inject = Decoupled(new Injection(s))
  val verdict = Decoupled(new Verdict(p))
  val windows = Input(new FilterWindows(p))
  val discard = Input(Bool())
  val axi = new Axi(64, 8 * SpillLayout.beatBytes, 1)
  val register = Flipped(Valid(UInt(52.W)))
  val segments = Output(UInt(p.segmentBits.W))
  val spare = Output(UInt(s.freeBits.W))

  val turns = new SpillTurns(p)

  /** The host's commands wait before the unit: an entry has no location in memory and goes to its
    * table.
    */
  val holds = Output(Bool())

  /** Entries in memory of an endpoint that software asks about, and of all. */
  val endpoint = Input(UInt(p.endpointBits.W))
  val depths = Output(Vec(2, UInt(s.countBits.W)))
  val totals = Output(Vec(2, UInt(s.countBits.W)))
  val look = new SpillLookPort(s)
  val activity = Output(new SpillActivity)
  val ready = Output(Bool())
  val idle = Output(Bool())

  /** An endpoint that can not be trusted any more. */
  val raised = Valid(UInt(p.endpointBits.W))
  val fault = new FaultPort
}

/** Module behind these ports: [[Spill]], or [[NoSpill]]. */
abstract class MemoryPart(p: TmuParams) extends Module {
  val io = IO(new MemoryPorts(p))
}
