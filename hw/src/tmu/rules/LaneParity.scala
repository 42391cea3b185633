// SPDX-License-Identifier: Apache-2.0
package tmu.rules

import chisel3._
import chisel3.util.Cat
import tmu.types.{ArrayOperation, LaneEntry}

/** Parity of a lane of an array: a bit for the endpoint and one for all else, so that a flipped bit
  * anywhere else is a matter of that endpoint alone (R13). Pure functions.
  */
object LaneParity {
  private def rest(entry: LaneEntry): Bool = {
    val parts = Seq(entry.key.asUInt, entry.slot) ++ entry.ignore.map(_.asUInt) ++ entry.id
    Cat(parts).xorR
  }

  /** Gives an entry its parity. One that has been stored before keeps what it has lost there: any
    * bit, or one of its endpoint.
    */
  def set(entry: LaneEntry, broken: Bool = false.B, lost: Bool = false.B): Unit =
    entry.parity.foreach(_ := Cat(entry.endpoint.xorR ^ lost, rest(entry) ^ broken))

  /** Whether an operation must not rely on a lane that holds this entry: the entry is of its
    * endpoint and has lost a bit, or its endpoint has and it may be. A position that is named has
    * to be whole, no other.
    *
    * @param hit
    *   the entry is what the operation asks for
    */
  def suspect(asks: ArrayOperation, entry: LaneEntry, hit: Bool): Bool =
    entry.parity.fold(false.B) { parity =>
      val lost = parity(1) ^ entry.endpoint.xorR
      val bad = parity(0) ^ rest(entry)
      Mux(asks.byPosition, hit && (lost || bad), lost || (bad && entry.endpoint === asks.endpoint))
    }
}
