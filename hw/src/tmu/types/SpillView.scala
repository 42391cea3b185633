// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._

/** State of memory that concerns an operation, known before it is decided. */
class SpillView extends Bundle {

  /** Its endpoint goes on in memory, so nothing is appended here but what comes from there. */
  val spilling = Bool()

  /** An operation that the tables do not answer is deferred. */
  val defers = Bool()

  /** An injected operation may do what it asks: nothing was deferred that its sender has not seen,
    * and there is room for a refill.
    */
  val refills = Bool()
  val releases = Bool()
}

object SpillView {

  /** In a unit that takes no memory. */
  def none: SpillView = 0.U.asTypeOf(new SpillView)
}
