// SPDX-License-Identifier: Apache-2.0
package tmu.card.memory

import chisel3._
import chisel3.util.{log2Ceil, MuxLookup, RRArbiter}
import tmu.buffer.PointerQueue
import tmu.bus.AxiRead

/** Several readers on one port of host memory: each has an AXI id of its own, so each sees its
  * answers in order, whatever the others do. A reader asks for what it has room for, so its answers
  * wait for nobody. All read beats of 64 bytes at rising addresses.
  */
class ReadJoin(readers: Int, idBits: Int) extends Module {
  require(log2Ceil(readers) <= idBits, s"found $readers readers for ids of $idBits bits")
  val io = IO(new Bundle {
    val in = Vec(readers, Flipped(new AxiRead(64, 512, 1)))
    val out = new AxiRead(64, 512, idBits)
  })
  private class Address extends Bundle {
    val source = UInt(idBits.W)
    val address = UInt(64.W)
    val more = UInt(8.W)
  }
  private val addresses = Module(new PointerQueue(new Address, 3))
  private val choice = Module(new RRArbiter(new Address, readers))
  private val out = io.out
  for ((in, index) <- io.in.zipWithIndex) {
    val offer = choice.io.in(index)
    offer.valid := in.arvalid
    offer.bits.source := index.U
    offer.bits.address := in.araddr
    offer.bits.more := in.arlen
    in.arready := offer.ready
    in.rid := 0.U
    in.rdata := out.rdata
    in.rresp := out.rresp
    in.rlast := out.rlast
    in.rvalid := out.rvalid && out.rid === index.U
  }
  addresses.io.enq <> choice.io.out
  out.arvalid := addresses.io.deq.valid
  out.arid := addresses.io.deq.bits.source
  out.araddr := addresses.io.deq.bits.address
  out.arlen := addresses.io.deq.bits.more
  out.driveReadAttributes()
  addresses.io.deq.ready := out.arready
  out.rready := MuxLookup(out.rid, false.B)(io.in.zipWithIndex.map { case (in, n) =>
    n.U -> in.rready
  })
}
