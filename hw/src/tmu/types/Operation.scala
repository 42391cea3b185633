// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import chisel3.util.Valid
import tmu.params.TmuParams

/** One operation in flight through the unit. */
class Operation(p: TmuParams) extends Bundle {
  val command = new MatchCommand(p)

  /** The entry found leaves the queue; the operation is appended to its own queue if it finds none.
    */
  val takes = Bool()
  val appends = Bool()

  /** Its verdict takes its endpoint's next serial number (R7). */
  val serial = Bool()

  /** One of the takes that carry out a flush: answered only if it removes something. */
  val sweeps = Bool()
  val accepted = UInt(32.W)
}

object Operation {

  /** Its endpoint, once it is known to be there. */
  def endpoint(p: TmuParams, op: Operation): UInt = op.command.endpoint(p.endpointBits - 1, 0)

  /** One clock later. */
  def delayed(p: TmuParams, operation: Valid[Operation]): Valid[Operation] = {
    val out = Wire(Valid(new Operation(p)))
    val body = RegNext(operation.bits)
    val there = RegNext(operation.valid, false.B)
    out.bits := body
    out.valid := there
    out
  }
}
