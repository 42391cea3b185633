// SPDX-License-Identifier: Apache-2.0
package tmu.card.pool

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, UIntToOH}
import tmu.buffer.{BlockQueue, PointerQueue}
import tmu.bus.{AxiRead, AxiResponse, AxiWrite}
import tmu.card.placement.{Placed, Placement, PlacementParams}

/** An unexpected message that lies in its buffer of the pool and has met a receive. */
class PoolJob(p: PlacementParams) extends Bundle {
  val message = UInt(p.messageBits.W)

  /** Its buffer, at a multiple of the buffer's bytes. */
  val from = UInt(p.addressBits.W)

  /** Of the receive. */
  val address = UInt(p.addressBits.W)
  val room = UInt(p.lengthBits.W)

  /** Of the message. */
  val length = UInt(p.lengthBits.W)
}

/** Moves payload from the pool to its receives, one message behind the other.
  *
  * A burst is read when there is room for all of its beats, so an answer of memory never waits. It
  * is written by a `Placement` of its own, a packet for each burst: only inside receive and message
  * (W2), and told when memory has answered every write (W3). What does not fit is not read (R12).
  */
class PoolCopy(p: PlacementParams, idBits: Int = 1) extends Module {
  val io = IO(new Bundle {
    val job = Flipped(Decoupled(new PoolJob(p)))

    /** In the order of the jobs; failed also when memory has answered a read with an error. */
    val done = Decoupled(new Placed(p))
    val read = new AxiRead(p.addressBits, p.dataBits, idBits)
    val write = new AxiWrite(p.addressBits, p.dataBits, 1)
    val idle = Output(Bool())
  })
  private val inner = PoolCopy.placement(p)
  private val placement = Module(new Placement(inner))
  private val buffer = Module(new BlockQueue(UInt(p.dataBits.W), PoolCopy.beats(p)))
  private class Burst extends Bundle {
    val address = UInt(p.addressBits.W)
    val more = UInt(8.W)
  }
  private val addresses = Module(new PointerQueue(new Burst, 3))

  /** Messages of the bursts that memory has not answered. */
  private val asked = Module(new PointerQueue(UInt(p.messageBits.W), PoolCopy.bursts))
  private val room = RegInit(PoolCopy.beats(p).U)

  private val busy = RegInit(false.B)
  private val job = Reg(new PoolJob(p))
  private val offset = Reg(UInt(p.lengthBits.W))
  private val left = Reg(UInt(p.lengthBits.W))

  // The next burst ends where the message, the receive or a page of memory does.
  private val at = job.from + offset
  private val toPage = p.page.U - at(log2Ceil(p.page) - 1, 0)
  private val last = left <= toPage
  private val bytes = Mux(last, left, toPage)(inner.packetBits - 1, 0)
  private val beats = (bytes +& (p.bytes - 1).U) >> p.byteBits
  private val reads = bytes =/= 0.U
  private val able = !reads || (addresses.io.enq.ready && asked.io.enq.ready && beats <= room)
  private val order = placement.io.order
  order.valid := busy && able
  order.bits.beats := beats
  order.bits.belongs := true.B
  order.bits.message := job.message
  order.bits.offset := offset
  order.bits.bytes := bytes
  order.bits.length := job.length
  order.bits.last := last
  order.bits.aborted := false.B
  addresses.io.enq.valid := order.fire && reads
  addresses.io.enq.bits.address := at
  addresses.io.enq.bits.more := beats - 1.U
  asked.io.enq.valid := addresses.io.enq.valid
  asked.io.enq.bits := job.message

  private val takes = io.job.bits
  io.job.ready := !busy
  placement.io.destination.valid := io.job.fire
  placement.io.destination.bits.message := takes.message
  placement.io.destination.bits.address := takes.address
  placement.io.destination.bits.room := takes.room
  when(order.fire) {
    offset := offset + bytes
    left := left - bytes
    busy := !last
  }
  when(io.job.fire) {
    busy := true.B
    job := takes
    offset := 0.U
    left := Mux(takes.room < takes.length, takes.room, takes.length)
  }

  private val read = io.read
  read.arvalid := addresses.io.deq.valid
  read.araddr := addresses.io.deq.bits.address
  read.arlen := addresses.io.deq.bits.more
  addresses.io.deq.ready := read.arready
  read.arid := 0.U
  read.driveReadAttributes()
  buffer.io.enq.valid := read.rvalid
  buffer.io.enq.bits := read.rdata
  read.rready := buffer.io.enq.ready
  private val comes = read.rvalid && read.rready
  asked.io.deq.ready := comes && read.rlast
  placement.io.payload <> buffer.io.deq
  room := room + buffer.io.deq.fire - Mux(order.fire, beats, 0.U)
  io.write <> placement.io.axi

  private val lost = RegInit(0.U(p.messages.W))
  private def bit(enable: Bool, message: UInt): UInt =
    Mux(enable, UIntToOH(message, p.messages), 0.U)
  private val wrong = comes && read.rresp =/= AxiResponse.okay
  private val placed = placement.io.placed
  lost := (lost | bit(wrong, asked.io.deq.bits)) & ~bit(placed.fire, placed.bits.message)
  io.done <> placed
  io.done.bits.failed := placed.bits.failed || lost(placed.bits.message)
  io.idle := !busy && !io.job.valid && !io.done.valid && placement.io.idle

  assert(!read.rvalid || buffer.io.enq.ready, "no room for a beat of the pool")
  assert(!read.rvalid || asked.io.deq.valid, "memory has answered a read that was not made")
  assert(
    !io.job.valid || !takes.from(p.byteBits - 1, 0).orR,
    "the buffer of message %d is not aligned",
    takes.message
  )
}

object PoolCopy {

  /** Reads that memory has not answered. */
  val bursts: Int = 15

  /** Beats that are read and not written: four pages. */
  def beats(p: PlacementParams): Int = 4 * p.page / p.bytes - 1

  /** Of the writes: a packet is a burst, and its payload waits in a buffer of its own. */
  def placement(p: PlacementParams): PlacementParams =
    p.copy(packetBits = log2Ceil(p.page) + 1, beats = 3, orders = bursts)
}
