// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import chisel3.util.{MuxLookup, Valid}
import tmu.card.wire._

/** Reads the semantic header; what follows begins at byte 0 behind it: payload, or the extension of
  * a rendezvous, which `next` then says by its standard header.
  */
class SesStep extends Module {
  import SesStep._
  val io = IO(new Bundle {
    val in = Input(Valid(new Marked(new PacketMark)))
    val out = Output(Valid(new Marked(new PacketMark)))

    /** Once a frame. */
    val part = Output(Valid(new SesPart))
  })
  private val beat = io.in.bits.beat
  private val in = io.in.bits.mark
  private val octets = new Octets(beat.data)
  private val standard = in.next === NextHeader.standard.U
  private val medium = in.next === NextHeader.medium.U
  private val flags = octets(SesLayout.flags)
  private val first = flags(0)
  private val opcode = octets(SesLayout.opcode)
  private val extended = standard && first &&
    Seq(Opcode.rendezvousSend, Opcode.rendezvousTaggedSend).map(opcode === _.U).reduce(_ || _)
  private def byNext(make: Int => UInt): UInt = MuxLookup(in.next, make(0))(
    NextHeader.bytes.toSeq.sortBy(_._1).map { case (next, bytes) => next.U -> make(bytes) }
  )
  private val bytes = byNext(_.U)
  private val needs = bytes +& Mux(extended, NextHeader.rendezvousBytes.U, 0.U)

  private val mark = Reg(new PacketMark)
  private val choice = Reg(UInt(3.W))
  when(io.in.valid && beat.first) {
    mark.alive := in.alive
    mark.verdict := Mux(
      in.verdict === Verdict.accepted.U && in.inside < needs,
      Verdict.short.U,
      in.verdict
    )
    mark.next := Mux(extended, in.next, NextHeader.none.U)
    mark.inside := in.inside - bytes
    choice := byNext(n => drops.indexOf(n).U)
  }

  private val drop = Module(new DropFront(new PacketMark, drops))
  drop.io.in.valid := RegNext(io.in.valid, false.B)
  drop.io.in.bits.beat := RegNext(beat)
  drop.io.in.bits.mark := mark
  drop.io.choice := choice
  io.out := drop.io.out

  private val part = Reg(new SesPart)
  private val early = octets(SesLayout.bufferOffset)
  private val earlyData = medium && flags(2)
  part.next := in.next
  part.list := octets(SesLayout.list)
  part.opcode := opcode
  part.version := octets(SesLayout.version)
  part.flags := flags
  part.messageId := Mux(
    in.next === NextHeader.medium.U || in.next === NextHeader.small.U,
    0.U,
    octets(SesLayout.messageId)
  )
  part.generation := octets(SesLayout.generation)
  part.job := octets(SesLayout.job)
  part.pid := octets(SesLayout.pid)
  part.index := octets(SesLayout.index)
  part.bufferOffset := Mux(earlyData, 0.U, early)
  part.initiator := octets(SesLayout.initiator)
  part.matchBits := octets(SesLayout.matchBits)
  part.headerData := Mux(
    standard,
    Mux(first, octets(SesLayout.headerData), 0.U),
    Mux(earlyData, early, 0.U)
  )
  private val further = standard && !first
  part.payloadLength := Mux(further, octets(SesLayout.payloadLength), 0.U)
  part.messageOffset := Mux(further, octets(SesLayout.messageOffset), 0.U)
  part.requestLength := Mux(
    standard,
    octets(SesLayout.requestLength),
    octets(SesLayout.shortLength)
  )
  part.modifiedLength := Mux(
    in.next === NextHeader.responseData.U,
    octets(SesLayout.modifiedLengthWithData),
    octets(SesLayout.modifiedLength)
  )
  io.part.valid := RegNext(io.in.valid && beat.first, false.B)
  io.part.bits := part
}

object SesStep {
  val drops: Seq[Int] = NextHeader.bytes.values.toSeq.distinct.sorted
}
