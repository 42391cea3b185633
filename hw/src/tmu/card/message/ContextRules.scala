// SPDX-License-Identifier: Apache-2.0
package tmu.card.message

import chisel3._
import chisel3.util.MuxCase
import tmu.card.wire.{NextHeader, Opcode, PdsLayout, ReturnCode, SesLayout}

/** Decision on a packet among the others of its message. */
class ContextDecision extends Bundle {

  /** A message begins, goes on, or ends before its time: at most one of them. */
  val begins = Bool()
  val goesOn = Bool()
  val breaks = Bool()

  /** Its context comes, or goes. */
  val stays = Bool()
  val leaves = Bool()

  /** A message would begin that nobody takes. */
  val refuses = Bool()

  /** A packet that goes on with its message, or with one that is refused: it is not idle. */
  val touches = Bool()

  /** Is answered whatever the unit says, with this code. */
  val answers = Bool()
  val code = UInt(ReturnCode.bits.W)
  val generation = UInt(8.W)
}

/** The law of messages, for a packet that has been checked by itself and the context of its
  * message. Pure, no state; docs/card.md lists the cases in their order.
  */
object ContextRules {

  /** A medium request is a message by itself. */
  def hasId(packet: MessagePacket): Bool = packet.ses.next === NextHeader.standard.U

  def apply(
      m: MessageParams,
      checked: CheckedPacket,
      known: Bool,
      context: MessageContext
  ): ContextDecision = {
    val packet = checked.packet
    val ses = packet.ses
    def flag(mask: Int): Bool = (ses.flags & mask.U).orR
    val first = flag(SesLayout.first)
    val last = flag(SesLayout.last)
    val ends = ses.opcode === Opcode.messageError.U
    val closes = last || ends || !hasId(packet) // no packet of its message follows
    val end = ses.messageOffset +& packet.payloadBytes
    val out = Wire(new ContextDecision)

    // Why a message that was taken does not go on.
    val broken = MuxCase(
      ReturnCode.ok.U(ReturnCode.bits.W),
      Seq(
        checked.refused -> checked.code,
        (ends || flag(SesLayout.initiatorError)) -> code(ReturnCode.initiatorError),
        (ses.requestLength =/= context.length) -> code(ReturnCode.violation),
        (end > context.length) -> code(ReturnCode.badAddress),
        (ses.messageOffset =/= context.next) -> code(ReturnCode.violation),
        (last =/= (end === context.length)) -> code(ReturnCode.violation)
      )
    )
    val wrong = broken =/= ReturnCode.ok.U
    val idle = ses.opcode === Opcode.noOperation.U && !checked.refused
    val own = packet.deliver && !idle && known
    val strange = packet.deliver && !idle && !known
    val taken = own && !first && !context.refused
    out.begins := strange && first && !checked.refused
    out.refuses := strange && first && nobody.map(checked.code === code(_)).reduce(_ || _)
    out.goesOn := taken && !wrong
    out.breaks := taken && wrong
    out.stays := strange && first && !closes
    out.touches := own && !first
    out.leaves := own && !first && closes

    val stray = Mux(
      checked.refused,
      checked.code,
      code(ReturnCode.violation)
    )
    out.code := MuxCase(
      code(ReturnCode.ok),
      Seq(
        (own && first) -> stray,
        (own && context.refused) -> context.code,
        own -> broken,
        (strange && first && checked.refused) -> checked.code,
        (strange && !first && ends && !checked.refused) -> code(ReturnCode.initiatorError),
        (strange && !first) -> stray,
        (packet.deliver && checked.refused) -> checked.code
      )
    )
    out.generation := Mux(
      own && !first && context.refused,
      context.generation,
      Mux(
        first && checked.code === ReturnCode.badGeneration.U,
        checked.entry.generation,
        ses.generation
      )
    )
    val asked = (packet.pds.flags & (PdsLayout.wantsAck | PdsLayout.syn).U).orR
    out.answers := packet.deliver && (asked || idle || out.code =/= ReturnCode.ok.U)
    out
  }

  private val nobody = Seq(
    ReturnCode.badJob,
    ReturnCode.badPid,
    ReturnCode.badIndex,
    ReturnCode.disabled,
    ReturnCode.disabledGeneration,
    ReturnCode.badGeneration
  )
  private def code(value: Int): UInt = value.U(ReturnCode.bits.W)
}
