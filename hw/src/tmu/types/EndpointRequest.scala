// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import tmu.params.TmuParams

/** A change or a question about an endpoint that comes from the registers, not from a command. */
class EndpointRequest(p: TmuParams) extends Bundle {
  val endpoint = UInt(p.endpointBits.W)
  val setQuota = Bool()
  val quotaPosted = UInt(32.W)
  val quotaUnexpected = UInt(32.W)
  val reservePosted = UInt(32.W)
  val reserveUnexpected = UInt(32.W)
}

/** Depths of an endpoint's queues, as software reads them. */
class EndpointState(p: TmuParams) extends Bundle {
  val posted = UInt(p.depthBits.W)
  val unexpected = UInt(p.depthBits.W)
}

/** Quotas and reserves of an endpoint, from now on. */
class QuotaChange(p: TmuParams) extends Bundle {
  val endpoint = UInt(p.endpointBits.W)

  /** Entries allowed in each queue; 0 is no quota. */
  val quota = Vec(2, UInt(32.W))

  /** Slots of each table that others do not fill. */
  val reserve = Vec(2, UInt(32.W))
}
