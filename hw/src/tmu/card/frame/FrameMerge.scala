// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import tmu.bus.AxiStream

/** Two streams of frames on one port, frame by frame, in turns while both have one. No beat of one
  * is inside a frame of the other, and none waits for a stream that has nothing.
  */
class FrameMerge extends Module {
  val io = IO(new Bundle {
    val in = Vec(2, Flipped(new AxiStream(Beat.dataBits, 1)))
    val out = new AxiStream(Beat.dataBits, 1)
  })
  // Offered beats stay: a stream is left when its frame has ended.
  private val held = RegInit(false.B)
  private val last = RegInit(1.U(1.W))
  private val other = ~last
  private val chosen = Mux(held, last, Mux(io.in(other).tvalid, other, last))
  private val stream = io.in(chosen)
  io.out.tdata := stream.tdata
  io.out.tkeep := stream.tkeep
  io.out.tlast := stream.tlast
  io.out.tuser := stream.tuser
  io.out.tvalid := stream.tvalid
  for ((in, index) <- io.in.zipWithIndex) in.tready := io.out.tready && chosen === index.U
  private val offers = stream.tvalid
  held := (held || offers) && !(offers && io.out.tready && stream.tlast)
  when(offers)(last := chosen)
  assert(
    !RegNext(io.out.tvalid && !io.out.tready, false.B) || io.out.tvalid && chosen === last,
    "a beat that was offered is gone"
  )
}
