// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import chisel3._
import chisel3.util.{Decoupled, Valid}
import tmu.fault.FaultPort
import tmu.params.{TableParams, TmuParams}
import tmu.types.{ArrayOperation, FilterActivity, FilterWindows, LaneEntry}

/** Ports of a filter table that do not depend on how its candidates are verified. */
class FilterPorts(p: TmuParams, t: TableParams) extends Bundle {
  val windows = Input(new FilterWindows(p))
  val request = Flipped(Decoupled(new ArrayOperation(p, t)))

  /** The request's turn has not come: it is answered after `commit`, which says that all requests
    * before it are answered and that what they append comes in this clock, or came before.
    */
  val ahead = Input(Bool())
  val commit = Input(Bool())
  val reply = Valid(new FilterReply(t))
  val append = Flipped(Valid(new LaneEntry(p, t)))

  /** Asks for up to `lift` of the oldest entries to leave, for the array. */
  val lift = Flipped(Decoupled(UInt(t.countBits.W)))

  /** One entry that was read: to be verified, or to leave. */
  val readSlot = Valid(UInt(t.slotBits.W))

  /** One clock later: it leaves. */
  val lifted = Valid(UInt(t.slotBits.W))

  /** Number of entries, and whether there are any. */
  val count = Output(UInt(t.countBits.W))
  val some = Output(Bool())
  val idle = Output(Bool())
  val settled = Output(Bool())
  val activity = Output(new FilterActivity)
  val fault = new FaultPort
}
