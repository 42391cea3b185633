// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import chisel3.util.{Cat, ShiftRegister, Valid}
import tmu.card.wire.CrcSum

/** Whether the CRC32C of a frame is right, a beat a clock. */
class CrcCheck extends Module {
  val io = IO(new Bundle {
    val in = Input(Valid(new Marked(new InternetMark)))
    val bigEndian = Input(Bool())

    /** Once a frame, some clocks behind its last beat: the CRC is wrong, and was to be checked. */
    val wrong = Output(Valid(Bool()))
  })
  private val beat = io.in.bits.beat
  private val mark = io.in.bits.mark
  private val sum = Module(new CrcSum(Beat.size))
  sum.io.in.valid := io.in.valid
  sum.io.in.bits.data := beat.data
  sum.io.in.bits.first := beat.first
  sum.io.in.bits.last := beat.last
  sum.io.in.bits.begins := mark.crcStart
  sum.io.in.bits.end := mark.end.zext - InternetStep.crcBytes.S

  // The CRC's own bytes, as they come; they may lie in two beats.
  private val raw = RegNext(beat.data)
  private val at = RegNext(sum.io.remaining)
  private val stored = Reg(Vec(4, UInt(8.W)))
  private val bytes = VecInit((0 until Beat.size).map(i => raw(8 * i + 7, 8 * i)))
  for (i <- 0 until 4) {
    val offset = at + i.S
    when(RegNext(io.in.valid, false.B) && offset >= 0.S && offset < Beat.size.S) {
      stored(i) := bytes(offset(5, 0))
    }
  }

  private val latency = CrcSum.latency(Beat.size)
  private val found = {
    val word = Mux(io.bigEndian, Cat(stored), Cat(stored.reverse))
    ShiftRegister(word, latency - 2)
  }
  io.wrong.valid := sum.io.crc.valid
  io.wrong.bits := ShiftRegister(mark.checked, latency) && sum.io.crc.bits =/= found
}
