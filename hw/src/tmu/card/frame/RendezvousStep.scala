// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import chisel3.util.Valid
import tmu.card.wire.{NextHeader, Octets, RendezvousLayout, RendezvousPart}

/** Takes the extension of a rendezvous off, where there is one; the payload begins at byte 0. */
class RendezvousStep extends Module {
  val io = IO(new Bundle {
    val in = Input(Valid(new Marked(new PacketMark)))
    val out = Output(Valid(new Marked(new PacketMark)))

    /** Once a frame, with an extension or without. */
    val part = Output(Valid(new RendezvousPart))
  })
  private val beat = io.in.bits.beat
  private val in = io.in.bits.mark
  private val octets = new Octets(beat.data)
  private val extended = in.next =/= NextHeader.none.U

  private val drop =
    Module(new DropFront(new PacketMark, Seq(0, NextHeader.rendezvousBytes)))
  drop.io.in := io.in
  drop.io.in.bits.mark.inside :=
    in.inside - Mux(extended, NextHeader.rendezvousBytes.U, 0.U)
  drop.io.choice := extended
  io.out := drop.io.out

  private val part = Reg(new RendezvousPart)
  part.eagerLength := octets(RendezvousLayout.eagerLength)
  part.generation := octets(RendezvousLayout.generation)
  part.pid := octets(RendezvousLayout.pid)
  part.index := octets(RendezvousLayout.index)
  part.offset := octets(RendezvousLayout.offset)
  part.key := octets(RendezvousLayout.key)
  io.part.valid := RegNext(io.in.valid && beat.first, false.B)
  io.part.bits := Mux(RegNext(extended), part, 0.U.asTypeOf(part))
}
