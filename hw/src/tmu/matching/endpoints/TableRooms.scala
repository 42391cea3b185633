// SPDX-License-Identifier: Apache-2.0
package tmu.matching.endpoints

import chisel3._
import tmu.mutant.Mutant
import tmu.params.TmuParams
import tmu.rules.Outcome

/** Whether the tables on chip have room for the operations of a slot (R11), reserves of endpoints
  * set apart (R13).
  *
  * A table's free slots, less those that reserves still lack, are open to all; there are none, or
  * less than none, while reserves lack more than is free. An endpoint within its reserve may take
  * any free slot. An append within the reserve, or a take after which the endpoint is within it,
  * leaves the open slots as they are.
  */
class TableRooms(p: TmuParams) extends Module {
  val io = IO(new Bundle {

    /** Entries of each table, and whether there is room for one more. */
    val counts = Input(Vec(2, UInt(p.depthBits.W)))
    val below = Input(Vec(2, Bool()))

    /** Of the slot to decide; both streams are at one endpoint. */
    val reserves = Input(new ReserveState(p))
    val same = Input(Bool())

    /** Its own queue's table has room. */
    val spare = Output(Vec(2, Bool()))

    /** The arrival's has, once the post has taken a message: of its own endpoint, or of another. */
    val afterTake = Output(Bool())
    val afterOther = Output(Bool())

    /** Outcomes of the operations, in the same clock. */
    val outcomes = Input(Vec(2, new Outcome(p)))

    /** Slots of each table that are in use or kept for somebody. */
    val taken = Output(Vec(2, UInt(p.depthBits.W)))
  })
  private val entries = Seq(p.postedEntries, p.unexpectedEntries)

  if (p.reserve) {
    val open = entries.map(n => RegInit(n.S((p.depthBits + 2).W)))
    for (q <- 0 to 1) {
      // Late: what is appended and what is taken. At one endpoint both together change nothing.
      val both = io.same && io.outcomes(q).appends && io.outcomes(1 - q).takes
      val fewer = io.outcomes(q).appends && !io.reserves.within(q) && !both
      val restores = Mutant("restored", io.reserves.restores(1 - q))(_ => false.B)
      val more = io.outcomes(1 - q).takes && !restores && !both
      val changed = open(q) + io.reserves.released(q)
      open(q) := Mux(fewer === more, changed, Mux(more, changed + 1.S, changed - 1.S))
      io.spare(q) := io.below(q) &&
        Mutant("reserve", io.reserves.within(q) || open(q) > 0.S)(_ => true.B)
      io.taken(q) := entries(q).U - Mux(open(q) > 0.S, open(q).asUInt(p.depthBits - 1, 0), 0.U)
      // A command that waits for a slot on chip would try for ever if a slot in use counted as
      // open.
      assert(
        open(q) <= entries(q).S - io.counts(q).zext,
        "R13: %d slots are open where %d of %d are in use",
        open(q),
        io.counts(q),
        entries(q).U
      )
    }
    val withOneMore = open(1) >= 0.S
    io.afterTake := io.reserves.restores(0) || withOneMore
    io.afterOther := io.reserves
      .within(1) || Mux(io.reserves.restores(0), open(1) > 0.S, withOneMore)
  } else {
    io.spare := io.below
    io.afterTake := true.B
    io.afterOther := true.B
    io.taken := io.counts
  }
}
