// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import chisel3.util.Valid
import tmu.card.wire.{PdcVerdict, Verdict}

/** Counters of frames by their verdict, and of those that were accepted by what became of them
  * (W6).
  */
class FrameCounters extends Module {
  val io = IO(new Bundle {
    val frame = Flipped(Valid(UInt(Verdict.bits.W)))
    val packet = Flipped(Valid(UInt(PdcVerdict.bits.W)))

    /** A verdict; or an outcome, behind them. */
    val select = Input(UInt((Verdict.bits + 1).W))
    val count = Output(UInt(32.W))
  })
  private val frames = 1 << Verdict.bits
  private val counts = RegInit(VecInit.fill(2 * frames)(0.U(32.W)))
  // Frames that the parser has dropped are counted as frames alone.
  private val outcome = io.packet.valid && io.packet.bits =/= PdcVerdict.none.U
  for ((count, index) <- counts.zipWithIndex) {
    val hit =
      if (index < frames) io.frame.valid && io.frame.bits === index.U
      else outcome && io.packet.bits === (index - frames).U
    when(hit)(count := count + 1.U)
  }
  io.count := RegNext(counts(io.select))
}
