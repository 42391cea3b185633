// SPDX-License-Identifier: Apache-2.0
package tmu.card.answer

import chisel3._
import tmu.card.wire._

/** The packet of an answer. Pure, no state. */
object AnswerHeaders {

  /** Forms of the packet itself: each with its bytes. */
  private val ackBytes = PdsType.bytes(PdsType.ack)
  private val nackBytes = PdsType.bytes(PdsType.nack)
  private val responseBytes = NextHeader.bytes(NextHeader.response)
  private val most = ackBytes + responseBytes

  /** Packet delivery header, and what follows. */
  def packet(request: AnswerRequest): Piece = {
    val pds = request.pds
    val nack = pds.kind === PdsType.nack.U
    val responds = !nack && pds.next === NextHeader.response.U
    val header = Mux(nack, pds.octets, pds.octets(8 * ackBytes - 1, 0))
    val response = request.response
    val semantic = Octets.build(
      responseBytes,
      SesLayout.list -> response.list,
      SesLayout.opcode -> response.opcode,
      SesLayout.flags -> response.returnCode,
      SesLayout.messageId -> response.messageId,
      SesLayout.generation -> response.generation,
      SesLayout.job -> response.job,
      SesLayout.modifiedLength -> response.modifiedLength
    )
    Piece(
      header | Mux(responds, semantic ## 0.U((8 * ackBytes).W), 0.U),
      Mux(nack, nackBytes.U, Mux(responds, most.U, ackBytes.U))
    )
  }
}
