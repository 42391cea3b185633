// SPDX-License-Identifier: Apache-2.0
package tmu.card.placement

import chisel3._
import chisel3.util.Decoupled
import tmu.buffer.{PointerQueue, Sweep}
import tmu.mutant.Mutant

/** Answers that memory owes, in the order of the bursts, and the completions between them (W3).
  *
  * All writes have one AXI id, so memory answers in order. A burst leaves the ledger with its
  * answer; a completion leaves with the answer to the last burst of its message, or, when that had
  * none in its last packet, as soon as everything before it has left. An error marks the message
  * until its completion.
  */
class WriteLedger(p: PlacementParams) extends Module {
  val io = IO(new Bundle {
    val entry = Flipped(Decoupled(new LedgerEntry(p)))

    /** An answer of memory; whether it is an error. */
    val answer = Flipped(Decoupled(Bool()))

    /** A message is complete; whether one of its writes has failed. */
    val complete = Decoupled(new Bundle {
      val message = UInt(p.messageBits.W)
      val failed = Bool()
    })
    val idle = Output(Bool())
  })
  private val queue = Module(new PointerQueue(new LedgerEntry(p), p.outstanding))
  private val sweep = Module(new Sweep(p.messages))
  private val marks = Mem(p.messages, Bool())
  queue.io.enq <> io.entry
  queue.io.enq.valid := io.entry.valid && sweep.io.ready
  io.entry.ready := queue.io.enq.ready && sweep.io.ready

  private val head = queue.io.deq.bits
  private val there = queue.io.deq.valid
  private val answered = there && head.burst && io.answer.valid
  private val wrong = answered && io.answer.bits
  private val marked = marks.read(head.message)
  io.answer.ready := there && head.burst &&
    Mutant("answer_lost", !head.completes || io.complete.ready)(_ => true.B)
  io.complete.valid := there && head.completes &&
    Mutant("no_answer", !head.burst || io.answer.valid)(_ => true.B)
  io.complete.bits.message := head.message
  io.complete.bits.failed := wrong || marked
  queue.io.deq.ready := Mux(head.completes, io.complete.fire, io.answer.fire)

  // Cleared by the completion, set by an error before it.
  private val leaves = queue.io.deq.fire
  when(!sweep.io.ready || (leaves && (head.completes || wrong))) {
    marks.write(
      Mux(sweep.io.ready, head.message, sweep.io.index),
      sweep.io.ready && !head.completes
    )
  }
  io.idle := !there && sweep.io.ready

  assert(!io.answer.valid || there, "memory answered a burst that was not made")
}
