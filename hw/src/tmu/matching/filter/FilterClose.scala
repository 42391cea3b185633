// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import chisel3._
import chisel3.util.log2Ceil
import tmu.params.{TableParams, TmuParams}

/** Moves that close a hole: the row that was read, and the lanes that entries leave and enter. */
class FilterMoves(p: TmuParams, t: TableParams) extends Bundle {
  private val laneBits = log2Ceil(p.filterLanes)
  private val rowBits = t.filterIndexBits - laneBits
  val now = Bool()
  val row = UInt(rowBits.W)
  val holeRow = UInt(rowBits.W)
  val holeLane = UInt(laneBits.W)
  val freedRow = UInt(rowBits.W)
  val freedLane = UInt(laneBits.W)
}

/** Closes the hole of an entry that leaves a filter table: every younger one moves down by one, a
  * row a clock, from the row of the hole to the last.
  */
class FilterClose(p: TmuParams, t: TableParams) extends Module {
  private val rowBits = t.filterIndexBits - log2Ceil(p.filterLanes)
  val io = IO(new Bundle {

    /** Begin with this hole; the youngest entry's index, and whether it lies in the hole's row. */
    val start = Input(Bool())
    val hole = Input(new FilterIndex(p, t))
    val last = Input(UInt(t.filterIndexBits.W))
    val inLastRow = Input(Bool())
    val headRow = Input(UInt(rowBits.W))

    /** Row to read in this clock; what it moves a clock later. */
    val reads = Output(Bool())
    val row = Output(UInt(rowBits.W))
    val moves = Output(new FilterMoves(p, t))

    /** The last clock: its writes spare the row of the oldest entry, if `headRests`. */
    val ends = Output(Bool())
    val headRests = Output(Bool())
  })
  private val lastRow = FilterIndex.row(io.last, p.filterLanes)
  private val nextRow = Reg(UInt(rowBits.W))
  private val busy = RegInit(false.B)
  private val moves = Reg(new FilterMoves(p, t))
  private val headRests = Reg(Bool())
  private val ends =
    RegNext(Mux(io.start, io.inLastRow, busy && nextRow === moves.freedRow), false.B)
  io.reads := io.start || busy
  io.row := Mux(io.start, io.hole.row, nextRow)
  nextRow := io.row + 1.U
  when(io.start)(busy := !io.inLastRow).elsewhen(nextRow === moves.freedRow)(busy := false.B)
  moves.row := io.row
  when(io.start) {
    moves.holeRow := io.hole.row
    moves.holeLane := io.hole.lane
    moves.freedRow := lastRow
    moves.freedLane := FilterIndex.lane(io.last, p.filterLanes)
    headRests := io.headRow =/= lastRow && io.headRow =/= lastRow - 1.U
  }
  io.moves := moves
  io.moves.now := RegNext(io.reads, false.B)
  io.ends := ends
  io.headRests := headRests
}
