// SPDX-License-Identifier: Apache-2.0
package tmu.rules

import chisel3._
import tmu.mutant.Mutant
import tmu.params.TmuParams
import tmu.types.{Operation, Slot, SpillView}

/** Room for a slot's operations in the queues that they append to (R11). */
class Rooms extends Bundle {

  /** For the post among the receives; for the arrival among the messages. */
  val post = Bool()
  val arrival = Bool()

  /** For the arrival once the post has taken a message: of its own endpoint, or of another. */
  val afterTake = Bool()
  val afterOther = Bool()

  /** Memory beyond the tables, for the post and for the arrival. */
  val spill = Vec(2, new SpillView)
}

/** Outcomes of the operations of one slot. */
class Decision(p: TmuParams) extends Bundle {
  val post = new Outcome(p)
  val arrival = new Outcome(p)

  /** The arrival takes the post of its own slot, which is queued nowhere then; or a receive that
    * was queued before.
    */
  val takesPost = Bool()
  val takesQueued = Bool()
}

object Decision {

  /** Decides a slot: the post first, then the arrival, as if one after the other (R5, R6, R7).
    *
    * @param found
    *   whether the search of the post, and of the arrival, found an entry
    * @param pairs
    *   the arrival asks for what the post would append
    */
  def apply(p: TmuParams, slot: Slot, found: Seq[Bool], pairs: Bool, rooms: Rooms): Decision = {
    val out = Wire(new Decision(p))
    val arrival = slot.arrival
    val same =
      Operation.endpoint(p, slot.post.bits) === Operation.endpoint(p, arrival.bits)
    out.post := Resolve(p, slot.post, found(0), rooms.post, rooms.spill(0))
    val (ask, foundReceive) = (arrival.bits, found(1))
    // A post beside an arrival neither goes to memory nor comes from there: while memory is registered there
    // is one command a slot. What is known of memory comes late, so it is left out here.
    val post = slot.post
    val queues = post.valid && post.bits.command.searches && !found(0) && post.bits.appends &&
      rooms.post
    val takes = arrival.valid && ask.command.searches && ask.takes
    out.takesPost := takes && Mutant("pair_first", !foundReceive)(_ => true.B) && pairs && queues
    out.takesQueued := takes && foundReceive
    out.arrival := Resolve(
      p,
      arrival,
      foundReceive || out.takesPost,
      Mux(out.post.takes, Mux(same, rooms.afterTake, rooms.afterOther), rooms.arrival),
      rooms.spill(1)
    )
    out
  }
}
