// SPDX-License-Identifier: Apache-2.0
package tmu.card.pool

import chisel3._
import chisel3.util.{UIntToOH, Valid}

/** Memory that is registered for unexpected messages of an endpoint. */
class Pool(endpointBits: Int) extends Bundle {
  val endpoint = UInt(endpointBits.W)

  /** Its first byte; it has a buffer for each number of a message. */
  val base = UInt(64.W)
}

/** The pool of each endpoint: payload lies in memory of its own endpoint alone (W2). */
class PoolTable(endpoints: Int, endpointBits: Int, askers: Int) extends Module {
  val io = IO(new Bundle {
    val register = Flipped(Valid(new Pool(endpointBits)))
    val endpoint = Input(Vec(askers, UInt(endpointBits.W)))
    val base = Output(Vec(askers, UInt(64.W)))

    /** Endpoints that have one. */
    val there = Output(UInt(endpoints.W))
  })
  private val bases = Mem(endpoints, UInt(64.W))
  private val there = RegInit(0.U(endpoints.W))
  private val comes = io.register.bits
  when(io.register.valid) {
    bases.write(comes.endpoint, comes.base)
    there := there | UIntToOH(comes.endpoint, endpoints)
  }
  for ((endpoint, base) <- io.endpoint.zip(io.base)) base := bases.read(endpoint)
  io.there := there
}
