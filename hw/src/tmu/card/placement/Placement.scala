// SPDX-License-Identifier: Apache-2.0
package tmu.card.placement

import chisel3._
import chisel3.util.{Decoupled, DecoupledIO}
import tmu.buffer.{BlockQueue, PointerQueue}
import tmu.bus.{AxiResponse, AxiWrite}

/** Payload to the receive that its message has matched, and the completion behind it.
  *
  * Payload waits in a buffer until its order and the message's destination are there; then it is
  * written, one beat a clock, at any alignment, only inside the receive and the message (W2). A
  * `Placed` leaves when memory has answered every write of its message (W3), in the order of last
  * packets.
  */
class Placement(p: PlacementParams) extends Module {
  val io = IO(new Bundle {

    /** In the order of the orders; comes before or after its own. */
    val payload = Flipped(Decoupled(UInt(p.dataBits.W)))
    val order = Flipped(Decoupled(new PlacementOrder(p)))
    val destination = Flipped(Decoupled(new Destination(p)))
    val placed = Decoupled(new Placed(p))
    val axi = new AxiWrite(p.addressBits, p.dataBits, 1)

    /** The oldest order waits for its destination. */
    val waits = Output(Bool())
    val idle = Output(Bool())
  })
  private val buffer = Module(new BlockQueue(UInt(p.dataBits.W), p.beats))
  private val destinations = Module(new DestinationStep(p))
  private val steps = Module(new WriteSteps(p))
  private val shifter = Module(new ByteShifter(p))
  private val ledger = Module(new WriteLedger(p))
  buffer.io.enq <> io.payload
  destinations.io.order <> io.order
  destinations.io.destination <> io.destination
  steps.io.command <> destinations.io.write
  io.waits := destinations.io.waits

  // A step is made only when the queues to memory have room for it and for those behind it that
  // the count does not show yet.
  private val addresses = Module(new PointerQueue(new BurstAddress(p), p.queued))
  private val beats = Module(new PointerQueue(new WriteBeat(p), p.queued))
  private val spacious = RegNext(
    Seq(addresses.io.count, beats.io.count)
      .map(_ <= (p.queued - PlacementParams.unseen).U)
      .reduce(_ && _),
    false.B
  )
  steps.io.payload := buffer.io.deq.valid
  steps.io.room := spacious && ledger.io.entry.ready
  buffer.io.deq.ready := steps.io.step.valid && steps.io.step.bits.takes
  shifter.io.step := steps.io.step
  shifter.io.payload := buffer.io.deq.bits
  ledger.io.entry.valid := steps.io.entry.valid
  ledger.io.entry.bits := steps.io.entry.bits

  private val out = shifter.io.out
  private val step = out.bits.step
  addresses.io.enq.valid := out.valid && step.begins
  addresses.io.enq.bits.address := step.address
  addresses.io.enq.bits.more := step.more
  beats.io.enq.valid := out.valid
  beats.io.enq.bits.data := out.bits.data
  beats.io.enq.bits.strobe := step.strobe
  beats.io.enq.bits.last := step.finishes
  for (queue <- Seq[DecoupledIO[_ <: Data]](addresses.io.enq, beats.io.enq))
    assert(!queue.valid || queue.ready, "no room for a beat of a write")

  private val axi = io.axi
  axi.awvalid := addresses.io.deq.valid
  axi.awaddr := addresses.io.deq.bits.address
  axi.awlen := addresses.io.deq.bits.more
  addresses.io.deq.ready := axi.awready
  axi.awid := 0.U
  axi.driveWriteAttributes()
  axi.wvalid := beats.io.deq.valid
  axi.wdata := beats.io.deq.bits.data
  axi.wstrb := beats.io.deq.bits.strobe
  axi.wlast := beats.io.deq.bits.last
  beats.io.deq.ready := axi.wready
  ledger.io.answer.valid := axi.bvalid
  ledger.io.answer.bits := axi.bresp =/= AxiResponse.okay
  axi.bready := ledger.io.answer.ready

  private val placed = Module(new PointerQueue(new Placed(p), 3))
  private val complete = ledger.io.complete
  private val ending = destinations.io.ending
  placed.io.enq.valid := complete.valid && ending.valid
  placed.io.enq.bits := ending.bits
  placed.io.enq.bits.failed := complete.bits.failed
  complete.ready := placed.io.enq.ready && ending.valid
  ending.ready := placed.io.enq.fire
  io.placed <> placed.io.deq
  io.idle := destinations.io.idle && steps.io.idle && ledger.io.idle && !placed.io.deq.valid &&
    buffer.io.count === 0.U

  assert(
    !placed.io.enq.fire || ending.bits.message === complete.bits.message,
    "W3: message %d is complete, not %d",
    complete.bits.message,
    ending.bits.message
  )
}

class BurstAddress(p: PlacementParams) extends Bundle {
  val address = UInt(p.addressBits.W)

  /** Beats but one. */
  val more = UInt(8.W)
}

class WriteBeat(p: PlacementParams) extends Bundle {
  val data = UInt(p.dataBits.W)
  val strobe = UInt(p.bytes.W)
  val last = Bool()
}
