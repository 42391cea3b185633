// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.Decoupled

/** Two places between two sides that do not see each other in the same clock; first in, first out,
  * one a clock.
  *
  * What leaves comes straight from a register, and `ready` too: a queue of two in a small memory
  * would put its address, with a load of every bit, and its read before what follows.
  */
class SkidBuffer[T <: Data](data: => T) extends Module {
  val io = IO(new Bundle {
    val enq = Flipped(Decoupled(data))
    val deq = Decoupled(data)
  })
  private val filled = RegInit(false.B)
  private val front = Reg(data)
  private val spills = RegInit(false.B) // the second place, in use while the first cannot leave
  private val back = Reg(data)
  private val moves = io.deq.ready || !filled
  io.enq.ready := !spills
  io.deq.valid := filled
  io.deq.bits := front
  when(!spills)(back := io.enq.bits)
  when(moves) {
    front := Mux(spills, back, io.enq.bits)
    filled := spills || io.enq.valid
    spills := false.B
  }.elsewhen(io.enq.fire)(spills := true.B)
}
