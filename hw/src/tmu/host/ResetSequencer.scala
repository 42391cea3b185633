// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{is, switch}

/** Software's reset without a broken handshake: drain, clear, sweep.
  *
  * From the request on, waiting commands and verdicts are dropped (`discard`); when the unit has
  * finished what it was at and memory has answered all writes, `clear` resets the unit for one
  * clock.
  */
class ResetSequencer extends Module {
  val io = IO(new Bundle {
    val request = Input(Bool())
    val drained = Input(Bool())
    val swept = Input(Bool())
    val discard = Output(Bool())
    val clear = Output(Bool())

    /** No reset is under way and all state is swept. */
    val ready = Output(Bool())
  })
  private object State extends ChiselEnum {
    val run, drain, clear, sweep = Value
  }
  private val state = RegInit(State.sweep)
  switch(state) {
    is(State.run)(when(io.request)(state := State.drain))
    is(State.drain)(when(io.drained)(state := State.clear))
    is(State.clear)(state := State.sweep)
    is(State.sweep)(when(io.swept)(state := State.run))
  }
  io.discard := state =/= State.run
  io.clear := state === State.clear
  io.ready := state === State.run
}
