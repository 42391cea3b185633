// SPDX-License-Identifier: Apache-2.0
package tmu.fault

import chisel3._
import chisel3.util.Valid
import tmu.layout.Opcodes
import tmu.params.TmuParams
import tmu.rules.{MatchRules, Outcome}
import tmu.types.{LaneFault, Operation}

/** Tells which endpoints can not be trusted any more, of the operations of one stream.
  *
  * An operation that met a flipped bit may have been decided wrongly: its endpoint is told two
  * clocks later, before its verdict can leave the unit. If the lane that it found had lost a bit of
  * its endpoint, the entry is another endpoint's, which has lost it and is told too; of a lane that
  * had lost a bit of its slot the entry is another one's, too, but that one has its own lane, or it
  * is what lies in a slot that is free: it tells nothing. If the entry's own endpoint has lost a
  * bit, it may be anybody's, and everyone is told. An inspect asks for no endpoint; it tells that
  * of the entry.
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

    /** A clock later: what the lane that was found says its endpoint's parity is. */
    val endpointParity = Input(Bool())

    /** Two clocks later: the entry that was found, and whether it is what was stored. */
    val entryEndpoint = Input(UInt(p.endpointBits.W))
    val entryBroken = Input(Bool())
    val entryLost = Input(Bool())

    /** The operation's endpoint; the entry's. */
    val raised = Vec(2, Valid(UInt(p.endpointBits.W)))

    /** At the same time: every endpoint may have lost an entry. */
    val everyone = Output(Bool())

    /** At the same time: what was taken leaves a slot that can be allocated again. */
    val releases = Output(Bool())
  })
  private def late(event: Bool): Bool = RegNext(RegNext(event, false.B), false.B)
  private val found = late(io.stored && io.outcome.found)
  private val lane = late(io.op.valid && io.lane.compared)
  private val state = late(io.op.valid && io.state)
  private val inspects = late(MatchRules.is(io.op.bits.command.opcode, Opcodes.inspect))
  private val endpoint = RegNext(Operation.endpoint(p, io.op.bits))
  private val foundLane = late(io.lane.found)
  private val wrong = found && (foundLane || io.entryBroken)
  // The entry that was found has the operation's endpoint, so that gives the parity: else it is
  // another one's.
  private val turned = RegNext(io.endpointParity =/= endpoint.xorR)
  private val strays = foundLane && !turned && !inspects
  io.raised(0).valid := (lane || wrong || state) && !inspects
  io.raised(0).bits := RegNext(endpoint)
  io.raised(1).valid := wrong && !strays
  io.raised(1).bits := io.entryEndpoint
  io.everyone := wrong && !strays && io.entryLost
  io.releases := late(io.stored && io.outcome.takes) && !wrong
}
