// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import tmu.bus.AxiStream

/** Stops frames between two of them. */
class FrameGate extends Module {
  val io = IO(new Bundle {
    val in = Flipped(new AxiStream(Beat.dataBits, 1))
    val out = new AxiStream(Beat.dataBits, 1)
    val stop = Input(Bool())

    /** A frame passes. */
    val moves = Output(Bool())
  })
  private val within = RegInit(false.B)
  private val open = within || !io.stop
  io.out.tvalid := io.in.tvalid && open
  io.out.tdata := io.in.tdata
  io.out.tkeep := io.in.tkeep
  io.out.tlast := io.in.tlast
  io.out.tuser := io.in.tuser
  io.in.tready := io.out.tready && open
  private val fires = io.in.tvalid && io.in.tready
  when(fires)(within := !io.in.tlast)
  io.moves := within || fires
}
