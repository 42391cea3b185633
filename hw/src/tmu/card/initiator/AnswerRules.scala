// SPDX-License-Identifier: Apache-2.0
package tmu.card.initiator

import chisel3._
import tmu.card.wire._

/** Outcome of an ACK or NACK that names a connection. Pure, no state.
  *
  * One whose numbers do not fit the connection changes nothing.
  */
object AnswerRules {
  import SendEntry.{behind, upTo}

  /** The packet that an answer is about. */
  def number(answer: SendAnswer): UInt = {
    val offset = answer.pds.offset.asSInt.pad(32).asUInt
    Mux(refuses(answer), answer.pds.psn, answer.pds.psn + offset)
  }

  private def refuses(answer: SendAnswer): Bool =
    answer.pds.kind === PdsType.nack.U || answer.pds.kind === PdsType.nackCcx.U

  def apply(p: InitiatorParams, in: StepInput, answer: SendAnswer): Step = {
    val step = Step.none(p, in)
    val (entry, pds) = (in.entry, answer.pds)
    val opening = entry.state === SendState.opening
    val about = number(answer)
    val awaits = behind(entry.clear, about) && behind(about, entry.next)
    val fits = Mux(
      refuses(answer),
      awaits && (pds.spdcid === 0.U || opening || pds.spdcid === entry.peer),
      pds.spdcid =/= 0.U && behind(pds.psn, entry.next) &&
        Mux(opening, upTo(entry.start - 1.U, pds.psn), pds.spdcid === entry.peer)
    )
    step.counts.taken := fits
    step.counts.ignored := !fits
    when(fits) {
      when(opening && pds.spdcid =/= 0.U) {
        step.entry.state := SendState.established
        step.entry.peer := pds.spdcid
      }
      when(refuses(answer))(refuse(in, step, answer))
        .otherwise(acknowledge(p, in, step, answer, about, awaits))
    }
    step
  }

  private def acknowledge(
      p: InitiatorParams,
      in: StepInput,
      step: Step,
      answer: SendAnswer,
      about: UInt,
      awaits: Bool
  ): Unit = {
    val (entry, pds, response) = (in.entry, answer.pds, answer.response)
    def flag(mask: Int): Bool = (pds.flags & mask.U).orR
    val speaks = pds.next === NextHeader.response.U && !flag(PdsLayout.probed)
    val said = MessageNote.of(p, response)
    val answers = speaks && awaits && !in.record.closes && in.record.id === response.messageId
    val settles = speaks && !awaits && in.owed && in.id === response.messageId &&
      response.opcode === ResponseCode.response.U
    val moves = behind(entry.cack, pds.psn)
    val isNew = answers && !in.answered

    step.answers := answers
    step.answeredNumber := about
    // The first thing that is wrong stands; all else is what the last packet is answered.
    val mayNote = isNew || answers && in.note.owed
    val wrong = in.note.code =/= ReturnCode.ok.U
    step.notes := mayNote && (said.code =/= ReturnCode.ok.U || in.record.last) && !wrong
    step.note := said
    step.end.valid := settles
    step.end.bits := said.end(in.message)
    when(settles)(step.entry.owed := entry.owed - 1.U)
    when(moves) {
      step.entry.cack := pds.psn
      step.entry.cackAsked := false.B
      step.entry.wentBack := false.B
    }
    when(moves || isNew) {
      step.entry.walks := true.B
      step.entry.attempts := 0.U
      Step.arm(step, in, in.wait(0.U))
    }
    when(answers && about === entry.next - 1.U)(step.entry.newestAnswered := true.B)
    val wants = pds.flags & PdsLayout.wants.U
    when(wants === PdsLayout.wantsClear.U)(step.entry.clearAsked := true.B)
    when(wants === PdsLayout.wantsClose.U)(step.entry.closing := true.B)
  }

  private def refuse(in: StepInput, step: Step, answer: SendAnswer): Unit = {
    val (entry, pds) = (in.entry, answer.pds)
    val code = pds.offset(15, 8)
    val named = pds.payload
    val plausible = code === NackCode.outOfOrder.U && behind(entry.cack, named) &&
      behind(named, entry.next) && upTo(named, pds.psn)
    when(NackRules.isMissing(code) && !entry.paused && !entry.wentBack) {
      step.entry.sent := Mux(plausible, named, entry.clear + 1.U)
      step.entry.wentBack := true.B
      Step.arm(step, in, in.wait(entry.attempts))
    }.elsewhen(NackRules.isShortage(code)) {
      step.entry.paused := true.B
      step.entry.attempts := 0.U
      Step.arm(step, in, in.wait(0.U))
    }.elsewhen(NackRules.isFatal(code)) {
      // A connection that is closed, whose acknowledgement was lost, is known no more.
      when(entry.closeSent && code === NackCode.unknownPdc.U)(Step.close(step, in))
        .otherwise(fail(step))
    }
  }

  /** The connection ends, and with it all messages that have begun (W7). */
  def fail(step: Step): Unit = {
    step.entry.losing := true.B
    step.entry.scan := 0.U
    step.entry.walks := false.B
    step.counts.lost := true.B
  }
}
