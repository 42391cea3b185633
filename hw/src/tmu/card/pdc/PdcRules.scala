// SPDX-License-Identifier: Apache-2.0
package tmu.card.pdc

import chisel3._
import chisel3.util.MuxCase
import tmu.card.wire._
import tmu.mutant.Mutant

/** Entries that the table has found for a packet. */
class PdcLookup(p: PdcParams) extends Bundle {

  /** By source and SPDCID, for requests with SYN. */
  val known = Bool()

  /** A request with SYN of a connection that has ended not long ago (W1). */
  val belated = Bool()

  /** By DPDCID, or by source and SPDCID for control packets with SYN, which open no connection; and
    * the connection is the sender's.
    */
  val named = Bool()
  val own = Bool()
  val entry = new PdcEntry(p)
  val room = Bool()

  /** For a response of the connection. */
  val responseRoom = Bool()
}

/** Decision on a packet: at most one of the flags. */
class PdcDecision extends Bundle {
  val deliver = Bool()
  val control = Bool()
  val refuse = Bool()
  val acknowledge = Bool()
  val close = Bool()

  /** The packet says which responses its initiator has, whether it is taken or not. */
  val clears = Bool()

  /** A connection begins with this packet; it may be refused all the same. */
  val open = Bool()
  val advance = Bool()
  val tellGap = Bool()
  val code = UInt(8.W)
  val payload = UInt(32.W)
  val verdict = UInt(PdcVerdict.bits.W)
}

/** The law of connections, for a packet and what the table has of it. Pure, no state.
  *
  * Rows of negative cases and their order are those that docs/card.md lists.
  */
object PdcRules {
  def apply(
      p: PdcParams,
      record: PacketRecord,
      found: PdcLookup,
      messageRoom: Bool
  ): PdcDecision = {
    val pds = record.pds
    def kindIn(kinds: Int*): Bool = kinds.map(pds.kind === _.U).reduce(_ || _)
    def flag(mask: Int): Bool = (pds.flags & mask.U).orR
    val rod = kindIn(PdsType.rodRequest, PdsType.rodCcRequest)
    val rud = kindIn(PdsType.rudRequest, PdsType.rudCcRequest)
    val control = pds.kind === PdsType.control.U
    val syn = flag(PdsLayout.syn) && !control
    val wantsAck = flag(PdsLayout.wantsAck) || flag(PdsLayout.syn)
    val retransmitted = flag(PdsLayout.retransmitted)
    val readable = Seq(NextHeader.medium, NextHeader.standard).map(pds.next === _.U).reduce(_ || _)
    def isControl(kind: Int): Bool = control && pds.next === kind.U
    val first = (record.ses.flags & SesLayout.first.U).orR
    val counts = isControl(ControlKind.noOperation) || isControl(ControlKind.close)

    // Sequence number relative to the expected one: a packet with SYN names where its connection
    // begins.
    val begins = syn && !found.known
    val expected = Mux(begins, pds.start, found.entry.expected)
    val ahead = (pds.psn - expected).asSInt
    val old = Mutant("duplicates", ahead < 0.S)(_ => false.B)
    val inOrder = !old && ahead <= 0.S
    // An acknowledgement, which counts from the number before, has 16 bits to name one with.
    val far = ahead < (-0x8001).S
    val beyond = ahead >= p.window.S
    val cases = Seq(
      (record.verdict =/= Verdict.accepted.U) -> give(PdcVerdict.none),
      (!rod && !rud && !control) -> give(PdcVerdict.unasked),
      (flag(PdsLayout.syn) && pds.spdcid === 0.U) -> give(PdcVerdict.unasked),
      (syn && rud) -> refuse(NackCode.modeMismatch),
      (syn && !readable) -> refuse(NackCode.headerMismatch),
      (syn && Mutant("quarantine", found.belated)(_ => false.B)) -> give(PdcVerdict.duplicate),
      (begins && !found.room) -> noRoom(NackCode.noPdcAvailable),
      (!syn && !found.named) -> refuse(NackCode.unknownPdc),
      (!syn && !found.own) -> refuse(NackCode.headerMismatch),
      rud -> refuse(NackCode.modeMismatch),
      (syn && !begins && (found.entry.start =/= pds.start || beyond)) -> refuse(
        NackCode.invalidSyn
      ),
      (begins && beyond) -> refuse(NackCode.invalidSyn),
      isControl(ControlKind.clear) -> give(PdcVerdict.control, _.control := true.B),
      (isControl(ControlKind.ackRequest) && !old) -> refuse(NackCode.notReceived),
      (isControl(ControlKind.ackRequest) && far) -> give(PdcVerdict.duplicate),
      (isControl(ControlKind.ackRequest) || isControl(ControlKind.probe)) ->
        give(PdcVerdict.control, _.acknowledge := true.B),
      (control && !counts) -> refuse(NackCode.unexpectedEvent),
      (rod && !readable) -> refuse(NackCode.unexpectedEvent),
      beyond -> refuse(NackCode.outOfWindow),
      (old && retransmitted && !far) -> give(PdcVerdict.repeated, _.acknowledge := true.B),
      old -> give(PdcVerdict.duplicate),
      (!inOrder && !begins && found.entry.gapTold) -> give(PdcVerdict.gap),
      !inOrder -> refuse(NackCode.outOfOrder, expected),
      (rod && !begins && !found.responseRoom) -> noRoom(NackCode.noResponseRoom),
      (rod && first && !messageRoom) -> noRoom(NackCode.noMessage),
      control -> give(
        PdcVerdict.control,
        d => {
          d.control := true.B
          d.advance := true.B
          d.acknowledge := wantsAck
          d.close := pds.next === ControlKind.close.U
        }
      )
    )
    val delivered = give(PdcVerdict.delivered, d => { d.deliver := true.B; d.advance := true.B })
    val decision = Wire(new PdcDecision)
    decision := MuxCase(delivered, cases)
    decision.tellGap := decision.refuse && decision.code === NackCode.outOfOrder.U
    val short = decision.refuse &&
      Seq(NackCode.noMessage, NackCode.noResponseRoom).map(decision.code === _.U).reduce(_ || _)
    decision.clears := decision.deliver || short || decision.close ||
      decision.control && pds.next === ControlKind.clear.U
    decision.open := begins && (decision.deliver || decision.tellGap ||
      decision.refuse && decision.code === NackCode.noMessage.U)
    decision
  }

  private def give(verdict: Int, set: PdcDecision => Unit = _ => ()): PdcDecision = {
    val decision = WireDefault(0.U.asTypeOf(new PdcDecision))
    decision.verdict := verdict.U
    set(decision)
    decision
  }

  private def noRoom(code: Int): PdcDecision = refuse(code, 0.U, PdcVerdict.noRoom)

  private def refuse(
      code: Int,
      payload: UInt = 0.U,
      verdict: Int = PdcVerdict.refused
  ): PdcDecision = give(
    verdict,
    decision => {
      decision.refuse := true.B
      decision.code := code.U
      decision.payload := payload
    }
  )
}
