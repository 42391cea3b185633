// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{Decoupled, Valid}
import tmu.params.TmuParams

/** A filter table with the comparator that verifies its candidates, connected as in the unit. */
class FilterTableHarness(p: TmuParams, t: TableParams) extends Module {
  val io = IO(new Bundle {
    val windows = Input(new FilterWindows(p))
    val request = Flipped(Decoupled(new ArrayOperation(p, t)))
    val reply = Valid(new FilterReply(t))
    val append = Flipped(Valid(new LaneEntry(p, t)))
    val lift = Flipped(Decoupled(UInt(t.countBits.W)))
    val readSlot = Valid(UInt(t.slotBits.W))
    val entry = Input(new Entry(p, t))
    val lifted = Valid(UInt(t.slotBits.W))
    val count = Output(UInt(t.countBits.W))
    val idle = Output(Bool())
    val settled = Output(Bool())
    val activity = Output(new FilterActivity)
  })
  private val table = Module(new FilterTable(p, t))
  private val check = Module(new EntryCheck(p, t))
  table.io.windows := io.windows
  table.io.request <> io.request
  io.reply := table.io.reply
  table.io.append := io.append
  table.io.lift <> io.lift
  io.readSlot := table.io.readSlot
  check.io.asks := table.io.asks
  check.io.entry := io.entry
  check.io.slot := table.io.lifted.bits
  table.io.holds := check.io.holds
  io.lifted := table.io.lifted
  io.count := table.io.count
  io.idle := table.io.idle
  io.settled := table.io.settled
  io.activity := table.io.activity
}
