// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.Valid
import tmu.params.TmuParams
import tmu.spill.SpillEntry

/** A command whose endpoint has queues in memory, which have to answer it: the tables have not. */
class Deferred(p: TmuParams) extends Bundle {
  val operation = new Operation(p)

  /** Its place in its endpoint's order (R7). */
  val serial = UInt(32.W)

  /** What the quota leaves beside the entries on chip. */
  val allowance = new Allowance(p)

  /** A flush: receives and messages that it has removed on chip. */
  val removed = Vec(2, UInt(32.W))
}

/** What became of an injected command. */
class Injected(p: TmuParams) extends Bundle {

  /** It did what it asked: appended an entry, or took an endpoint's mark away. */
  val done = Bool()

  /** A retry has found an entry: this one. */
  val found = Bool()
  val entry = new SpillEntry(p)
}

/** Between the matching unit and the part that keeps queues in memory. */
class SpillPorts(p: TmuParams) extends Bundle {

  /** Memory was lent: full tables do not refuse. */
  val lent = Input(Bool())

  /** There is room for it always: who lets commands in sees to it. */
  val deferred = Valid(new Deferred(p))

  /** An injected command has been decided; in their order. */
  val injected = Valid(new Injected(p))

  /** Places for receives and messages on chip that are in use, or kept for an endpoint. */
  val counts = Output(Vec(2, UInt(p.depthBits.W)))

  /** The clock by which operations were accepted; a reset starts it anew. */
  val now = Output(UInt(32.W))
}

object SpillPorts {

  /** Whether memory counts: once the unit is empty, for a slot of two may be inside when it is
    * lent, and no two commands are deferred at once (R11).
    */
  def lent(ports: SpillPorts, drained: Bool): Bool = {
    val counts = RegInit(false.B)
    when(ports.lent && drained)(counts := true.B)
    counts
  }
}

/** What goes on in memory, for the counters. */
class SpillActivity extends Bundle {
  val deferred = Bool()
  val appended = Bool()
  val taken = Bool()
  val refilled = Bool()
  val falsePositive = Bool()
  val refused = Bool()
  val error = Bool()
  val reads = new StreamState
  val writes = new StreamState
}

/** What memory has to do with an operation, known before it is decided. */
class SpillView extends Bundle {

  /** Its endpoint goes on in memory, so nothing is appended here but what comes from there. */
  val spilling = Bool()

  /** What the tables do not answer is deferred. */
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

  /** @param seen
    *   its sender has seen all that was deferred at its endpoint
    * @param spare
    *   its own queue's table takes another entry
    * @param allowed
    *   its quota does
    * @param chained
    *   no refill of those in a row has failed
    */
  def apply(
      op: Operation,
      mark: SpillMark,
      seen: Bool,
      lent: Bool,
      spare: Bool,
      allowed: Bool,
      chained: Bool
  ): SpillView = {
    val asks = op.command.spill
    val overflows = lent && !spare && allowed && op.appends && op.command.searches
    val view = Wire(new SpillView)
    view.spilling := mark.spilling
    view.defers := Resolve.mayWait(op) && !asks.retries && (mark.spilling || overflows)
    view.refills := (seen || asks.sure) && spare && (asks.first || chained)
    view.releases := seen
    view
  }
}
