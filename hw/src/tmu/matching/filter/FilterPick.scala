// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import chisel3._
import chisel3.util.{log2Ceil, Valid}
import tmu.params.{TableParams, TmuParams}
import tmu.rules.OldestFirst

/** Pick: keeps the hits of a row and sends them to be verified, in age order, one a clock.
  *
  * Hits of a request ahead of its turn are kept until it comes. Those of the next row wait while
  * hits are left, which stalls the sweep.
  */
class FilterPick(p: TmuParams, t: TableParams) extends Module {
  override def desiredName: String = s"FilterPick${if (t.receives) "Posted" else "Unexpected"}"
  private val lanes = p.filterLanes
  private val rowBits = t.filterIndexBits - log2Ceil(lanes)
  val io = IO(new Bundle {

    /** A row was compared; for a request that is ahead of its turn. */
    val hits = Flipped(Valid(new FilterHits(p, t)))
    val ahead = Input(Bool())

    /** A hole is being closed; hits may be sent; more entries may be lifted, if that is why. */
    val closes = Input(Bool())
    val sends = Input(Bool())
    val allowed = Input(Bool())

    /** Entries that are sent without a search: named ones, or those that are lifted. */
    val named = Flipped(Valid(new FilterHits(p, t)))

    /** An answer: what it leaves is dropped; what a request behind it has found stays if it
      * `keeps`.
      */
    val verified = Input(Bool())
    val keeps = Input(Bool())

    /** A request is taken while no other has hits; whether it is ahead of its turn. */
    val restart = Flipped(Valid(Bool()))

    /** One is sent: its lane, one-hot, and its row. */
    val picks = Output(Bool())
    val oldest = Output(UInt(lanes.W))
    val row = Output(UInt(rowBits.W))

    /** The next row cannot be taken. */
    val stalls = Output(Bool())

    /** Hits are there; some can be sent; they are a request's ahead; more than one of a row are. */
    val some = Output(Bool())
    val pending = Output(Bool())
    val isAhead = Output(Bool())
    val more = Output(Bool())
  })
  private val fresh = Reg(UInt(lanes.W))
  private val freshRow = Reg(UInt(rowBits.W))
  private val freshAhead = Reg(Bool())
  private val left = Reg(UInt(lanes.W))
  private val leftRow = Reg(UInt(rowBits.W))
  private val more = Reg(Bool())
  private val some = fresh.orR
  private val waits = (io.ahead && freshAhead) || io.closes
  private val stalls = more || (some && waits)
  when(!stalls) {
    fresh := Mux(io.hits.valid, io.hits.bits.lanes, 0.U)
    freshRow := io.hits.bits.row
    freshAhead := io.ahead
  }

  private val current = Mux(more, left, fresh)
  private val currentRow = Mux(more, leftRow, freshRow)
  private val oldest = OldestFirst.first(current)
  private val pending = more || (some && !waits)
  io.picks := io.sends && pending && !io.verified && io.allowed
  left := current & ~oldest
  leftRow := currentRow
  more := (more || !waits) && OldestFirst.atLeastTwo(current)
  when(io.named.valid) {
    fresh := io.named.bits.lanes
    freshRow := io.named.bits.row
    more := false.B
  }
  when(io.verified) {
    more := false.B
    when(!io.keeps)(fresh := 0.U)
    freshAhead := io.ahead
  }
  when(io.restart.valid) {
    fresh := 0.U
    freshAhead := io.restart.bits
    more := false.B
  }
  io.oldest := oldest
  io.row := currentRow
  io.stalls := stalls
  io.some := some
  io.pending := pending
  io.isAhead := freshAhead
  io.more := more
}
