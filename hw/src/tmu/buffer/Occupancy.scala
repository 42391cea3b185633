// SPDX-License-Identifier: Apache-2.0
package tmu.buffer

import chisel3._
import chisel3.util.log2Ceil

/** Fill state of a queue, all in registers: so neither side waits for a comparison. */
object Occupancy {

  /** @param entries
    *   that it holds at most; the producer adds no more
    * @return
    *   how many there are; whether another one fits; whether there is one
    */
  def apply(entries: Int, comes: Bool, goes: Bool): (UInt, Bool, Bool) = {
    val count = RegInit(0.U(log2Ceil(entries + 1).W))
    val room = RegInit(true.B)
    val there = RegInit(false.B)
    when(comes =/= goes) {
      count := Mux(comes, count + 1.U, count - 1.U)
      room := !comes || count =/= (entries - 1).U
      there := comes || count =/= 1.U
    }
    (count, room, there)
  }
}
