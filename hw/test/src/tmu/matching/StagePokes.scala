// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3.util.Valid
import tmu.DeviceSpec
import tmu.layout.{Code, Opcodes, Statuses}
import tmu.rules.Decision
import tmu.types.{MatchCommand, Operation, Slot}

/** An operation as a stage of the matching unit sees it. */
case class PlainOp(
    opcode: Code,
    endpoint: Int = 0,
    key: PlainKey = PlainKey.zero,
    ignore: PlainKey = PlainKey.zero,
    handle: BigInt = 0,
    id: BigInt = 0,
    length: BigInt = 0,
    address: BigInt = 0,
    status: Option[Code] = None
)

/** Puts plain operations and decisions on the ports of stages. */
trait StagePokes extends TablePokes { this: DeviceSpec =>
  private val appending = Set(Opcodes.post, Opcodes.arrive)

  protected def pokeCommand(port: MatchCommand, op: PlainOp): Unit = {
    port.opcode.poke(op.opcode.value)
    port.malformed.poke(op.status.contains(Statuses.malformed))
    port.privileged.poke(true)
    port.flushes.poke(op.opcode == Opcodes.flush && op.status.isEmpty)
    port.searches.poke(op.status.isEmpty)
    port.status.poke(op.status.fold(0)(_.value))
    port.page.poke(0)
    port.endpoint.poke(op.endpoint)
    pokeKey(port.key, op.key)
    pokeKey(port.ignore, op.ignore)
    port.handle.poke(op.handle)
    port.address.poke(op.address)
    port.length.poke(op.length)
    port.id.poke(op.id)
    port.position.poke(0)
    port.inspectUnexpected.poke(true)
    port.stamp.poke(0)
    port.spill.refills.poke(false)
    port.spill.releases.poke(false)
    port.spill.retries.poke(false)
  }

  protected def pokeOperation(port: Valid[Operation], op: Option[PlainOp]): Unit = {
    port.valid.poke(op.isDefined)
    for (o <- op) {
      pokeCommand(port.bits.command, o)
      port.bits.takes.poke(o.opcode != Opcodes.probe && o.opcode != Opcodes.inspect)
      port.bits.appends.poke(appending(o.opcode))
      port.bits.serial.poke(o.status.isEmpty && o.opcode != Opcodes.inspect)
      port.bits.sweeps.poke(false)
      port.bits.accepted.poke(0)
    }
  }

  protected def pokeSlot(port: Slot, post: Option[PlainOp], arrival: Option[PlainOp]): Unit = {
    pokeOperation(port.post, post)
    pokeOperation(port.arrival, arrival)
  }

  /** Outcomes of a slot, as its decision says. */
  protected def pokeDecision(port: Decision, decided: PlainDecision): Unit = {
    for ((outcome, s) <- Seq(port.post, port.arrival).zipWithIndex) {
      outcome.answers.poke(true)
      outcome.room.poke(true)
      outcome.found.poke(decided.takes(s))
      outcome.takes.poke(decided.takes(s))
      outcome.appends.poke(decided.appends(s))
      outcome.defers.poke(false)
      outcome.releases.poke(false)
    }
    port.takesPost.poke(decided.takesPost)
    port.takesQueued.poke(decided.takes(1) && !decided.takesPost)
  }
}

/** Whether the post and the arrival of a slot take an entry, and are appended. */
case class PlainDecision(
    takes: Seq[Boolean] = Seq(false, false),
    appends: Seq[Boolean] = Seq(false, false),
    takesPost: Boolean = false
)
