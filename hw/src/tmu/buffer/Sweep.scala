// SPDX-License-Identifier: Apache-2.0
package tmu.buffer

import chisel3._
import chisel3.util.log2Ceil

/** Walks the addresses of a memory after reset, one a clock, so that its owner can clear them. */
class Sweep(depth: Int) extends Module {
  val io = IO(new Bundle {

    /** Address to clear in this clock, while it is not `ready`. */
    val index = Output(UInt(log2Ceil(depth).W))

    /** All addresses have had their turn. */
    val ready = Output(Bool())
  })
  private val ready = RegInit(false.B)
  private val index = RegInit(0.U(log2Ceil(depth).W))
  when(!ready) {
    index := index + 1.U
    ready := index === (depth - 1).U
  }
  io.index := index
  io.ready := ready
}
