// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import chisel3.util.{Cat, ShiftRegister, Valid}
import tmu.card.wire.Crc32c

/** Whether the CRC32C of a frame is right, a beat a clock.
  *
  * Bytes outside of what it covers count as zero. Those in front do no harm, because the register
  * is zero there: the ones that it has to begin with are put upon the first four bytes covered,
  * which is the same. Those behind are taken back at the end, by steps of 32, 16, 8, 4, 2 and 1
  * bytes. So there is one wide sum for all numbers of bytes, and in the loop from beat to beat is
  * only the register.
  */
class CrcCheck extends Module {
  val io = IO(new Bundle {
    val in = Input(Valid(new Marked(new InternetMark)))
    val bigEndian = Input(Bool())

    /** Once a frame, some clocks behind its last beat: the CRC is wrong, and was to be checked. */
    val wrong = Output(Valid(Bool()))
  })
  private val beat = io.in.bits.beat
  private val mark = io.in.bits.mark

  // Bytes from this beat's first to the CRC; negative behind it.
  private val countBits = InternetStep.endBits + 2
  private val before = Reg(SInt(countBits.W))
  private val remaining = Mux(
    beat.first,
    mark.end.zext - InternetStep.crcBytes.S,
    before
  )
  when(io.in.valid)(before := remaining - Beat.size.S)
  private val covers = remaining > 0.S
  private val ends = covers && remaining <= Beat.size.S

  // Which bytes count, and which the ones are put upon.
  private val begins = Mux(beat.first, mark.crcStart, 0.U)
  private val counted = Reg(Vec(Beat.size, Bool()))
  private val inverted = Reg(Vec(Beat.size, Bool()))
  for (i <- 0 until Beat.size) {
    counted(i) := i.U >= begins && i.S < remaining
    inverted(i) := beat.first && i.U >= begins && i.U < begins +& 4.U
  }
  private val raw = RegNext(beat.data)
  private val at = RegNext(remaining)

  private val data = Reg(UInt(Beat.dataBits.W))
  data := Cat((Beat.size - 1 to 0 by -1).map { i =>
    raw(8 * i + 7, 8 * i) & VecInit.fill(8)(counted(i)).asUInt ^ VecInit
      .fill(8)(inverted(i))
      .asUInt
  })

  // The CRC's own bytes, as they come; they may lie in two beats.
  private val stored = Reg(Vec(4, UInt(8.W)))
  private val bytes = VecInit((0 until Beat.size).map(i => raw(8 * i + 7, 8 * i)))
  for (i <- 0 until 4) {
    val offset = at + i.S
    when(RegNext(io.in.valid, false.B) && offset >= 0.S && offset < Beat.size.S) {
      stored(i) := bytes(offset(5, 0))
    }
  }

  // The sum of a beat in two clocks, then the loop.
  private val added = Crc32c.sum(data)
  private def behind[T <: Data](value: T, clocks: Int): T = ShiftRegister(value, clocks)
  private val valid = ShiftRegister(io.in.valid, 3, false.B, true.B)
  private val register = Reg(UInt(32.W))
  private val surplus = Reg(UInt(6.W))
  when(valid && behind(covers, 3)) {
    val old = Mux(behind(beat.first, 3), 0.U, Crc32c(Crc32c.advance(Beat.size), register))
    register := added ^ old
  }
  when(valid && behind(ends, 3))(surplus := (Beat.size.U - behind(at, 2).asUInt)(5, 0))

  // The contribution of the bytes behind the end is taken back.
  private val done = RegNext(valid && behind(beat.last, 3), false.B)
  private val crc = Crc32c.rewind(register, surplus, Beat.size)
  private val rewind = Crc32c.rewindClocks(Beat.size)
  private val found = {
    val word = Mux(io.bigEndian, Cat(stored), Cat(stored.reverse))
    behind(word, 2 + rewind)
  }
  io.wrong.valid := ShiftRegister(done, rewind, false.B, true.B)
  io.wrong.bits := behind(mark.checked, 4 + rewind) && ~crc =/= found
}
