// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{is, switch, Decoupled, Valid}
import tmu.buffer.Sweep
import tmu.params.TmuParams

/** Changes pages, and disables all of them after reset (`ready` tells when).
  *
  * A new configuration needs a clock in which nothing moves, so the doorbells, the submission
  * queues and the writer are held up for a few clocks: no page can put it off (R13). The page is
  * disabled then, whatever comes after. A configuration is done when the last command that the page
  * had begun has left the unit, and memory has answered every write that was made before: then its
  * ring and its share may be given away, and no completion of an earlier owner comes to a later
  * one.
  */
class PageCommit(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val ready = Output(Bool())

    /** Taken when it is done, and not before. */
    val configure = Flipped(Decoupled(new PageConfig(p)))

    /** Takes a page's ring away at once, even while the ring stays full. */
    val disable = Flipped(Decoupled(UInt(p.pageBits.W)))
    val change = Valid(new PageChange(p))

    /** Nothing may move that a change could meet. */
    val hold = Output(Bool())

    /** The unit is held, or the sweep is on: the only clocks in which a page may start again. */
    val still = Output(Bool())

    /** Something moves. */
    val moving = Input(Bool())

    /** While held, two clocks later: no command of the page at hand is on its way. */
    val drained = Input(Bool())

    /** A new configuration has come into force. */
    val configured = Output(Bool())

    /** Memory has answered the writes that were made before that. */
    val fenced = Input(Bool())
  })

  private val sweep = Module(new Sweep(p.pages))
  io.ready := sweep.io.ready

  private object State extends ChiselEnum {
    val rest, held, fence, retry = Value
  }
  private val state = RegInit(State.rest)
  private val clocks = RegInit(0.U(4.W))
  clocks := clocks + 1.U
  private def go(next: State.Type): Unit = {
    state := next
    clocks := 0.U
  }

  private val asked = io.configure.valid && io.ready
  private val enables = io.configure.bits.ring.enable
  private val disables = io.disable.valid
  private val settled = clocks >= PageCommit.settle.U
  private val turn = state === State.held && settled && !disables
  private val fires = turn && io.drained
  switch(state) {
    is(State.rest)(when(asked)(go(State.held)))
    is(State.held)(when(turn)(go(Mux(fires, State.fence, State.retry))))
    is(State.fence)(when(io.fenced && clocks =/= 0.U)(go(State.rest)))
    is(State.retry)(when(clocks.andR)(go(State.held)))
  }
  io.hold := state === State.held
  io.still := io.hold || !io.ready
  io.configured := fires
  io.configure.ready := state === State.fence && io.fenced && clocks =/= 0.U
  io.disable.ready := io.ready

  private val change = io.change.bits
  io.change.valid := !io.ready || disables || turn
  change.page := Mux(
    io.ready,
    Mux(disables, io.disable.bits, io.configure.bits.page),
    sweep.io.index
  )
  change.ring := io.configure.bits.ring
  change.queue := io.configure.bits.queue
  change.ring.enable := fires && enables
  change.queue.enable := fires && enables
  change.restart := !io.ready || (fires && enables)

  assert(!turn || !io.moving, "something moves although it was held for %d clocks", clocks)
}

object PageCommit {

  /** Clocks after which all is still and `drained` is about the page at hand. */
  val settle: Int = 6
}
