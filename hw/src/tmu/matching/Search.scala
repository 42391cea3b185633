// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{Decoupled, Valid}
import tmu.params.TmuParams

/** What a table can be asked to do. Each is one atomic step on the ordered table. */
object SearchOperation extends ChiselEnum {

  /** Oldest matching entry; it stays (R8). */
  val find = Value

  /** Oldest matching entry; it leaves (R3, R4, R9, R14). */
  val take = Value

  /** The receive with this endpoint and id; it leaves (R10). */
  val takeId = Value

  /** The entry becomes the youngest. The asker has made sure that there is room. */
  val append = Value

  /** The entry at a position, oldest is 0; it stays. */
  val at = Value
}

class SearchRequest(p: TmuParams, t: TableParams) extends Bundle {
  val operation = SearchOperation()
  val endpoint = UInt(p.endpointBits.W)
  val key = new MatchKey(p)

  /** Bits that the asker ignores, in addition to those that the entry ignores. */
  val ignore = new MatchKey(p)
  val id = UInt(p.idBits.W)

  /** Append: where the whole entry lies. */
  val slot = UInt(t.slotBits.W)

  /** For at: a position beyond the youngest entry is a miss. */
  val position = UInt(32.W)
}

class SearchReply(t: TableParams) extends Bundle {
  val hit = Bool()
  val slot = UInt(t.slotBits.W)

  /** Entries compared: up to and including the hit, all on a miss; 0 for append and at. */
  val visited = UInt(t.countBits.W)
}

/** The seam between the matching unit and whatever searches a table.
  *
  * Requests are carried out one after another in the order in which they are accepted: each sees
  * every effect of those before it, and replies come back in that order, one each. How many are in
  * flight and how long each takes is the engine's own affair.
  */
class SearchPort(p: TmuParams, t: TableParams) extends Bundle {
  val request = Flipped(Decoupled(new SearchRequest(p, t)))
  val reply = Valid(new SearchReply(t))

  /** Entries in the table, after all requests accepted so far. */
  val count = Output(UInt(t.countBits.W))

  /** No request is accepted and unfinished. */
  val idle = Output(Bool())
}
