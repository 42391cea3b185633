// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import tmu.contract.{Code, Opcodes, Statuses}

/** What each operation asks of the queues, and what the answers mean: pure functions of the law. */
object MatchRules {
  def is(opcode: UInt, code: Code): Bool = opcode === code.value.U

  /** Searches or changes the unexpected-message queue first (R4, R5, R8, R9). */
  def searchesUnexpected(opcode: UInt): Bool =
    is(opcode, Opcodes.post) || is(opcode, Opcodes.probe) || is(opcode, Opcodes.claim)

  /** Is appended to its own queue when the other one has no match (R5, R6). */
  def appends(opcode: UInt): Bool = is(opcode, Opcodes.post) || is(opcode, Opcodes.arrive)

  /** The queue operation that starts a command. */
  def operation(opcode: UInt): SearchOperation.Type = {
    val result = WireDefault(SearchOperation.take)
    when(is(opcode, Opcodes.probe))(result := SearchOperation.find)
    when(is(opcode, Opcodes.cancel))(result := SearchOperation.takeId)
    when(is(opcode, Opcodes.inspect))(result := SearchOperation.at)
    result
  }

  /** Verdict of a search that hit. */
  def onHit(opcode: UInt): UInt = {
    val result = WireDefault(UInt(8.W), Statuses.matched.value.U)
    when(is(opcode, Opcodes.probe))(result := Statuses.found.value.U)
    when(is(opcode, Opcodes.cancel))(result := Statuses.cancelled.value.U)
    when(is(opcode, Opcodes.flush))(result := Statuses.removed.value.U)
    when(is(opcode, Opcodes.inspect))(result := Statuses.entry.value.U)
    result
  }

  /** Verdict of a search that missed; `room` is whether the own queue takes another entry (R11). */
  def onMiss(opcode: UInt, room: Bool): UInt = {
    val result = WireDefault(UInt(8.W), Statuses.none.value.U)
    when(is(opcode, Opcodes.cancel))(result := Statuses.late.value.U)
    when(is(opcode, Opcodes.flush))(result := Statuses.flushed.value.U)
    when(is(opcode, Opcodes.inspect))(result := Statuses.empty.value.U)
    when(is(opcode, Opcodes.post)) {
      result := Mux(room, Statuses.queued.value.U, Statuses.refusedQuota.value.U)
    }
    when(is(opcode, Opcodes.arrive)) {
      result := Mux(room, Statuses.queued.value.U, Statuses.stalled.value.U)
    }
    result
  }

  /** Room in a queue: below the endpoint's quota, if it has one, and the table not full (R11). */
  def room(depth: UInt, quota: UInt, count: UInt, capacity: Int): Bool =
    count < capacity.U && (quota === 0.U || depth < quota)

  /** Whether a verdict takes the endpoint's next serialisation number (R7). */
  def takesSerial(status: UInt): Bool = !Seq(
    Statuses.removed,
    Statuses.refusedEndpoint,
    Statuses.malformed,
    Statuses.refusedPrivilege,
    Statuses.entry,
    Statuses.empty
  ).map(is(status, _)).reduce(_ || _)
}
