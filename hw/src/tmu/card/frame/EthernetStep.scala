// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import chisel3.util.{MuxCase, Valid}
import tmu.card.wire.{EthernetLayout, EthernetPart, Octets, Verdict}

/** Result of the Ethernet step for the IP step. */
class EthernetMark extends Bundle {
  val ipv6 = Bool()

  /** Why the frame is dropped, or `accepted`. */
  val verdict = UInt(Verdict.bits.W)
}

/** Reads addresses, up to two VLAN tags and the EtherType; IP begins at byte 0 behind it. */
class EthernetStep extends Module {
  val io = IO(new Bundle {
    val in = Input(Valid(new Beat))
    val out = Output(Valid(new Marked(new EthernetMark)))

    /** Once a frame. */
    val part = Output(Valid(new EthernetPart))
  })
  private val beat = io.in.bits
  private val octets = new Octets(beat.data)
  private def isTag(index: Int): Bool =
    EthernetLayout.tagTypes.map(octets(EthernetLayout.etherType(index)) === _.U).reduce(_ || _)
  private val one = isTag(0)
  private val two = one && isTag(1)
  private val tags = Mux(two, 2.U, one.asUInt)
  private val etherType = MuxCase(
    octets(EthernetLayout.etherType(0)),
    Seq(
      two -> octets(EthernetLayout.etherType(2)),
      one -> octets(EthernetLayout.etherType(1))
    )
  )
  private val ipv6 = etherType === EthernetLayout.ipv6.U
  private val needs =
    VecInit((0 to 2).map(n => (EthernetLayout.bytes + EthernetLayout.tagBytes * n).U))(tags)

  // A frame that lacks bytes which a tag needs lacks them here too: it is short.
  private val mark = Reg(new EthernetMark)
  private val choice = Reg(UInt(2.W))
  when(io.in.valid && beat.first) {
    mark.ipv6 := ipv6
    mark.verdict := MuxCase(
      Verdict.accepted.U,
      Seq(
        (beat.bytes < needs) -> Verdict.short.U,
        (!ipv6 && etherType =/= EthernetLayout.ipv4.U) -> Verdict.foreign.U
      )
    )
    choice := tags
  }

  private val drop = Module(
    new DropFront(
      new EthernetMark,
      (0 to 2).map(EthernetLayout.bytes + EthernetLayout.tagBytes * _)
    )
  )
  drop.io.in.valid := RegNext(io.in.valid, false.B)
  drop.io.in.bits.beat := RegNext(beat)
  drop.io.in.bits.mark := mark
  drop.io.choice := choice
  io.out := drop.io.out

  private val part = Reg(new EthernetPart)
  part.destinationMac := octets(EthernetLayout.destination)
  part.sourceMac := octets(EthernetLayout.source)
  part.tags := tags
  part.tag.zipWithIndex.foreach { case (tag, i) => tag := octets(EthernetLayout.tag(i)) }
  io.part.valid := RegNext(io.in.valid && beat.first, false.B)
  io.part.bits := part
}
