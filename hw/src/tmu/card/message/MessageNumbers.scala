// SPDX-License-Identifier: Apache-2.0
package tmu.card.message

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, UIntToOH, Valid}
import tmu.buffer.{PointerQueue, Sweep}

/** Whether an endpoint of the unit takes a message that begins. */
class EndpointShare extends Bundle {

  /** There is a number for it. */
  val room = Bool()

  /** None is taken until there is, and its generation has changed; which counts from the driver's.
    */
  val off = Bool()
  val generation = UInt(8.W)
}

/** The numbers by which messages are known between the stages of the card.
  *
  * A number is free again when both users have let it go: the answer to the peer, and the
  * completion for the host. An endpoint with a pool has some numbers to itself, so that others
  * whose messages nobody takes leave it room (W5). One that had no number for a message takes none
  * behind that one either, so that none overtakes it (W1), until there is one and its generation
  * has changed.
  */
class MessageNumbers(m: MessageParams) extends Module {
  val io = IO(new Bundle {

    /** Taken only while there is one, by a message to `endpoint`. */
    val next = Decoupled(UInt(m.messageBits.W))
    val endpoint = Input(UInt(m.endpointBits.W))
    val share = Output(new EndpointShare)

    /** One to it is refused for want of a number. */
    val full = Input(Bool())

    /** This endpoint has a pool. */
    val pool = Flipped(Valid(UInt(m.endpointBits.W)))

    /** The peer has all answers. */
    val answered = Flipped(Valid(UInt(m.messageBits.W)))

    /** The host has the message, and nothing of it is needed any more; waits at times. */
    val told = Flipped(Decoupled(UInt(m.messageBits.W)))
    val free = Output(UInt(log2Ceil(m.messages + 1).W))

    /** Cleared after reset. */
    val ready = Output(Bool())
  })
  private val countBits = log2Ceil(m.messages + 1)
  private class Share extends Bundle {
    val taken = UInt(countBits.W)
    val keeps = Bool()
    val off = Bool()
    val generation = UInt(8.W)

    /** Numbers that it has to itself and does not use. */
    def kept: UInt = Mux(keeps && taken < m.kept.U, m.kept.U - taken, 0.U(countBits.W))
  }
  // Those that have never been used, then those that are free again.
  private val fresh = RegInit(0.U(countBits.W))
  private val used = Module(new PointerQueue(UInt(m.messageBits.W), m.messages))
  private val anyFresh = fresh =/= m.messages.U
  private val free = RegInit(m.messages.U(countBits.W))
  private val kept = RegInit(0.U(countBits.W))
  io.next.valid := anyFresh || used.io.deq.valid
  io.next.bits := Mux(anyFresh, fresh, used.io.deq.bits)
  used.io.deq.ready := io.next.ready && !anyFresh
  when(io.next.fire && anyFresh)(fresh := fresh + 1.U)

  private val half = RegInit(0.U(m.messages.W))
  private val freed = Module(new PointerQueue(UInt(m.messageBits.W), m.messages))
  io.told.ready := !io.answered.valid
  private val comes = io.answered.valid || io.told.valid
  private val number = Mux(io.answered.valid, io.answered.bits, io.told.bits)
  freed.io.enq.valid := comes && half(number)
  freed.io.enq.bits := number
  when(comes)(half := half ^ UIntToOH(number, m.messages))
  assert(!freed.io.enq.valid || freed.io.enq.ready, "message %d is free twice", number)

  private val endpoints = 1 << m.endpointBits
  private val shares = Mem(endpoints, new Share)
  private val owners = Mem(m.messages, UInt(m.endpointBits.W))
  private val sweep = Module(new Sweep(endpoints))
  private val pools = Module(new PointerQueue(UInt(m.endpointBits.W), 7))
  pools.io.enq.valid := io.pool.valid
  pools.io.enq.bits := io.pool.bits
  io.ready := sweep.io.ready
  private def room(share: Share): Bool = free > kept - share.kept

  // One of them a clock: a message begins or is refused; a number is free again; an endpoint gets a
  // pool; one is looked at, also while there is much to do.
  private val scan = RegInit(0.U((m.endpointBits + 2).W))
  scan := scan + 1.U
  private val asked = shares.read(io.endpoint)
  private val begins = io.next.fire
  private val turn = scan(1, 0) === 0.U
  private val frees = !begins && !io.full && !turn && freed.io.deq.valid
  private val registers = !begins && !io.full && !turn && !frees && pools.io.deq.valid
  private val looks = !begins && !io.full && turn
  freed.io.deq.ready := frees
  pools.io.deq.ready := registers
  private val other = Mux(
    frees,
    owners.read(freed.io.deq.bits),
    Mux(registers, pools.io.deq.bits, scan >> 2)
  )
  private val endpoint = Mux(begins || io.full, io.endpoint, other)
  private val share = Mux(begins || io.full, asked, shares.read(other))
  private val after = WireDefault(share)
  when(begins)(after.taken := share.taken + 1.U)
  when(io.full)(after.off := true.B)
  when(frees)(after.taken := share.taken - 1.U)
  when(registers && free >= kept +& (2 * m.kept).U)(after.keeps := true.B)
  when(looks && share.off && room(share)) {
    after.off := false.B
    after.generation := share.generation + 1.U
  }
  when(begins)(owners.write(io.next.bits, io.endpoint))
  shares.write(
    Mux(sweep.io.ready, endpoint, sweep.io.index),
    Mux(sweep.io.ready, after, 0.U.asTypeOf(new Share))
  )
  kept := kept + after.kept - share.kept
  used.io.enq.valid := frees
  used.io.enq.bits := freed.io.deq.bits
  free := free + frees - begins
  io.free := free
  assert(!frees || share.taken =/= 0.U, "endpoint %d has no number", endpoint)

  io.share.room := room(asked)
  io.share.off := asked.off
  io.share.generation := asked.generation
}
