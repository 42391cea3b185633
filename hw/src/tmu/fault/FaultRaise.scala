// SPDX-License-Identifier: Apache-2.0
package tmu.fault

import chisel3._
import chisel3.util.Valid
import tmu.contract.Opcodes
import tmu.matching.{LaneFault, MatchRules, Operation, Outcome}
import tmu.params.TmuParams

/** Tells which endpoints can not be trusted any more, of the operations of one stream.
  *
  * An operation that met a flipped bit may have been decided wrongly: its endpoint is told two
  * clocks later, before its verdict can leave the unit. What it found may be another endpoint's, if
  * it was found by a word that had lost a bit; that endpoint has lost an entry then, and is told
  * too; if the entry's own endpoint has lost a bit, it may be anybody's, and everyone is told. An
  * inspect asks for no endpoint; it tells that of the entry.
  */
class FaultRaise(p: TmuParams) extends Module {
  val io = IO(new Bundle {

    /** An operation at its end; it found an entry in the store; it met a lane that has lost a bit,
      * or its endpoint's state has.
      */
    val op = Flipped(Valid(new Operation(p)))
    val outcome = Input(new Outcome(p))
    val stored = Input(Bool())
    val lane = Input(new LaneFault)
    val state = Input(Bool())

    /** Two clocks later: the entry that was found, and whether it is what was stored. */
    val entryEndpoint = Input(UInt(p.endpointBits.W))
    val entryBroken = Input(Bool())
    val entryLost = Input(Bool())

    /** The operation's endpoint; the entry's. */
    val raised = Vec(2, Valid(UInt(p.endpointBits.W)))

    /** At the same time: every endpoint may have lost an entry. */
    val everyone = Output(Bool())

    /** At the same time: what was taken leaves a slot that can be lent again. */
    val releases = Output(Bool())
  })
  private def late(event: Bool): Bool = RegNext(RegNext(event, false.B), false.B)
  private val found = late(io.stored && io.outcome.found)
  private val lane = late(io.op.valid && io.lane.met)
  private val state = late(io.op.valid && io.state)
  private val inspects = late(MatchRules.is(io.op.bits.command.opcode, Opcodes.inspect))
  private val wrong = found && (late(io.lane.found) || io.entryBroken)
  io.raised(0).valid := (lane || wrong || state) && !inspects
  io.raised(0).bits := RegNext(RegNext(Operation.endpoint(p, io.op.bits)))
  io.raised(1).valid := wrong
  io.raised(1).bits := io.entryEndpoint
  io.everyone := wrong && io.entryLost
  io.releases := late(io.stored && io.outcome.takes) && !wrong
}
