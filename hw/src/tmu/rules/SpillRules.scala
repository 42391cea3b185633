// SPDX-License-Identifier: Apache-2.0
package tmu.rules

import chisel3._
import tmu.types.{Operation, SpillMark, SpillView}

/** Queues that go on in memory, as the decision sees them (R11): pure functions. */
object SpillRules {

  /** View of memory for an operation.
    *
    * @param seen
    *   its sender has seen all that was deferred at its endpoint
    * @param spare
    *   its own queue's table takes another entry
    * @param allowed
    *   its quota does
    * @param chained
    *   no refill of those in a row has failed
    */
  def view(
      op: Operation,
      mark: SpillMark,
      seen: Bool,
      spills: Bool,
      spare: Bool,
      allowed: Bool,
      chained: Bool
  ): SpillView = {
    val asks = op.command.spill
    val overflows = spills && !spare && allowed && op.appends && op.command.searches
    val view = Wire(new SpillView)
    view.spilling := mark.spilling
    view.defers := Resolve.mayWait(op) && !asks.retries && (mark.spilling || overflows)
    view.refills := (seen || asks.sure) && spare && (asks.first || chained)
    view.releases := seen
    view
  }
}
