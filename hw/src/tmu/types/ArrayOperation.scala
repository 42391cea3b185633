// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import tmu.mutant.Mutant
import tmu.params.{TableParams, TmuParams}

/** Request of an operation to a match array, as it travels from row to row. */
class ArrayOperation(p: TmuParams, t: TableParams) extends Bundle {

  /** The operation searches this array; otherwise it only keeps its position in the order. */
  val searches = Bool()

  /** A hit leaves the array (R3, R4, R9, R10, R14); without it, it stays (R8). */
  val takes = Bool()

  /** The position is named instead of a key: positions count from the old end, some are empty. */
  val byPosition = Bool()
  val position = UInt(t.positionBits.W)

  /** The receive id is named instead of a key (R10). Messages have none. */
  val byId = if (t.receives) Some(Bool()) else None
  val id = if (t.receives) Some(UInt(p.idBits.W)) else None
  val endpoint = UInt(p.endpointBits.W)
  val key = new MatchKey(p)

  /** Bits that the asker ignores, in addition to those that the entry ignores. */
  val ignore = new MatchKey(p)
}

object ArrayOperation {

  /** One lane's comparator: rule R1 for a key, or the id, always within the endpoint (R13). */
  def hits(p: TmuParams, t: TableParams, asks: ArrayOperation, entry: LaneEntry): Bool = {
    val ignored = entry.ignore.getOrElse(MatchKey.exact(p))
    val byKey = MatchKey.matches(asks.key, asks.ignore, entry.key, ignored)
    val named =
      for { by <- asks.byId; want <- asks.id; have <- entry.id } yield Mux(
        by,
        want === have,
        byKey
      )
    Mutant("endpoint", asks.endpoint === entry.endpoint)(_ => true.B) && named.getOrElse(byKey)
  }
}
