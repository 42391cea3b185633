// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{Cat, Valid}
import tmu.buffer.Sweep

/** The part of a queue that lies in memory: the younger part, in the order of the chunks. */
class SpillList(s: SpillParams) extends Bundle {
  val head = UInt(s.chunkBits.W)
  val tail = UInt(s.chunkBits.W)

  /** Places of the tail that were used. */
  val fill = UInt(s.placeBits.W)

  /** Entries; with none there is no chunk either. */
  val count = UInt(s.countBits.W)
}

/** Names a queue. */
class SpillIndex(s: SpillParams) extends Bundle {
  val endpoint = UInt(s.p.endpointBits.W)
  val unexpected = Bool()
}

/** The lists of all endpoints' queues; a sweep empties them after reset. */
class SpillLists(s: SpillParams) extends Module {
  val io = IO(new Bundle {
    val ready = Output(Bool())

    /** A list, one clock later. */
    val read = Input(new SpillIndex(s))
    val list = Output(new SpillList(s))
    val write = Flipped(Valid(new Bundle {
      val at = new SpillIndex(s)
      val list = new SpillList(s)
    }))

    /** Entries of an endpoint that software asks about: receives and messages, a few clocks later.
      */
    val endpoint = Input(UInt(s.p.endpointBits.W))
    val counts = Output(Vec(2, UInt(s.countBits.W)))
  })
  private val sweep = Module(new Sweep(s.lists))
  io.ready := sweep.io.ready
  private val lists = SyncReadMem(s.lists, new SpillList(s))
  private val counts = Seq.fill(2)(SyncReadMem(s.p.endpoints, UInt(s.countBits.W)))
  private val at = io.write.bits.at
  when(!io.ready || io.write.valid) {
    lists.write(
      Mux(io.ready, Cat(at.endpoint, at.unexpected), sweep.io.place),
      Mux(io.ready, io.write.bits.list, 0.U.asTypeOf(new SpillList(s)))
    )
  }
  for ((memory, q) <- counts.zipWithIndex) {
    when(!io.ready || (io.write.valid && at.unexpected === (q == 1).B)) {
      memory.write(
        Mux(io.ready, at.endpoint, sweep.io.place >> 1),
        Mux(io.ready, io.write.bits.list.count, 0.U)
      )
    }
  }
  io.list := lists.read(Cat(io.read.endpoint, io.read.unexpected))
  io.counts := VecInit(counts.map(_.read(io.endpoint)))
}
