// SPDX-License-Identifier: Apache-2.0
package tmu.card.message

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, UIntToOH, Valid}
import tmu.buffer.PointerQueue

/** The numbers by which messages are known between the stages of the card.
  *
  * A number is free again when both users have let it go: the answer to the peer, and the
  * completion for the host.
  */
class MessageNumbers(m: MessageParams) extends Module {
  val io = IO(new Bundle {

    /** Taken only while there is one. */
    val next = Decoupled(UInt(m.messageBits.W))

    /** The peer has all answers. */
    val answered = Flipped(Valid(UInt(m.messageBits.W)))

    /** The host has the message, and nothing of it is needed any more; waits at times. */
    val told = Flipped(Decoupled(UInt(m.messageBits.W)))
    val free = Output(UInt(log2Ceil(m.messages + 1).W))
  })
  // Those that have never been used, then those that are free again.
  private val fresh = RegInit(0.U(log2Ceil(m.messages + 1).W))
  private val used = Module(new PointerQueue(UInt(m.messageBits.W), m.messages))
  private val anyFresh = fresh =/= m.messages.U
  private val free = RegInit(m.messages.U)
  io.next.valid := anyFresh || used.io.deq.valid
  io.next.bits := Mux(anyFresh, fresh, used.io.deq.bits)
  used.io.deq.ready := io.next.ready && !anyFresh
  when(io.next.fire && anyFresh)(fresh := fresh + 1.U)

  private val half = RegInit(0.U(m.messages.W))
  io.told.ready := !io.answered.valid
  private val comes = io.answered.valid || io.told.valid
  private val number = Mux(io.answered.valid, io.answered.bits, io.told.bits)
  used.io.enq.valid := comes && half(number)
  used.io.enq.bits := number
  when(comes)(half := half ^ UIntToOH(number, m.messages))
  free := free + used.io.enq.valid - io.next.fire
  io.free := free
  assert(!used.io.enq.valid || used.io.enq.ready, "message %d is free twice", number)
}
