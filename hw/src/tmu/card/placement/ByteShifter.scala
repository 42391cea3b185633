// SPDX-License-Identifier: Apache-2.0
package tmu.card.placement

import chisel3._
import chisel3.util.{Cat, Valid}

/** The data of each step: payload moved to its bytes in memory. Answers two clocks later.
  *
  * A beat of memory has the last bytes of one beat of payload and the first of the next one, in
  * which order a rotation puts both; so one rotation a beat is enough, and the one before is kept.
  */
class ByteShifter(p: PlacementParams) extends Module {
  val io = IO(new Bundle {
    val step = Input(Valid(new WriteStep(p)))
    val payload = Input(UInt(p.dataBits.W))
    val out = Output(Valid(new ShiftedBeat(p)))
  })
  private val rotated = Seq.iterate((io.payload, 0), p.byteBits + 1) { case (data, stage) =>
    val by = 8 << stage
    val moved = Cat(data(p.dataBits - by - 1, 0), data(p.dataBits - 1, p.dataBits - by))
    (Mux(io.step.bits.shift(stage), moved, data), stage + 1)
  }
  private val current = RegNext(rotated.last._1)
  private val step = RegNext(io.step.bits)
  private val valid = RegNext(io.step.valid && (io.step.bits.writes || io.step.bits.takes), false.B)
  private val before = Reg(UInt(p.dataBits.W))
  when(valid && step.takes)(before := current)

  private val out = Reg(new ShiftedBeat(p))
  out.step := step
  out.data := VecInit
    .tabulate(p.bytes) { byte =>
      def of(data: UInt) = data(8 * byte + 7, 8 * byte)
      Mux(byte.U < step.shift, of(before), of(current))
    }
    .asUInt
  io.out.valid := RegNext(valid && step.writes, false.B)
  io.out.bits := out
}

/** A beat for memory. */
class ShiftedBeat(p: PlacementParams) extends Bundle {
  val step = new WriteStep(p)
  val data = UInt(p.dataBits.W)
}
