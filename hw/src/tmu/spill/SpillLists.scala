// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{Cat, Valid}
import tmu.buffer.Sweep
import tmu.matching.SpillMarks

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

/** How lists are read, changed and written back. */
class ListAccess(s: SpillParams) extends Bundle {

  /** A list, and of its endpoint the commands that memory has answered; one clock later. */
  val read = Output(new SpillIndex(s))
  val list = Input(new SpillList(s))
  val done = Input(UInt(SpillMarks.countBits.W))
  val write = Valid(new Bundle {
    val at = new SpillIndex(s)
    val list = new SpillList(s)
  })
  val writeDone = Valid(new Bundle {
    val endpoint = UInt(s.p.endpointBits.W)
    val done = UInt(SpillMarks.countBits.W)
  })
}

/** The lists of all endpoints' queues; a sweep empties them after reset. */
class SpillLists(s: SpillParams) extends Module {
  val io = IO(new Bundle {
    val ready = Output(Bool())
    val access = Flipped(new ListAccess(s))

    /** Entries of an endpoint that software asks about: receives and messages, a few clocks later.
      */
    val endpoint = Input(UInt(s.p.endpointBits.W))
    val counts = Output(Vec(2, UInt(s.countBits.W)))
  })
  private val sweep = Module(new Sweep(s.lists))
  io.ready := sweep.io.ready
  private val lists = SyncReadMem(s.lists, new SpillList(s))
  private val counts = Seq.fill(2)(SyncReadMem(s.p.endpoints, UInt(s.countBits.W)))
  private val access = io.access
  private val at = access.write.bits.at
  when(!io.ready || access.write.valid) {
    lists.write(
      Mux(io.ready, Cat(at.endpoint, at.unexpected), sweep.io.place),
      Mux(io.ready, access.write.bits.list, 0.U.asTypeOf(new SpillList(s)))
    )
  }
  for ((memory, q) <- counts.zipWithIndex) {
    when(!io.ready || (access.write.valid && at.unexpected === (q == 1).B)) {
      memory.write(
        Mux(io.ready, at.endpoint, sweep.io.place >> 1),
        Mux(io.ready, access.write.bits.list.count, 0.U)
      )
    }
  }
  access.list := lists.read(Cat(access.read.endpoint, access.read.unexpected))

  private val done = SyncReadMem(s.p.endpoints, UInt(SpillMarks.countBits.W))
  when(!io.ready || access.writeDone.valid) {
    done.write(
      Mux(io.ready, access.writeDone.bits.endpoint, sweep.io.place >> 1),
      Mux(io.ready, access.writeDone.bits.done, 0.U)
    )
  }
  access.done := done.read(access.read.endpoint)
  io.counts := VecInit(counts.map(_.read(io.endpoint)))
}
