// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import chisel3.util.{PopCount, Valid}
import tmu.bus.AxiStream

/** AXI4-Stream to beats. Takes a beat in every clock while `open`.
  *
  * The stream is packed: `tkeep` has all its bits but in the last beat, and there the lowest ones.
  * A frame that breaks this is as bad as one that the Ethernet port calls bad.
  */
class StreamInput extends Module {
  val io = IO(new Bundle {
    val stream = Flipped(new AxiStream(Beat.dataBits, 1))
    val open = Input(Bool())
    val out = Output(Valid(new Beat))
  })
  private val taken = io.stream.tvalid && io.open
  io.stream.tready := io.open

  private val first = RegInit(true.B)
  private val spoilt = Reg(Bool())
  private val gap = (io.stream.tkeep & (io.stream.tkeep +% 1.U)).orR
  private val unpacked = gap || !io.stream.tlast && !io.stream.tkeep.andR
  private val bad = io.stream.tuser(0) || unpacked || !first && spoilt
  when(taken) {
    first := io.stream.tlast
    spoilt := bad
  }

  private val out = Reg(new Beat)
  out.data := io.stream.tdata
  out.bytes := Mux(io.stream.tlast, PopCount(io.stream.tkeep), Beat.size.U)
  out.first := first
  out.last := io.stream.tlast
  out.bad := bad
  io.out.valid := RegNext(taken, false.B)
  io.out.bits := out
}
