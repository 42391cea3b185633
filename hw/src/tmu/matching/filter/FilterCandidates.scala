// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import chisel3._
import chisel3.util.{log2Ceil, Mux1H, OHToUInt, ShiftRegister, Valid}
import tmu.params.{TableParams, TmuParams}

/** Row and lane of an entry of a filter table, and its slot in the store. */
class FilterIndex(p: TmuParams, t: TableParams) extends Bundle {
  private val laneBits = log2Ceil(p.filterLanes)
  val slot = UInt(t.slotBits.W)
  val row = UInt((t.filterIndexBits - laneBits).W)
  val lane = UInt(laneBits.W)
}

object FilterIndex {

  /** Row and lane of an index, in rows of `lanes`. */
  def row(index: UInt, lanes: Int): UInt = index >> log2Ceil(lanes)
  def lane(index: UInt, lanes: Int): UInt = index(log2Ceil(lanes) - 1, 0)
}

/** Candidates of a filter table from a hit to an answer, one a clock.
  *
  * 0 picked, and the slots of its row are read; 2 its slot is known and read from the store; 3 the
  * entry is there, to be compared or to leave; 4 `verified`. The first that holds is the answer,
  * and what was picked behind it is dropped.
  */
class FilterCandidates(p: TmuParams, t: TableParams) extends Module {
  override def desiredName: String =
    s"FilterCandidates${if (t.receives) "Posted" else "Unexpected"}"
  private val lanes = p.filterLanes
  val io = IO(new Bundle {
    val picks = Input(Bool())

    /** The lane that is picked, one-hot, and its row; the slots of that row a clock later. */
    val oldest = Input(UInt(lanes.W))
    val row = Input(UInt((t.filterIndexBits - log2Ceil(lanes)).W))
    val slots = Input(Vec(lanes, UInt(t.slotBits.W)))

    /** The picked entry leaves, and is not verified. */
    val lifting = Input(Bool())

    /** The entry compared a clock ago is the one that was asked for. */
    val holds = Input(Bool())

    /** Read from the store; one clock later it is there, and leaves when `lifted`. */
    val readSlot = Valid(UInt(t.slotBits.W))
    val lifted = Output(Bool())
    val reading = Output(new FilterIndex(p, t))

    /** Compared: whatever came of it, and where. */
    val checked = Output(Bool())
    val verified = Output(Bool())
    val found = Output(new FilterIndex(p, t))

    /** None is on its way, but for one that is checked in this clock. */
    val empty = Output(Bool())
  })
  private val verified = Wire(Bool())
  private val one = Reg(UInt(lanes.W))
  one := io.oldest
  private val marked = RegNext(io.picks, false.B)
  private val named = RegNext(marked && !verified, false.B)
  private val picked = Wire(new FilterIndex(p, t))
  picked.slot := RegNext(Mux1H(one.asBools, io.slots))
  picked.lane := RegNext(OHToUInt(one))
  picked.row := ShiftRegister(io.row, 2)
  io.readSlot.valid := named
  io.readSlot.bits := picked.slot

  private val verifying = RegNext(named && !verified, false.B)
  io.reading := RegNext(picked)
  io.lifted := verifying && io.lifting
  private val checked = RegNext(verifying && !io.lifting && !verified, false.B)
  verified := checked && io.holds
  io.checked := checked
  io.verified := verified
  io.found := RegNext(io.reading)
  io.empty := !marked && !named && !verifying
}
