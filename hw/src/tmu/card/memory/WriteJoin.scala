// SPDX-License-Identifier: Apache-2.0
package tmu.card.memory

import chisel3._
import chisel3.util.{log2Ceil, MuxLookup, RRArbiter, Valid}
import tmu.buffer.PointerQueue
import tmu.bus.AxiWrite

/** Several writers on one port of host memory: each has an AXI id of its own, so each sees its
  * answers in order, whatever the others do. All write beats of 64 bytes at rising addresses.
  */
class WriteJoin(writers: Int) extends Module {
  private val idBits = log2Ceil(writers)
  val io = IO(new Bundle {
    val in = Vec(writers, Flipped(new AxiWrite(64, 512, 1)))
    val out = new AxiWrite(64, 512, idBits)

    /** A beat leaves, and whose it is. */
    val beat = Valid(UInt(idBits.W))
  })
  private class Address extends Bundle {
    val source = UInt(idBits.W)
    val address = UInt(64.W)
    val more = UInt(8.W)
  }
  // Beats follow in the order of addresses.
  private val addresses = Module(new PointerQueue(new Address, 3))
  private val sources = Module(new PointerQueue(UInt(idBits.W), 63))
  private val choice = Module(new RRArbiter(new Address, writers))
  for ((in, index) <- io.in.zipWithIndex) {
    val offer = choice.io.in(index)
    offer.valid := in.awvalid
    offer.bits.source := index.U
    offer.bits.address := in.awaddr
    offer.bits.more := in.awlen
    in.awready := offer.ready
    val answers = io.out.bid === index.U
    in.bid := 0.U
    in.bresp := io.out.bresp
    in.bvalid := io.out.bvalid && answers
  }
  private val takes = addresses.io.enq.ready && sources.io.enq.ready
  choice.io.out.ready := takes
  addresses.io.enq.valid := choice.io.out.valid && takes
  addresses.io.enq.bits := choice.io.out.bits
  sources.io.enq.valid := addresses.io.enq.valid
  sources.io.enq.bits := choice.io.out.bits.source

  private val out = io.out
  out.awvalid := addresses.io.deq.valid
  out.awid := addresses.io.deq.bits.source
  out.awaddr := addresses.io.deq.bits.address
  out.awlen := addresses.io.deq.bits.more
  out.driveWriteAttributes()
  addresses.io.deq.ready := out.awready

  private val source = sources.io.deq.bits
  private def of[T <: Data](number: UInt, what: AxiWrite => T): T =
    MuxLookup(number, what(io.in.head))(io.in.zipWithIndex.map { case (in, n) => n.U -> what(in) })
  out.wvalid := sources.io.deq.valid && of(source, _.wvalid)
  out.wdata := of(source, _.wdata)
  out.wstrb := of(source, _.wstrb)
  out.wlast := of(source, _.wlast)
  for ((in, index) <- io.in.zipWithIndex)
    in.wready := sources.io.deq.valid && source === index.U && out.wready
  io.beat.valid := out.wvalid && out.wready
  io.beat.bits := source
  sources.io.deq.ready := io.beat.valid && out.wlast
  out.bready := of(out.bid, _.bready)
}
