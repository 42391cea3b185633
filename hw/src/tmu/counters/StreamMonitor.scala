// SPDX-License-Identifier: Apache-2.0
package tmu.counters

import chisel3._
import tmu.registers.Streams
import tmu.types.StreamState

/** Tells what a clock of a stream is, and how long it was idle when it is not any more. */
class StreamMonitor extends Module {
  val io = IO(new Bundle {
    val state = Input(new StreamState)
    val active = Output(Bool())
    val stalled = Output(Bool())

    /** A run of idle clocks has ended with the clock before, by its length. */
    val ended = Output(Vec(Streams.idleFrom.size, Bool()))
  })
  io.active := io.state.moves
  io.stalled := io.state.stalls

  // Buckets are powers of four: the highest pair of bits that is not zero tells which. The length
  // stands still where the last bucket begins.
  private val buckets = Streams.idleFrom.size
  require(Streams.idleFrom == Seq.iterate(1, buckets)(4 * _), "buckets are powers of four")
  private val length = RegInit(0.U((2 * buckets - 1).W))
  private val most = length(2 * buckets - 2)
  length := Mux(io.state.idles, Mux(most, length, length + 1.U), 0.U)
  for ((ended, k) <- io.ended.zipWithIndex)
    ended := !io.state.idles && length >= (1 << 2 * k).U &&
      (if (k + 1 < buckets) length < (1 << 2 * (k + 1)).U else true.B)
}
