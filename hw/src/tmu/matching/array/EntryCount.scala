// SPDX-License-Identifier: Apache-2.0
package tmu.matching.array

import chisel3._
import chisel3.util.log2Ceil
import tmu.buffer.UpDown
import tmu.rules.MatchRules

/** Entries of a table, and whether there is room for one more (R11).
  *
  * Arrivals and departures are decided at the end of a clock and no sooner, so they are counted in
  * the next one. Whether one more fits is needed at once: that is made ready for each case, and
  * chosen.
  */
class EntryCount(entries: Int) extends Module {
  require(entries >= 2, s"a table of $entries entries; one that comes is counted late")
  val io = IO(new Bundle {

    /** An entry comes, and one goes; a table never holds more than it has slots. */
    val comes = Input(Bool())
    val goes = Input(Bool())
    val count = Output(UInt(log2Ceil(entries + 1).W))
    val below = Output(Bool())
  })
  private val came = RegNext(io.comes, false.B)
  private val went = RegNext(io.goes, false.B)
  private val counted = RegInit(0.U(log2Ceil(entries + 1).W))
  io.count := UpDown.next(counted, came, went)
  counted := io.count

  private val free = RegNext(io.count =/= entries.U, true.B)
  private val twoFree = RegNext(MatchRules.isBelow(io.count, entries - 1), true.B)
  io.below := Mux(came === went, free, went || twoFree)

  assert(io.count <= entries.U, "R11: %d entries in a table", io.count)
  assert(io.below === (io.count =/= entries.U), "R11: room, and %d entries", io.count)
}
