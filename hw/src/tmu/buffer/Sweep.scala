// SPDX-License-Identifier: Apache-2.0
package tmu.buffer

import chisel3._
import chisel3.util.log2Ceil

/** Walks the places of a memory after reset, one a clock, so that its owner can clear them. */
class Sweep(places: Int) extends Module {
  val io = IO(new Bundle {

    /** Place to clear in this clock, while it is not `ready`. */
    val place = Output(UInt(log2Ceil(places).W))

    /** All places have had their turn. */
    val ready = Output(Bool())
  })
  private val ready = RegInit(false.B)
  private val place = RegInit(0.U(log2Ceil(places).W))
  when(!ready) {
    place := place + 1.U
    ready := place === (places - 1).U
  }
  io.place := place
  io.ready := ready
}
