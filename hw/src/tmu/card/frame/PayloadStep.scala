// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import chisel3.util.Valid
import tmu.card.wire.{PacketRecord, Verdict}

/** Result of the last step at the end of a frame. */
class PayloadPart extends Bundle {

  /** Fault of the packet itself. */
  val verdict = UInt(Verdict.bits.W)
  val bytes = UInt(16.W)

  /** Beats that have left: fewer than `bytes` says when the frame ends early. */
  val beats = UInt(PacketRecord.beatBits.W)
}

/** Cuts CRC and padding off: what is left are the bytes of the payload.
  *
  * A frame that is known to be wrong by then has none.
  */
class PayloadStep extends Module {
  val io = IO(new Bundle {
    val in = Input(Valid(new Marked(new PacketMark)))
    val out = Output(Valid(new PayloadBeat))

    /** Once a frame, at its last beat. */
    val part = Output(Valid(new PayloadPart))
  })
  private val beat = io.in.bits.beat
  private val in = io.in.bits.mark
  private val wanted = Mux(in.alive && in.verdict === Verdict.accepted.U, in.inside, 0.U)

  private val rest = Reg(UInt(16.W))
  private val left = Mux(beat.first, wanted, rest)
  private val emits = io.in.valid && left =/= 0.U && beat.bytes =/= 0.U
  private val before = Reg(UInt(PacketRecord.beatBits.W))
  private val beats = Mux(beat.first, 0.U, before) + emits
  when(io.in.valid) {
    rest := Mux(left > Beat.size.U, left - Beat.size.U, 0.U)
    before := beats
  }

  private val out = Reg(new PayloadBeat)
  out.data := beat.data
  out.last := left <= Beat.size.U || beat.last
  io.out.valid := RegNext(emits, false.B)
  io.out.bits := out

  private val part = Reg(new PayloadPart)
  part.verdict := in.verdict
  part.bytes := wanted
  part.beats := beats
  io.part.valid := RegNext(io.in.valid && beat.last, false.B)
  io.part.bits := part
}
