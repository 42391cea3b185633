// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import chisel3._
import tmu.buffer.UpDown
import tmu.params.TableParams

/** Indices of a filter table's entries: a ring, oldest first, without a gap.
  *
  * An entry that leaves from the middle leaves the youngest one's index free in the end, because
  * all younger ones move down; so what leaves and what enters in one clock use the same index.
  */
class FilterRing(t: TableParams) extends Module {
  val io = IO(new Bundle {

    /** One enters; one leaves from anywhere; the oldest leaves, with neither of the others. */
    val enters = Input(Bool())
    val leaves = Input(Bool())
    val lifts = Input(Bool())

    val extent = Output(new FilterExtent(t))

    /** Index of one that enters in this clock; how many there are. */
    val free = Output(UInt(t.filterIndexBits.W))
    val count = Output(UInt(t.countBits.W))
  })
  private val bits = t.filterIndexBits
  private val head = RegInit(0.U(bits.W))
  private val last = RegInit(((BigInt(1) << bits) - 1).U(bits.W))
  private val behind = RegInit(0.U(bits.W))
  private val count = RegInit(0.U(t.countBits.W))
  private val some = RegInit(false.B)

  when(io.enters && !io.leaves) {
    last := behind
    behind := behind + 1.U
    some := true.B
  }
  when(io.leaves && !io.enters) {
    last := last - 1.U
    behind := last
  }
  when(io.lifts)(head := head + 1.U)
  when(io.lifts || (io.leaves && !io.enters))(some := count =/= 1.U)
  count := UpDown.next(count, io.enters, io.leaves || io.lifts)

  io.extent.head := head
  io.extent.last := last
  io.extent.some := some
  io.free := Mux(io.leaves, last, behind)
  io.count := count

  assert(
    !io.enters || io.leaves || count =/= t.filterEntries.U,
    "R11: append to %d full memory rows",
    t.filterRows.U
  )
  assert(!(io.leaves || io.lifts) || some, "R7: an entry left empty memory rows")
  assert(!io.lifts || !(io.enters || io.leaves), "R7: memory rows changed while they were lifted")
  assert(behind === head + count && last === behind - 1.U, "R7: indices of memory rows disagree")
}

/** The indices that hold entries. */
class FilterExtent(t: TableParams) extends Bundle {

  /** Index of the oldest and of the youngest; whether there are any. */
  val head = UInt(t.filterIndexBits.W)
  val last = UInt(t.filterIndexBits.W)
  val some = Bool()
}

object FilterExtent {

  /** Lanes of a row that hold entries: a ring never comes round into its own first row. */
  def holding(extent: FilterExtent, lanes: Int, row: UInt): UInt = {
    def rowOf(index: UInt): UInt = FilterIndex.row(index, lanes)
    def laneOf(index: UInt): UInt = FilterIndex.lane(index, lanes)
    val fromHead = VecInit.tabulate(lanes)(i => i.U >= laneOf(extent.head)).asUInt
    val toLast = VecInit.tabulate(lanes)(i => i.U <= laneOf(extent.last)).asUInt
    val all = ~0.U(lanes.W)
    val young = Mux(row === rowOf(extent.last), toLast, all)
    Mux(extent.some, Mux(row === rowOf(extent.head), fromHead, all) & young, 0.U)
  }
}
