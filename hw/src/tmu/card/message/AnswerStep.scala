// SPDX-License-Identifier: Apache-2.0
package tmu.card.message

import chisel3._
import chisel3.util.{Decoupled, UIntToOH, Valid}
import tmu.buffer.{BlockQueue, PointerQueue}
import tmu.card.pdc.HandledPacket
import tmu.card.wire._

/** Answers to packets, in the order of packets.
  *
  * The last packet of a message is answered when the unit has said where the message goes: all is
  * well, or it is longer than its receive (R12), or it has met none. Those behind it wait.
  */
class AnswerStep(m: MessageParams) extends Module {
  val io = IO(new Bundle {
    val intent = Flipped(Decoupled(new AnswerIntent(m)))

    /** A message begins, with a number that was free. */
    val begun = Flipped(Valid(UInt(m.messageBits.W)))

    /** Always taken; once for each message. */
    val say = Flipped(Valid(new ArrivalAnswer(m)))

    /** Of every packet that was delivered, sent or not. */
    val answer = Decoupled(new HandledPacket)

    /** Nothing more is answered for this message. */
    val answered = Valid(UInt(m.messageBits.W))
    val idle = Output(Bool())
  })
  private val intents = Module(new BlockQueue(new AnswerIntent(m), m.answers))
  private val answers = Module(new PointerQueue(new HandledPacket, 3))
  intents.io.enq <> io.intent
  io.answer <> answers.io.deq
  private val intent = intents.io.deq.bits

  private val said = Mem(m.messages, new ArrivalAnswer(m))
  private val known = RegInit(0.U(m.messages.W))
  when(io.say.valid)(said.write(io.say.bits.message, io.say.bits))
  private val say = said.read(intent.message)
  private val able = !intent.asks || known(intent.message)
  private val goes = intents.io.deq.valid && able && answers.io.enq.ready
  intents.io.deq.ready := able && answers.io.enq.ready
  io.answered.valid := goes && intent.ends
  io.answered.bits := intent.message
  private def bit(valid: Bool, message: UInt): UInt =
    Mux(valid, UIntToOH(message, m.messages), 0.U)
  // The verdict on a message that has ended early is never asked for, so the beginning of the next
  // message with its number clears it.
  known := (known | bit(io.say.valid, io.say.bits.message)) & ~bit(io.begun.valid, io.begun.bits)

  answers.io.enq.valid := goes && intent.delivered
  answers.io.enq.bits := answer
  io.idle := intents.io.count === 0.U && !answers.io.deq.valid

  private def answer: HandledPacket = {
    val made = Wire(new HandledPacket)
    made.sends := intent.sends
    val packet = intent.packet
    val (pds, ses) = (packet.pds, packet.ses)
    val fits = say.room >= ses.requestLength
    val good = Mux(
      intent.asks,
      say.kind === ArrivalKind.expected.U && fits,
      intent.code === ReturnCode.ok.U
    )
    val overflow = intent.asks && say.kind === ArrivalKind.unexpected.U
    val stalled = say.kind === ArrivalKind.stalled.U
    val lost = say.kind === ArrivalKind.lost.U
    val refusal = Mux(stalled, ReturnCode.disabledGeneration.U, ReturnCode.uncorrectable.U)
    val refused = intent.asks && (stalled || lost)
    made.ethernet := packet.ethernet
    made.internet := packet.internet
    made.pds.kind := PdsType.ack.U
    made.pds.next := NextHeader.response.U
    // The request arrived marked: congestion on its path.
    made.pds.flags := Mux(packet.internet.ecn === 3.U, PdsLayout.marked.U, 0.U) |
      (pds.flags & PdsLayout.retransmitted.U) | Mux(good, 0.U, PdsLayout.wantsClear.U)
    made.pds.offset := 0.U
    made.pds.psn := pds.psn
    made.pds.spdcid := packet.pdc
    made.pds.dpdcid := pds.spdcid
    made.pds.payload := 0.U
    made.response.list := Mux(overflow, ResponseList.overflow.U, ResponseList.expected.U)
    made.response.opcode := Mux(good, ResponseCode.default.U, ResponseCode.response.U)
    made.response.returnCode := Mux(
      intent.asks,
      Mux(refused, refusal, ReturnCode.ok.U),
      intent.code
    )
    made.response.messageId := ses.messageId
    made.response.generation := intent.generation
    made.response.job := ses.job
    made.response.modifiedLength := Mux(
      good || overflow,
      ses.requestLength,
      Mux(intent.asks && !refused, say.room, 0.U)
    )
    made
  }
}
