// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{Decoupled, Valid}
import tmu.fault.FaultPort
import tmu.params.TmuParams
import tmu.types.{
  EndpointRequest,
  EndpointState,
  FilterWindows,
  MatchActivity,
  MatchCommand,
  SlotVerdicts,
  SpillPorts
}

/** Ports of the matching unit. */
class MatchUnitPorts(p: TmuParams) extends Bundle {
  val post = Flipped(Decoupled(new MatchCommand(p)))
  val arrival = Flipped(Decoupled(new MatchCommand(p)))

  /** Answers in the order of slots; a flush's come through the stream of their queue. */
  val verdicts = Decoupled(new SlotVerdicts(p))
  val endpoint = Flipped(Decoupled(new EndpointRequest(p)))

  /** Answers an endpoint request: its state before the change. */
  val endpointState = Valid(new EndpointState(p))

  /** Windows of filter ids; they take effect while no entry is beyond the arrays. */
  val windows = Input(new FilterWindows(p))
  val ready = Output(Bool())
  val idle = Output(Bool())
  val activity = Output(new MatchActivity(p))

  /** Ports to memory beyond the tables. */
  val spill = new SpillPorts(p)

  /** Endpoints that can not be trusted any more, before a verdict shows it. */
  val raised = Vec(4, Valid(UInt(p.endpointBits.W)))
  val everyone = Output(Bool())
  val fault = new FaultPort
}
