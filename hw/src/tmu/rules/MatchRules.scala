// SPDX-License-Identifier: Apache-2.0
package tmu.rules

import chisel3._
import chisel3.util.{isPow2, log2Ceil}
import tmu.layout.{Code, Opcodes, Statuses}
import tmu.params.{TableParams, TmuParams}
import tmu.types.MatchCommand

/** Questions of each operation to the queues, and the meaning of the answers: pure functions of the
  * law.
  */
object MatchRules {
  def is(opcode: UInt, code: Code): Bool = opcode === code.value.U

  /** A number that a command or a register names is one of the first `count`: without a subtraction
    * where that is a power of two, as it mostly is.
    */
  def isBelow(number: UInt, count: Int): Bool =
    if (isPow2(count)) !(number >> log2Ceil(count)).orR else number < count.U

  /** Of the stream that searches the posted-receive queue (R3, R6, R10); all others, bad commands
    * too, go with the posts (R4, R5, R8, R9).
    */
  def withArrivals(command: MatchCommand): Bool =
    is(command.opcode, Opcodes.arrive) || is(command.opcode, Opcodes.cancel) ||
      (is(command.opcode, Opcodes.inspect) && !command.inspectUnexpected)

  /** A flush that is carried out: of an endpoint that is there (R13, R14). */
  def flushes(p: TmuParams, command: MatchCommand): Bool =
    is(command.opcode, Opcodes.flush) && !command.malformed && isBelow(
      command.endpoint,
      p.endpoints
    )

  /** An id that no receive can have, of as many bits as an id is given in: the highest or a higher
    * one.
    */
  def noId(p: TmuParams, id: UInt): Bool = (id >> p.idBits).orR || id(p.idBits - 1, 0).andR

  /** Result of a command before it searches: whether it does, and the answer if not. Bad ones touch
    * no queue (R13).
    *
    * @param noId
    *   its id is that of receives without one, and no cancel names them (R10)
    */
  def early(p: TmuParams, command: MatchCommand, noId: Bool): (Bool, UInt) = {
    val inspects = is(command.opcode, Opcodes.inspect)
    val positions = Mux(
      command.inspectUnexpected,
      TableParams.unexpected(p).positions.U(32.W),
      TableParams.posted(p).positions.U(32.W)
    )
    val beyond = inspects && command.position >= positions
    val unprivileged = inspects && !command.privileged
    val refused = !isBelow(command.endpoint, p.endpoints)
    val namesNone = is(command.opcode, Opcodes.cancel) && noId
    val status = WireDefault(UInt(8.W), Statuses.empty.value.U)
    when(namesNone)(status := Statuses.late.value.U)
    when(refused)(status := Statuses.refusedEndpoint.value.U)
    when(unprivileged)(status := Statuses.refusedPrivilege.value.U)
    when(command.malformed)(status := Statuses.malformed.value.U)
    (!command.malformed && !beyond && !refused && !namesNone && !unprivileged, status)
  }

  /** Is appended to its own queue when the other one has no match (R5, R6). */
  def appends(opcode: UInt): Bool = is(opcode, Opcodes.post) || is(opcode, Opcodes.arrive)

  /** The entry found leaves the queue: all but a probe (R8) and an inspect. */
  def takes(opcode: UInt): Bool = !is(opcode, Opcodes.probe) && !is(opcode, Opcodes.inspect)

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
    when(is(opcode, Opcodes.inspect))(result := Statuses.vacant.value.U)
    when(is(opcode, Opcodes.post)) {
      result := Mux(room, Statuses.queued.value.U, Statuses.refusedQuota.value.U)
    }
    when(is(opcode, Opcodes.arrive)) {
      result := Mux(room, Statuses.queued.value.U, Statuses.stalled.value.U)
    }
    result
  }

  /** Whether a verdict takes the endpoint's next serialisation number (R7).
    *
    * @param ofCard
    *   posts can be refused for their memory
    */
  def takesSerial(status: UInt, ofCard: Boolean = false): Bool = !(Seq(
    Statuses.removed,
    Statuses.refusedEndpoint,
    Statuses.malformed,
    Statuses.refusedPrivilege,
    Statuses.entry,
    Statuses.empty,
    Statuses.vacant
  ) ++ Option.when(ofCard)(Statuses.refusedMemory)).map(is(status, _)).reduce(_ || _)
}
