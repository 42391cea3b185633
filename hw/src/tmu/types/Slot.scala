// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import chisel3.util.Valid
import tmu.params.TmuParams

/** Operations that enter the unit in one clock. The post comes before the arrival in the order of
  * the law: slot by slot, post then arrival, every execution is a serial one (R7).
  */
class Slot(p: TmuParams) extends Bundle {

  /** A post, probe or claim, or another command on the unexpected-message queue. */
  val post = Valid(new Operation(p))

  /** An arrival, or a command on the posted-receive queue. */
  val arrival = Valid(new Operation(p))

  /** Which of the two search. */
  def searches: Seq[Bool] =
    Seq(post, arrival).map(op => op.valid && op.bits.command.searches)
}

/** The answers to a slot. */
class SlotVerdicts(p: TmuParams) extends Bundle {
  val post = Valid(new Verdict(p))
  val arrival = Valid(new Verdict(p))
}
