// SPDX-License-Identifier: Apache-2.0
package tmu.card.request

import chisel3._
import tmu.card.wire._

/** The headers of a packet that are Ultra Ethernet's own. Pure, no state. */
object RequestHeaders {
  private val standardBytes = NextHeader.bytes(NextHeader.standard)
  private val mediumBytes = NextHeader.bytes(NextHeader.medium)
  private val longKinds = Seq(PdsType.control, PdsType.rudCcRequest, PdsType.rodCcRequest)
  private val kinds = Seq(PdsType.rudRequest, PdsType.rodRequest) ++ longKinds
  private val shortDelivery = PdsType.bytes(PdsType.rodRequest)
  private val longDelivery = PdsType.bytes(PdsType.control)
  require(kinds.forall { kind =>
    PdsType.bytes(kind) == (if (longKinds.contains(kind)) longDelivery else shortDelivery)
  })

  private def oneOf(value: UInt, numbers: Seq[Int]): Bool =
    numbers.map(value === _.U).reduce(_ || _)

  /** Whether the builder knows the packet's kind and its next header. */
  def known(request: PacketRequest): Bool = {
    val headless = request.pds.kind === PdsType.control.U
    val nexts = Seq(NextHeader.none, NextHeader.medium, NextHeader.standard)
    oneOf(request.pds.kind, kinds) && (headless || oneOf(request.pds.next, nexts))
  }

  /** Packet delivery header, and the semantic header behind it. */
  def packet(request: PacketRequest): Piece = {
    val long = oneOf(request.pds.kind, longKinds)
    semantic(request).behind(
      long -> Seq(request.pds.octets -> longDelivery),
      !long -> Seq(request.pds.octets -> shortDelivery)
    )
  }

  private def semantic(request: PacketRequest): Piece = {
    val (pds, ses) = (request.pds, request.ses)
    val headless = pds.kind === PdsType.control.U
    val medium = !headless && pds.next === NextHeader.medium.U
    val standard = !headless && pds.next === NextHeader.standard.U
    val first = (ses.flags & SesLayout.first.U).orR
    val hasData = (ses.flags & SesLayout.hasHeaderData.U).orR
    val extended = standard && first &&
      oneOf(ses.opcode, Seq(Opcode.rendezvousSend, Opcode.rendezvousTaggedSend))

    // Both forms have the same first bytes, but for the field behind the flags.
    def both(bytes: Int, third: (Field, UInt), offset: UInt): UInt = Octets.build(
      bytes,
      SesLayout.opcode -> ses.opcode,
      SesLayout.version -> ses.version,
      SesLayout.flags -> ses.flags,
      third,
      SesLayout.generation -> ses.generation,
      SesLayout.job -> ses.job,
      SesLayout.pid -> ses.pid,
      SesLayout.index -> ses.index,
      SesLayout.bufferOffset -> offset,
      SesLayout.initiator -> ses.initiator,
      SesLayout.matchBits -> ses.matchBits
    )
    val mediumHeader = both(
      mediumBytes,
      SesLayout.shortLength -> ses.requestLength,
      Mux(hasData, ses.headerData, ses.bufferOffset)
    )
    val later = Octets.build(
      standardBytes,
      SesLayout.payloadLength -> ses.payloadLength,
      SesLayout.messageOffset -> ses.messageOffset
    )
    val standardHeader =
      both(standardBytes, SesLayout.messageId -> ses.messageId, ses.bufferOffset) |
        Mux(first, Octets.build(standardBytes, SesLayout.headerData -> ses.headerData), later) |
        Octets.build(standardBytes, SesLayout.requestLength -> ses.requestLength)
    val inner = Piece(
      Mux(extended, extension(request.rendezvous), 0.U),
      Mux(extended, NextHeader.rendezvousBytes.U, 0.U)
    )
    inner.behind(
      standard -> Seq(standardHeader -> standardBytes),
      medium -> Seq(mediumHeader -> mediumBytes),
      !(standard || medium) -> Nil
    )
  }

  private def extension(part: RendezvousPart): UInt =
    Octets.build(
      NextHeader.rendezvousBytes,
      RendezvousLayout.eagerLength -> part.eagerLength,
      RendezvousLayout.generation -> part.generation,
      RendezvousLayout.pid -> part.pid,
      RendezvousLayout.index -> part.index,
      RendezvousLayout.offset -> part.offset,
      RendezvousLayout.key -> part.key
    )
}
