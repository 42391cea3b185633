// SPDX-License-Identifier: Apache-2.0
package tmu.card.send

import chisel3._
import tmu.layout.{CompletionLayout, Opcodes}
import tmu.params.TmuParams
import tmu.types.Verdict

/** Completion of a send on its path to its page's ring. */
object SendVerdict {
  def apply(p: TmuParams, told: SendCompletion): Verdict = {
    import CompletionLayout.{code, givenUp, peer}
    val made = WireDefault(0.U.asTypeOf(new Verdict(p)))
    made.page := told.from.page
    made.opcode := Opcodes.send.value.U
    made.status := told.status
    made.truncated := told.truncated
    made.endpoint := told.from.endpoint
    made.handle := told.handle
    made.other := (told.peer << peer.low) | (told.code << code.low) | (told.givenUp << givenUp.low)
    made.key.bits := told.matchBits
    made.messageLength := told.messageLength
    made.receiveLength := told.receiveLength
    made.stamp := told.from.stamp
    made.sending.foreach { sending =>
      sending.starts := told.starts
      sending.owed := told.owed
      sending.life := told.from.life
    }
    made
  }
}
