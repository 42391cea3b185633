// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import tmu.params.{TableParams, TmuParams}
import tmu.types.{FoundLane, LaneFault, Slot}

/** A slot that has walked the arrays while a queue was longer than its array. */
class ParkedSlot(p: TmuParams) extends Bundle {
  val slot = new Slot(p)
  val found = Vec(2, Bool())
  val faults = Vec(2, new LaneFault)
  val pairs = Bool()
  val postFound = new FoundLane(p, TableParams.unexpected(p))
  val arrivalFound = new FoundLane(p, TableParams.posted(p))
}
