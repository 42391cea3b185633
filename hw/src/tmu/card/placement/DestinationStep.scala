// SPDX-License-Identifier: Apache-2.0
package tmu.card.placement

import chisel3._
import chisel3.util.{Decoupled, UIntToOH}
import tmu.buffer.PointerQueue
import tmu.mutant.Mutant

/** Orders wait here until the destination of their message is known; out come writes.
  *
  * Orders stay in their order: one whose message has no destination yet holds up those behind it.
  * The bytes that are written end with the receive and with the message, whichever is shorter (W2,
  * R12); the rest of the packet is dropped. Of a message's last order a `Placed` leaves beside the
  * write, whose memory answers are still to come.
  */
class DestinationStep(p: PlacementParams) extends Module {
  val io = IO(new Bundle {
    val order = Flipped(Decoupled(new PlacementOrder(p)))

    /** Always taken. A message has no second one before its last order has left. */
    val destination = Flipped(Decoupled(new Destination(p)))
    val write = Decoupled(new WriteCommand(p))

    /** In the order of writes that complete; `failed` is not known yet. */
    val ending = Decoupled(new Placed(p))

    /** The oldest order waits for its destination. */
    val waits = Output(Bool())
    val idle = Output(Bool())
  })
  private val orders = Module(new PointerQueue(new PlacementOrder(p), p.orders))
  orders.io.enq <> io.order
  private val order = orders.io.deq.bits

  // Destination of each message. The bit of one is set by its destination and cleared by its last
  // order.
  private val table = Mem(p.messages, new Destination(p))
  private val known = RegInit(0.U(p.messages.W))
  io.destination.ready := true.B
  private val comes = io.destination.bits
  when(io.destination.valid)(table.write(comes.message, comes))
  private val found = table.read(order.message)

  // Stage 1: an order and its destination.
  private val full = RegInit(false.B)
  private val held = Reg(new PlacementOrder(p))
  private val base = Reg(UInt(p.addressBits.W))
  private val room = Reg(UInt(p.lengthBits.W))
  private val leaves = Wire(Bool())
  private val able = Mutant("no_verdict", !order.belongs || known(order.message))(_ => true.B)
  orders.io.deq.ready := able && (!full || leaves)
  when(orders.io.deq.fire) {
    held := order
    base := found.address
    room := found.room
  }
  full := orders.io.deq.fire || (full && !leaves)
  private def bit(enable: Bool, message: UInt): UInt =
    Mux(enable, UIntToOH(message, p.messages), 0.U)
  known := (known | bit(io.destination.valid, comes.message)) &
    ~bit(orders.io.deq.fire && order.belongs && order.last, order.message)

  // Stage 2: what of it is written, and where.
  private val shorter =
    Mutant("message_length", Mux(room < held.length, room, held.length))(_ => room)
  private val usable = Mutant("receive_length", shorter)(_ => held.length)
  private val left = Mux(usable > held.offset, usable - held.offset, 0.U)
  private val writing = RegInit(false.B)
  private val write = Reg(new WriteCommand(p))
  private val ending = Reg(new Placed(p))
  // Both leave together.
  private val endings = Module(new PointerQueue(new Placed(p), p.outstanding))
  private val goes = io.write.ready && (!write.completes || endings.io.enq.ready)
  leaves := full && (!writing || goes)
  when(leaves) {
    write.beats := held.beats
    write.address := base + held.offset
    write.bytes := Mux(held.belongs, Mux(left < held.bytes, left, held.bytes), 0.U)
    write.message := held.message
    write.completes := held.belongs && held.last
    ending.message := held.message
    ending.length := held.length
    ending.room := room
    ending.aborted := held.aborted
    ending.failed := false.B
  }
  writing := leaves || (writing && !goes)
  io.write.valid := writing && (!write.completes || endings.io.enq.ready)
  io.write.bits := write
  endings.io.enq.valid := writing && write.completes && io.write.ready
  endings.io.enq.bits := ending
  io.ending <> endings.io.deq
  io.waits := orders.io.deq.valid && !able
  io.idle := !orders.io.deq.valid && !full && !writing

  private val most = held.beats << p.byteBits
  assert(
    !full || !held.belongs || held.bytes <= most,
    "%d bytes in %d beats",
    held.bytes,
    held.beats
  )
  assert(
    !io.destination.valid || !known(comes.message),
    "a second destination of message %d",
    comes.message
  )
}
