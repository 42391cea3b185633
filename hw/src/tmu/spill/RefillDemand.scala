// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import tmu.params.SpillParams

/** When refills go before deferred commands.
  *
  * Commands of an endpoint do not begin while its entries return, for they would only thwart that.
  * Under a steady load nothing would ever return: so, while a table has run low that has entries in
  * memory, a refill is `due`, for `2^restBits` clocks at least and until some entries have moved;
  * then it rests for as long.
  */
class RefillDemand(s: SpillParams) extends Module {
  val io = IO(new Bundle {

    /** Receives and messages in memory; slots of each table in use. */
    val totals = Input(Vec(2, UInt(s.countBits.W)))
    val counts = Input(Vec(2, UInt(s.p.depthBits.W)))

    /** Entries are moving from memory to their table; memory has failed. */
    val moving = Input(Bool())
    val failed = Input(Bool())
    val due = Output(Bool())
  })
  private val below = Seq(s.p.postedEntries, s.p.unexpectedEntries).map(s.low)
  private val wanted = RegNext(
    Seq.tabulate(2)(q => io.totals(q) =/= 0.U && io.counts(q) < below(q).U).reduce(_ || _),
    false.B
  )
  private val moved = RegNext(io.moving, false.B) && !io.moving
  private val restClocks = RegInit(0.U(SpillParams.restBits.W))
  when(moved)(restClocks := ~0.U(SpillParams.restBits.W))
    .elsewhen(restClocks =/= 0.U)(restClocks := restClocks - 1.U)
  private val due = RegInit(false.B)
  private val dueClocks = RegInit(0.U(SpillParams.restBits.W))
  when(!due)(dueClocks := 0.U).elsewhen(!dueClocks.andR)(dueClocks := dueClocks + 1.U)
  when(!wanted || (moved && dueClocks.andR) || io.failed)(due := false.B)
    .elsewhen(restClocks === 0.U)(due := true.B)
  io.due := due
}
