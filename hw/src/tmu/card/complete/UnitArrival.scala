// SPDX-License-Identifier: Apache-2.0
package tmu.card.complete

import chisel3._
import tmu.card.message.Arrival
import tmu.layout.Opcodes
import tmu.params.TmuParams
import tmu.rules.MatchRules
import tmu.types.{MatchCommand, SpillRequest}

/** A message from the wire as a command of the unit. */
object UnitArrival {

  /** @param address
    *   of its payload while it is unexpected
    */
  def apply(p: TmuParams, arrival: Arrival, address: UInt, now: UInt): MatchCommand = {
    val command = Wire(new MatchCommand(p))
    command := 0.U.asTypeOf(command)
    command.opcode := Opcodes.arrive.value.U
    command.endpoint := arrival.endpoint
    command.key.bits := arrival.matchBits
    command.key.source := arrival.initiator
    command.handle := arrival.message
    command.address := address
    command.length := arrival.length
    command.id := p.idNone.U
    command.stamp := now
    command.spill := SpillRequest.none(p)
    val (searches, status) = MatchRules.early(p, command, true.B)
    command.searches := searches
    command.status := status
    command
  }
}
