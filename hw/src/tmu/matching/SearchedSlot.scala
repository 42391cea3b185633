// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import tmu.params.{TableParams, TmuParams}
import tmu.types.{FoundLane, LaneFault, Slot}

/** A slot whose operations have searched, with what they found: from the walk through the arrays,
  * or from there and from the memory rows.
  *
  * Index 0 is the post, which searches messages; 1 is the arrival, which searches receives.
  */
class SearchedSlot(p: TmuParams) extends Bundle {
  val slot = new Slot(p)
  val found = Vec(2, Bool())
  val faults = Vec(2, new LaneFault)

  /** The arrival matches the post beside it. */
  val pairs = Bool()

  /** A clock after the others: where what was found lies. */
  val postFound = new FoundLane(p, TableParams.unexpected(p))
  val arrivalFound = new FoundLane(p, TableParams.posted(p))
}
