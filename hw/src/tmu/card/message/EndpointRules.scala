// SPDX-License-Identifier: Apache-2.0
package tmu.card.message

import chisel3._
import chisel3.util.MuxCase
import tmu.card.wire.{NextHeader, Opcode, ReturnCode, SesLayout}

/** Entries that the tables have found for a packet. */
class EndpointFound(m: MessageParams) extends Bundle {
  val job = Bool()
  val process = Bool()
  val endpoint = Bool()
  val entry = new EndpointEntry(m)
}

/** The checks of a tagged request in the order in which the first one that fails answers. Pure, no
  * state: what depends on the other packets of a message is for its context.
  */
object EndpointRules {

  /** Whether it is refused, and the code; whether its endpoint has been found, with a generation.
    */
  def apply(
      packet: MessagePacket,
      settings: MessageSettings,
      found: EndpointFound
  ): (Bool, UInt, Bool) = {
    val ses = packet.ses
    def flag(mask: Int): Bool = (ses.flags & mask.U).orR
    val first = flag(SesLayout.first)
    val last = flag(SesLayout.last)
    val medium = ses.next === NextHeader.medium.U
    val tagged = ses.opcode === Opcode.taggedSend.U || ses.opcode === Opcode.deferrableTaggedSend.U
    val ends = ses.opcode === Opcode.messageError.U
    val bytes = packet.payloadBytes
    val whole = ses.requestLength <= settings.payloadMtu
    val due = Mux(whole, ses.requestLength, settings.payloadMtu)
    // Errors that the headers alone show.
    val form = Seq(
      (ends && (medium || first)) -> ReturnCode.initiatorError,
      (!tagged && !ends) -> ReturnCode.unsupportedOperation,
      (medium && (!(first && last) || ses.requestLength =/= bytes)) -> ReturnCode.violation,
      (tagged && !first && ses.payloadLength =/= bytes) -> ReturnCode.violation,
      (first && bytes =/= due) -> ReturnCode.violation,
      (first && ses.requestLength > settings.limit) -> ReturnCode.unsupportedSize
    )
    // Only the first packet looks for its endpoint, whose name implies its job and process.
    val entry = found.entry
    val lookups = Seq(
      (!found.job && !found.endpoint) -> ReturnCode.badJob,
      (!found.process && !found.endpoint) -> ReturnCode.badPid,
      !found.endpoint -> ReturnCode.badIndex,
      (!entry.enabled && entry.usesGeneration) -> ReturnCode.disabledGeneration,
      !entry.enabled -> ReturnCode.disabled,
      (!entry.usesGeneration && ses.generation =/= 0.U) -> ReturnCode.badGeneration,
      flag(SesLayout.initiatorError) -> ReturnCode.initiatorError,
      (last && ses.requestLength =/= bytes) -> ReturnCode.violation
    ).map { case (fails, code) => (first && fails) -> code }
    val idle = ses.opcode === Opcode.noOperation.U
    val all = ((ses.version =/= 0.U) -> ReturnCode.uncorrectable) +:
      (form ++ lookups).map { case (fails, code) => (!idle && fails) -> code }
    val codes = all.map { case (fails, code) => fails -> code.U(ReturnCode.bits.W) }
    val (readable, unreadable) = (ses.version === 0.U, form.map(_._1).reduce(_ || _))
    val byGeneration = first && !idle && readable && !unreadable && found.endpoint &&
      entry.enabled && entry.usesGeneration
    val code = MuxCase(ReturnCode.ok.U(ReturnCode.bits.W), codes)
    (codes.map(_._1).reduce(_ || _), code, byGeneration)
  }
}
