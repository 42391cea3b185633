// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import chisel3._
import chisel3.util.{log2Ceil, Valid}
import tmu.mutant.Mutant
import tmu.params.{TableParams, TmuParams}

/** Search of the rows, as it stands when its request is taken. */
class FilterStart(p: TmuParams, t: TableParams) extends Bundle {
  val wants = new FilterLane(p, t)
  val byId = Bool()

  /** There are entries to search. */
  val reads = Bool()

  /** Its turn has not come: it stops before the last row. */
  val ahead = Bool()
}

/** Hits of a row that was compared. */
class FilterHits(p: TmuParams, t: TableParams) extends Bundle {
  val lanes = UInt(p.filterLanes.W)
  val row = UInt((t.filterIndexBits - log2Ceil(p.filterLanes)).W)
}

/** Sweep: reads a row a clock, from the oldest on, and compares it a clock later.
  *
  * While the hits of an earlier row are not sent it stalls, and the row that is compared then is
  * read again. An answer lets it go on: with a request behind it, from the row of the hole at the
  * latest; with the last row while that is closed, if nothing else is left to read.
  */
class FilterSweep(p: TmuParams, t: TableParams) extends Module {
  override def desiredName: String = s"FilterSweep${if (t.receives) "Posted" else "Unexpected"}"
  private val lanes = p.filterLanes
  private val rowBits = t.filterIndexBits - log2Ceil(lanes)
  val io = IO(new Bundle {

    /** A request is taken; it sweeps, and is ahead of its turn. */
    val start = Flipped(Valid(new FilterStart(p, t)))
    val sweeps = Input(Bool())
    val ahead = Input(Bool())
    val ring = Input(new FilterExtent(t))
    val entering = Input(new FilterEntering(p, t))

    /** Hits wait to be sent. */
    val stalls = Input(Bool())

    /** An answer, from this row; the request behind it has begun, so it need not begin again. */
    val verified = Input(Bool())
    val foundRow = Input(UInt(rowBits.W))
    val begun = Input(Bool())

    /** A hole is closed: the row to read. And: the hole is in the last row, which a request behind
      * may compare while it is closed.
      */
    val close = Flipped(Valid(UInt(rowBits.W)))
    val holeLane = Input(UInt(log2Ceil(lanes).W))
    val closesLast = Input(Bool())

    /** To the memory, which answers a clock later. */
    val read = Valid(UInt(rowBits.W))
    val ids = Input(Vec(lanes, new FilterLane(p, t)))

    /** Of the row that was read: its hits, and the lanes that hold entries. */
    val hits = Valid(new FilterHits(p, t))
    val holding = Output(UInt(lanes.W))
    val allRead = Output(Bool())

    /** An answer sends the request behind it back, to the row of the hole. */
    val goesBack = Output(Bool())
  })
  private def rowOf(index: UInt): UInt = FilterIndex.row(index, lanes)
  private val (headRow, lastRow) = (rowOf(io.ring.head), rowOf(io.ring.last))
  private val wants = Reg(new FilterLane(p, t))
  private val wantsById = Reg(Bool())
  private val nextRow = Reg(UInt(rowBits.W))
  private val allRead = Reg(Bool())
  private val moved = RegInit(false.B)
  private val starts = io.start.valid && io.start.bits.reads &&
    !(io.start.bits.ahead && headRow === lastRow)

  private val reading = WireDefault(false.B)
  private val readRow = WireDefault(headRow)
  private val dataRow = RegNext(readRow)
  private val comparing =
    RegNext(starts || (io.sweeps && reading && !io.verified), false.B) || moved
  io.read.valid := reading
  io.read.bits := readRow

  private val mayHit = FilterLane.mayHit(_, wants, wantsById)
  io.holding := FilterExtent.holding(io.ring, lanes, dataRow)
  io.hits.valid := comparing
  io.hits.bits.row := dataRow
  io.hits.bits.lanes :=
    VecInit(FilterLane.hits(io.ids, mayHit, moved, io.holeLane, io.entering)).asUInt & io.holding
  io.allRead := allRead

  private val isWritten = io.entering.now && io.entering.row === nextRow
  private val mayRead = !allRead && !(io.ahead && nextRow === lastRow) && !isWritten && io.ring.some
  when(io.sweeps) {
    reading := Mux(io.stalls, comparing, mayRead)
    readRow := Mux(io.stalls, dataRow, nextRow)
    when(!io.stalls && mayRead) {
      nextRow := nextRow + 1.U
      when(nextRow === lastRow)(allRead := true.B)
    }
    // Requests before it have taken everything.
    when(!io.ahead && !io.ring.some)(allRead := true.B)
  }

  // An answer. A request behind it goes back to the row of the hole; to the first if it has not
  // begun, or if the last row may be empty now; or it goes on with the last row while that is
  // closed.
  private def since(row: UInt): UInt = row - headRow
  private val resume = Mux(io.stalls && comparing, dataRow, nextRow)
  private val goesBack = Mutant("ahead", since(resume) > since(io.foundRow))(_ => false.B)
  io.goesBack := goesBack
  when(io.verified) {
    nextRow := Mux(io.begun, Mux(goesBack, io.foundRow, resume), headRow)
  }
  when(io.close.valid) {
    reading := true.B
    readRow := io.close.bits
  }
  moved := false.B
  when(io.closesLast && nextRow === lastRow && headRow =/= lastRow && !comparing) {
    moved := true.B
    allRead := true.B
    nextRow := lastRow + 1.U
  }

  // The oldest row is read at once.
  when(io.start.valid) {
    wants := io.start.bits.wants
    wantsById := io.start.bits.byId
    readRow := headRow
    reading := starts
    nextRow := Mux(starts, headRow + 1.U, headRow)
    allRead := starts && headRow === lastRow
  }
}
