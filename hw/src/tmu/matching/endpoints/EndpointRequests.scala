// SPDX-License-Identifier: Apache-2.0
package tmu.matching.endpoints

import chisel3._
import chisel3.util.{Decoupled, Valid}
import tmu.params.TmuParams
import tmu.types.{EndpointRequest, EndpointState, QuotaChange}

/** Questions about endpoints and changes of them that come from the registers: one at a time, while
  * the unit is empty.
  */
class EndpointRequests(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val request = Flipped(Decoupled(new EndpointRequest(p)))

    /** The unit is empty, and nothing but requests keeps it so. */
    val quiet = Input(Bool())

    /** One waits; one is being answered. */
    val requested = Output(Bool())
    val configuring = Output(Bool())

    /** Depths of the endpoint that was read two clocks ago. */
    val depths = Input(Vec(2, UInt(p.depthBits.W)))
    val setQuota = Valid(new QuotaChange(p))

    /** Answers a request: its state before the change. */
    val state = Valid(new EndpointState(p))
  })
  private val asked = RegNext(io.request.fire, false.B)
  private val answering = RegNext(asked, false.B)
  private val request = RegNext(io.request.bits)
  io.requested := RegNext(io.request.valid, false.B)
  io.configuring := asked || answering
  io.request.ready := io.requested && io.quiet && !io.configuring
  io.setQuota.valid := asked && request.setQuota
  io.setQuota.bits.endpoint := request.endpoint
  io.setQuota.bits.quota(0) := request.quotaPosted
  io.setQuota.bits.quota(1) := request.quotaUnexpected
  io.setQuota.bits.reserve(0) := request.reservePosted
  io.setQuota.bits.reserve(1) := request.reserveUnexpected
  io.state.valid := answering
  io.state.bits.posted := io.depths(0)
  io.state.bits.unexpected := io.depths(1)
}
