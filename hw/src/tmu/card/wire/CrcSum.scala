// SPDX-License-Identifier: Apache-2.0
package tmu.card.wire

import chisel3._
import chisel3.util.{Cat, ShiftRegister, Valid}

/** A beat of a frame for CrcSum; `begins` and `end` mean something with the first one. */
class CrcBeat(bytes: Int) extends Bundle {
  val data = UInt((8 * bytes).W)
  val first = Bool()
  val last = Bool()

  /** Bytes from the frame's first one to the first that the CRC covers. */
  val begins = UInt(7.W)

  /** Bytes from the frame's first one to the end of what the CRC covers. */
  val end = SInt(CrcSum.countBits.W)
}

/** The CRC32C of a frame, a beat a clock.
  *
  * Bytes outside of what it covers count as zero. Those in front do no harm, because the register
  * is zero there: the ones that it has to begin with are put upon the first four bytes covered,
  * which is the same. Those behind are taken back at the end, by steps of 32, 16, 8, 4, 2 and 1
  * bytes. So there is one wide sum for all numbers of bytes, and in the loop from beat to beat is
  * only the register.
  */
class CrcSum(bytes: Int) extends Module {
  import CrcSum._
  val io = IO(new Bundle {
    val in = Input(Valid(new CrcBeat(bytes)))

    /** Of the beat at `in`, in its clock: bytes to the end of what is covered; negative behind. */
    val remaining = Output(SInt(countBits.W))

    /** Once a frame, `latency` clocks behind its last beat. */
    val crc = Output(Valid(UInt(32.W)))
  })
  private val beat = io.in.bits
  private val ends = Reg(SInt(countBits.W))
  private val starts = Reg(SInt(countBits.W))
  private val remaining = Mux(beat.first, beat.end, ends)
  private val begins = Mux(beat.first, beat.begins.zext, starts)
  when(io.in.valid) {
    ends := remaining - bytes.S
    starts := begins - bytes.S
  }
  io.remaining := remaining
  private val covers = remaining > 0.S
  private val finishes = covers && remaining <= bytes.S

  // Which bytes count, and which the ones are put upon.
  private val counted = Reg(Vec(bytes, Bool()))
  private val inverted = Reg(Vec(bytes, Bool()))
  for (i <- 0 until bytes) {
    counted(i) := i.S >= begins && i.S < remaining
    inverted(i) := i.S >= begins && i.S < begins + 4.S
  }
  private val raw = RegNext(beat.data)
  private val data = Reg(UInt((8 * bytes).W))
  data := Cat((bytes - 1 to 0 by -1).map { i =>
    raw(8 * i + 7, 8 * i) & VecInit.fill(8)(counted(i)).asUInt ^ VecInit
      .fill(8)(inverted(i))
      .asUInt
  })

  // The sum of a beat in two clocks, then the loop.
  private val added = Crc32c.sum(data)
  private def behind[T <: Data](value: T, clocks: Int): T = ShiftRegister(value, clocks)
  private val valid = ShiftRegister(io.in.valid, 3, false.B, true.B)
  private val register = Reg(UInt(32.W))
  private val surplus = Reg(UInt(6.W))
  when(valid && behind(covers, 3)) {
    val old = Mux(behind(beat.first, 3), 0.U, Crc32c(Crc32c.advance(bytes), register))
    register := added ^ old
  }
  when(valid && behind(finishes, 3))(surplus := (bytes.S - behind(remaining, 3))(5, 0))

  // The contribution of the bytes behind the end is taken back.
  private val done = RegNext(valid && behind(beat.last, 3), false.B)
  io.crc.valid := ShiftRegister(done, Crc32c.rewindClocks(bytes), false.B, true.B)
  io.crc.bits := ~Crc32c.rewind(register, surplus, bytes)
}

object CrcSum {

  /** Bits of a signed number of bytes, of a frame as long as IP can say and behind it. */
  val countBits: Int = 19

  /** Clocks from a frame's last beat to its CRC. */
  def latency(bytes: Int): Int = 4 + Crc32c.rewindClocks(bytes)
}
