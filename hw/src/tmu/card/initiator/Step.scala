// SPDX-License-Identifier: Apache-2.0
package tmu.card.initiator

import chisel3._
import chisel3.util.Valid
import tmu.card.wire._

/** Answer of a target about a message. */
class MessageNote(p: InitiatorParams) extends Bundle {
  val code = UInt(ReturnCode.bits.W)
  val list = UInt(2.W)
  val generation = UInt(8.W)
  val modifiedLength = UInt(32.W)

  /** Its packets have come, its answer has not. */
  val owed = Bool()

  def end(message: UInt): MessageEnd = {
    val made = Wire(new MessageEnd(p))
    made.message := message
    made.lost := false.B
    made.code := code
    made.list := list
    made.generation := generation
    made.modifiedLength := modifiedLength
    made
  }
}

object MessageNote {
  def of(p: InitiatorParams, response: ResponsePart): MessageNote = {
    val note = Wire(new MessageNote(p))
    note.code := response.returnCode
    note.list := response.list
    note.generation := response.generation
    note.modifiedLength := response.modifiedLength
    note.owed := response.opcode === ResponseCode.later.U
    note
  }

  /** Nothing else is said: all is well. */
  def well(p: InitiatorParams, length: UInt): MessageNote = {
    val note = Wire(new MessageNote(p))
    note.code := ReturnCode.ok.U
    note.list := ResponseList.expected.U
    note.generation := 0.U
    note.modifiedLength := length
    note.owed := false.B
    note
  }
}

/** State of a connection and of what its step is about. */
class StepInput(p: InitiatorParams) extends Bundle {
  val index = UInt(p.connectionBits.W)
  val entry = new SendEntry(p)
  val now = UInt(32.W)
  val settings = new InitiatorSettings

  /** The packet that the step is about, and whether it is answered. */
  val record = new PacketRecordOut(p)
  val answered = Bool()

  /** The message that the step is about: length and id; the one behind it; what is noted of it. */
  val message = UInt(p.messageBits.W)
  val length = UInt(32.W)
  val id = UInt(16.W)
  val follower = UInt(p.messageBits.W)
  val note = new MessageNote(p)

  /** The message is this connection's and has begun; and its answer is owed. */
  val begun = Bool()
  val owed = Bool()

  /** The time that is waited for an answer, `doublings` times doubled. */
  def wait(doublings: UInt): UInt = {
    val most = InitiatorParams.longestWait.U
    val first = Mux(settings.retransmit > most, most, settings.retransmit)(
      InitiatorParams.waitBits - 1,
      0
    )
    val times = Mux(
      doublings > InitiatorParams.doublings.U,
      InitiatorParams.doublings.U,
      doublings
    )(3, 0)
    val long = first << times
    Mux(long > most, most, long)(InitiatorParams.waitBits - 1, 0)
  }
}

/** Outcome of a step. */
class Step(p: InitiatorParams) extends Bundle {
  val entry = new SendEntry(p)
  val packet = Valid(new PacketOrder(p))

  /** A number is used: `packet` is its record, at the entry's `next` before the step. */
  val allots = Bool()

  /** Marks a packet as answered. */
  val answers = Bool()
  val answeredNumber = UInt(32.W)

  /** Writes down what is known of the message, or that nothing is. */
  val notes = Bool()
  val note = new MessageNote(p)

  /** The message begins; has only its answer to come; ends. */
  val begins = Bool()
  val owes = Bool()
  val end = Valid(new MessageEnd(p))
  val counts = new InitiatorCounts
}

object Step {

  /** Nothing happens. */
  def none(p: InitiatorParams, in: StepInput): Step = {
    val step = WireDefault(0.U.asTypeOf(new Step(p)))
    step.entry := in.entry
    step
  }

  /** The timer runs from now on. */
  def arm(step: Step, in: StepInput, microseconds: UInt): Unit = {
    step.entry.armed := true.B
    step.entry.deadline := in.now + microseconds + 1.U
  }

  /** The connection is no more; messages that wait open it again. */
  def close(step: Step, in: StepInput): Unit = {
    val entry = step.entry
    entry.state := SendState.idle
    entry.live := in.entry.waits
    entry.clear := in.entry.next - 1.U
    entry.cack := in.entry.next - 1.U
    entry.sent := in.entry.next
    entry.begun := false.B
    entry.owed := 0.U
    entry.paused := false.B
    entry.walks := false.B
    entry.armed := false.B
    entry.closing := false.B
    entry.closeSent := false.B
    entry.losing := false.B
  }
}
