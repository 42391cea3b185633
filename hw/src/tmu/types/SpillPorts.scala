// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import chisel3.util.Valid
import tmu.params.TmuParams

/** A command whose endpoint has queues in memory, which have to answer it: the tables have not. */
class Deferred(p: TmuParams) extends Bundle {
  val operation = new Operation(p)

  /** Its position in its endpoint's order (R7). */
  val serial = UInt(32.W)

  /** Allowance that the quota leaves beside the entries on chip. */
  val allowance = new Allowance(p)

  /** A flush: receives and messages that it has removed on chip. */
  val removed = Vec(2, UInt(32.W))
}

/** Outcome of an injected command. */
class Injected(p: TmuParams) extends Bundle {

  /** The command did its work: appended an entry, or took an endpoint's mark away. */
  val done = Bool()

  /** A retry has found an entry: this one. */
  val found = Bool()
  val entry = new SpillEntry(p)
}

/** Between the matching unit and the part that keeps queues in memory. */
class SpillPorts(p: TmuParams) extends Bundle {

  /** Memory was registered: full tables do not refuse. */
  val registered = Input(Bool())

  /** There is room for it always: commands enter only while there is. */
  val deferred = Valid(new Deferred(p))

  /** An injected command has been decided; in their order. */
  val injected = Valid(new Injected(p))

  /** Slots for receives and messages on chip that are in use, or kept for an endpoint. */
  val counts = Output(Vec(2, UInt(p.depthBits.W)))

  /** The clock by which operations were accepted; a reset starts it anew. */
  val now = Output(UInt(32.W))
}

object SpillPorts {

  /** Whether memory counts: once the unit is empty, for a slot of two may be inside when it is
    * registered, and no two commands are deferred at once (R11).
    */
  def spills(ports: SpillPorts, drained: Bool): Bool = {
    val counts = RegInit(false.B)
    when(ports.registered && drained)(counts := true.B)
    counts
  }
}
