// SPDX-License-Identifier: Apache-2.0
package tmu.card.initiator

import chisel3._
import tmu.mutant.Mutant

/** Steps of a connection by itself. Pure, no state. */
object TableRules {

  /** Its oldest packet is answered: the next one may be; the message whose last one it was ends
    * (W4).
    */
  def walk(p: InitiatorParams, in: StepInput): Step = {
    val step = Step.none(p, in)
    val entry = in.entry
    val number = entry.clear + 1.U
    val answered =
      Mutant("unanswered", in.answered || SendEntry.upTo(number, entry.cack))(_ => true.B)
    val record = in.record
    val ends = Mutant("first_ends", record.last)(_ => record.first)
    when(!entry.outstanding || !answered)(step.entry.walks := false.B)
      .otherwise {
        step.entry.clear := number
        when(SendEntry.behind(entry.cack, number))(step.entry.cack := number)
        step.entry.walks := number + 1.U =/= entry.next
        when(entry.sent === number)(step.entry.sent := number + 1.U)
        when(record.closes)(Step.close(step, in)).elsewhen(ends) {
          step.owes := in.note.owed
          when(in.note.owed)(step.entry.owed := entry.owed + 1.U)
          step.end.valid := !in.note.owed
          step.end.bits := in.note.end(record.message)
        }
        when(!record.closes && number + 1.U === entry.next) {
          step.entry.paused := false.B
          step.entry.armed := false.B
          when(in.settings.idle =/= 0.U)(Step.arm(step, in, in.settings.idle))
        }
      }
    step
  }

  /** Its time has run out. */
  def timeout(p: InitiatorParams, in: StepInput): Step = {
    val step = Step.none(p, in)
    val entry = in.entry
    val attempts = entry.attempts + 1.U
    def goBack(attempts: UInt): Unit = {
      step.entry.sent := entry.clear + 1.U
      step.entry.paused := false.B
      step.entry.wentBack := false.B
      step.entry.attempts := attempts
      Step.arm(step, in, in.wait(attempts))
    }
    when(!entry.outstanding) {
      step.entry.armed := false.B
      step.entry.closing := entry.spare
    }.elsewhen(entry.paused)(goBack(entry.attempts)).otherwise {
      step.counts.timeout := true.B
      when(in.settings.attempts =/= 0.U && attempts > in.settings.attempts)(
        AnswerRules.fail(step)
      ).otherwise(goBack(attempts))
    }
    step
  }

  /** The connection is lost: so is each message that has begun, one a step (W7). */
  def lose(p: InitiatorParams, in: StepInput): Step = {
    val step = Step.none(p, in)
    step.end.valid := in.begun
    step.end.bits := 0.U.asTypeOf(new MessageEnd(p))
    step.end.bits.message := in.entry.scan
    step.end.bits.lost := true.B
    step.entry.scan := in.entry.scan + 1.U
    when(in.entry.scan === (p.messages - 1).U)(Step.close(step, in))
    step
  }

  /** A message comes to its end. */
  def enqueue(p: InitiatorParams, in: StepInput, message: OutMessage): Step = {
    val step = Step.none(p, in)
    val entry = in.entry
    step.entry.live := true.B
    step.entry.key := message.key
    step.entry.waits := true.B
    step.entry.tail := message.message
    when(!entry.waits)(step.entry.head := message.message)
    step
  }

  /** The connection makes room for another peer. */
  def retire(p: InitiatorParams, in: StepInput): Step = {
    val step = Step.none(p, in)
    step.entry.closing := true.B
    step
  }
}
