// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.Decoupled
import tmu.layout.Opcodes
import tmu.params.TmuParams
import tmu.rules.{CommandCheck, MatchRules, OperationRules}
import tmu.types.{MatchCommand, Slot}

/** Accept, clock 0: the slot that enters the unit.
  *
  * A slot enters only when there is room for its answers, so that none ever waits behind this stage
  * (R11). A flush enters an empty unit and is a stream of slots of its own (R14); an endpoint
  * request, a lift and an inspect close the unit to all others until they have been served.
  */
class AcceptStage(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val post = Flipped(Decoupled(new MatchCommand(p)))
    val arrival = Flipped(Decoupled(new MatchCommand(p)))
    val now = Input(UInt(32.W))

    /** The sweep after reset is done; there is room for a slot's answers; no slot is inside. */
    val ready = Input(Bool())
    val room = Input(Bool())
    val drained = Input(Bool())

    /** An endpoint request waits or is served. */
    val requested = Input(Bool())

    /** The memory rows let nothing in; they let no inspect in. */
    val holdsBack = Input(Bool())
    val holdsInspects = Input(Bool())

    /** Memory is registered; and it counts, once the unit has been empty since. */
    val registered = Input(Bool())
    val spills = Input(Bool())

    /** A flush's take was decided: it found an entry, or found nothing. */
    val removed = Input(Bool())
    val missed = Input(Bool())
    val slot = Output(new Slot(p))
    val enters = Output(Bool())

    /** An inspect waits or enters. */
    val inspects = Output(Bool())

    /** A flush is under way; receives and messages that it has removed. */
    val flushing = Output(Bool())
    val counts = Output(Vec(2, UInt(32.W)))
  })
  private val flush = Module(new FlushSequencer(p))
  private val streams = Seq(io.post, io.arrival)
  CommandCheck.checkFlush(p, io.post)
  streams.foreach(CommandCheck.checkEarly(p, _))

  private val flushNext = io.post.valid && io.post.bits.flushes
  io.inspects :=
    streams.map(s => s.valid && MatchRules.is(s.bits.opcode, Opcodes.inspect)).reduce(_ || _)
  private val opensAlone = io.ready && !io.requested && !io.holdsBack &&
    (!io.registered || io.spills) && !(io.inspects && io.holdsInspects)
  private val canIssue = io.ready && io.room
  private val opens = canIssue && opensAlone && !flush.io.busy && !flushNext

  // While memory is registered, one command a slot, so that one is deferred at most.
  io.post.ready := Mux(flushNext, flush.io.start.ready && opensAlone, opens)
  io.arrival.ready := opens && !(io.registered && io.post.valid)
  flush.io.start.valid := flushNext && opensAlone
  flush.io.start.bits := io.post.bits
  flush.io.now := io.now
  flush.io.canIssue := canIssue
  flush.io.drained := io.drained
  flush.io.removed := io.removed
  flush.io.missed := io.missed
  io.flushing := flush.io.busy
  io.counts := flush.io.counts

  private val accepted = OperationRules.slot(p, io.post, !flushNext, io.arrival, io.now)
  io.slot := Mux(flush.io.busy, flush.io.slot, accepted)
  io.enters := io.slot.post.valid || io.slot.arrival.valid
}
