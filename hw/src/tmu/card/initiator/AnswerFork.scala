// SPDX-License-Identifier: Apache-2.0
package tmu.card.initiator

import chisel3._
import chisel3.util.Decoupled
import tmu.buffer.PointerQueue
import tmu.card.wire.{PacketRecord, Verdict}

/** Answers to packets of ours go to the initiator, which says what has become of each (W6).
  *
  * Their records go on so that beats of payload are freed, as those of frames that were dropped: of
  * them the table of the target's connections counts nothing.
  */
class AnswerFork extends Module {
  val io = IO(new Bundle {
    val in = Flipped(Decoupled(new PacketRecord))
    val out = Decoupled(new PacketRecord)
    val answer = Decoupled(new SendAnswer)
    val idle = Output(Bool())
  })
  private val answers = Module(new PointerQueue(new SendAnswer, 3))
  private val record = io.in.bits
  private val taken = record.verdict === Verdict.accepted.U && SendAnswer.is(record)
  io.in.ready := io.out.ready && answers.io.enq.ready
  io.out.valid := io.in.valid && answers.io.enq.ready
  io.out.bits := record
  when(taken)(io.out.bits.verdict := Verdict.foreign.U)
  answers.io.enq.valid := io.in.valid && io.out.ready && taken
  answers.io.enq.bits := SendAnswer.of(record)
  io.answer <> answers.io.deq
  io.idle := !io.answer.valid
}
