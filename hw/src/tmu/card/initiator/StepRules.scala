// SPDX-License-Identifier: Apache-2.0
package tmu.card.initiator

import chisel3._
import chisel3.util.Mux1H

/** Outcome of a step of any kind, from the state of its connection: no state here, so that one step
  * of any connection proves all of them.
  */
class StepRules(p: InitiatorParams) extends Module {
  val io = IO(new Bundle {
    val kind = Input(UInt(StepKind.bits.W))
    val in = Input(new StepInput(p))
    val answer = Input(new SendAnswer)
    val message = Input(new OutMessage(p))
    val noise = Input(UInt(32.W))
    val step = Output(new Step(p))
  })
  private val outcomes = Seq(
    StepKind.answer -> AnswerRules(p, io.in, io.answer),
    StepKind.walk -> TableRules.walk(p, io.in),
    StepKind.lose -> TableRules.lose(p, io.in),
    StepKind.timeout -> TableRules.timeout(p, io.in),
    StepKind.send -> SendRules(p, io.in, io.noise),
    StepKind.enqueue -> TableRules.enqueue(p, io.in, io.message),
    StepKind.retire -> TableRules.retire(p, io.in)
  )
  io.step := Mux1H(outcomes.map { case (kind, of) => (io.kind === kind.U) -> of })
}
