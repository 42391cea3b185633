// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.Valid
import tmu.params.TmuParams

/** What the unit keeps of an endpoint beside its entries. */
class EndpointState(p: TmuParams) extends Bundle {

  /** Verdicts given so far, modulo 2^32 (R7). */
  val serial = UInt(32.W)
  val posted = UInt(p.depthBits.W)
  val unexpected = UInt(p.depthBits.W)

  /** Entries allowed in each queue; 0 is no quota (R11). */
  val quotaPosted = UInt(32.W)
  val quotaUnexpected = UInt(32.W)
}

/** State of every endpoint, in one memory that a sweep clears after reset (`ready` tells when).
  *
  * A read answers in the next clock. Reads and writes of one endpoint must be two clocks apart.
  */
class EndpointTable(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val ready = Output(Bool())
    val read = Flipped(Valid(UInt(p.endpointBits.W)))
    val state = Output(new EndpointState(p))
    val write = Flipped(Valid(new Bundle {
      val endpoint = UInt(p.endpointBits.W)
      val state = new EndpointState(p)
    }))
  })

  private val memory = SyncReadMem(p.endpoints, new EndpointState(p))
  private val swept = RegInit(0.U((p.endpointBits + 1).W))
  io.ready := swept === p.endpoints.U
  when(!io.ready)(swept := swept + 1.U)
  when(!io.ready || io.write.valid) {
    memory.write(
      Mux(io.ready, io.write.bits.endpoint, swept(p.endpointBits - 1, 0)),
      Mux(io.ready, io.write.bits.state, 0.U.asTypeOf(new EndpointState(p)))
    )
  }
  io.state := memory.read(io.read.bits, io.read.valid)

  assert(
    io.ready || !io.write.valid,
    "R14: endpoint %d written during reset",
    io.write.bits.endpoint
  )
}
