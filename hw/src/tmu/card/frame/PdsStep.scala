// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import chisel3.util.{MuxLookup, Valid}
import tmu.card.wire.{NextHeader, Octets, PdsLayout, PdsPart, PdsType, Verdict}

/** Result of the packet delivery header, or of a later one, for the steps behind it. */
class PacketMark extends Bundle {

  /** Nothing in front of the packet is wrong: there may be a payload. */
  val alive = Bool()

  /** Fault of the packet itself. */
  val verdict = UInt(Verdict.bits.W)

  /** NextHeader: the header at byte 0. */
  val next = UInt(4.W)

  /** Bytes from byte 0 to the end of the payload. */
  val inside = UInt(16.W)
}

/** Reads the packet delivery header; the semantic header begins at byte 0 behind it. */
class PdsStep extends Module {
  import PdsStep._
  val io = IO(new Bundle {
    val in = Input(Valid(new Marked(new InternetMark)))
    val out = Output(Valid(new Marked(new PacketMark)))

    /** Once a frame. */
    val part = Output(Valid(new PdsPart))
  })
  private val beat = io.in.bits.beat
  private val in = io.in.bits.mark
  private val octets = new Octets(beat.data)
  private val kind = octets(PdsLayout.kind)
  // In the order of numbers: conditions in a hashed set come in any, and so would the Verilog.
  private def kindIn(kinds: Iterable[Int]): Bool =
    kinds.toSeq.sorted.map(kind === _.U).reduce(_ || _)
  private def byKind[T](values: Map[Int, T], otherwise: UInt)(make: T => UInt): UInt =
    MuxLookup(kind, otherwise)(values.toSeq.sortBy(_._1).map { case (k, v) => k.U -> make(v) })
  private val bytes = byKind(PdsType.bytes, 0.U)(_.U)

  private val mark = Reg(new PacketMark)
  private val choice = Reg(UInt(2.W))
  when(io.in.valid && beat.first) {
    val readable = kindIn(PdsType.bytes.keys)
    val unread = Mux(
      kind === PdsType.encrypted.U,
      Verdict.encrypted.U,
      Mux(kindIn(PdsType.omitted), Verdict.pdsOmitted.U, Verdict.pdsType.U)
    )
    val short = in.inside < Mux(readable, bytes, prologueBytes.U)
    mark.alive := in.alive
    mark.verdict := Mux(short, Verdict.short.U, Mux(readable, Verdict.accepted.U, unread))
    mark.next := Mux(kindIn(PdsType.headless), NextHeader.none.U, octets(PdsLayout.next))
    mark.inside := in.inside - bytes
    choice := byKind(PdsType.bytes, 0.U)(n => drops.indexOf(n).U)
  }

  private val drop = Module(new DropFront(new PacketMark, drops))
  drop.io.in.valid := RegNext(io.in.valid, false.B)
  drop.io.in.bits.beat := RegNext(beat)
  drop.io.in.bits.mark := mark
  drop.io.choice := choice
  io.out := drop.io.out

  private val part = Reg(new PdsPart)
  part.kind := kind
  part.next := octets(PdsLayout.next)
  part.flags := octets(PdsLayout.flags)
  part.offset := octets(PdsLayout.offset)
  part.psn := octets(PdsLayout.psn)
  part.spdcid := octets(PdsLayout.spdcid)
  part.dpdcid := octets(PdsLayout.dpdcid)
  // The shortest headers end in front of it.
  part.payload := Mux(bytes === drops.min.U, 0.U, octets(PdsLayout.payload))
  io.part.valid := RegNext(io.in.valid && beat.first, false.B)
  io.part.bits := part
}

object PdsStep {

  /** Type and next header: what has to be there to say what is missing. */
  val prologueBytes: Int = 2
  val drops: Seq[Int] = PdsType.bytes.values.toSeq.distinct.sorted
}
