// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{Cat, Valid}
import tmu.buffer.Sweep
import tmu.fault.{Checked, FaultFlip, FaultPort, FaultView}
import tmu.params.SpillParams
import tmu.registers.FaultStores

/** The part of a queue that lies in memory: the younger part, in the order of the chunks. */
class SpillList(s: SpillParams) extends Bundle {
  val head = UInt(s.chunkBits.W)
  val tail = UInt(s.chunkBits.W)

  /** Slots of the tail that were used. */
  val fill = UInt(s.slotBits.W)

  /** Entries; with none there is no chunk either. */
  val count = UInt(s.countBits.W)
}

/** Names a queue. */
class SpillIndex(s: SpillParams) extends Bundle {
  val endpoint = UInt(s.p.endpointBits.W)
  val unexpected = Bool()
}

/** Port that reads, changes and writes back lists. */
class ListAccess(s: SpillParams) extends Bundle {

  /** A list, and of its endpoint the commands that memory has answered; one clock later. */
  val read = Output(new SpillIndex(s))
  val list = Input(new SpillList(s))
  val done = Input(UInt(s.deferralBits.W))

  /** The list that was read is used. */
  val uses = Output(Bool())
  val usesDone = Output(Bool())
  val write = Valid(new Bundle {
    val at = new SpillIndex(s)
    val list = new SpillList(s)
  })

  /** The queue that is worked on; an entry of it is in its table again, and will leave the list. */
  val at = Output(new SpillIndex(s))
  val moved = Output(Bool())

  /** Number of commands of its endpoint that have been answered. */
  val writeDone = Valid(UInt(s.deferralBits.W))
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

    /** A list or count that was used has lost a bit. */
    val error = Output(Bool())
    val fault = new FaultPort
  })
  private val sweep = Module(new Sweep(s.lists))
  io.ready := sweep.io.ready
  private def listWord = new Checked(s.p, new SpillList(s))
  private val lists = SyncReadMem(s.lists, listWord)
  private val counts = Seq.fill(2)(SyncReadMem(s.p.endpoints, UInt(s.countBits.W)))
  private val access = io.access
  private val at = access.write.bits.at
  private val (kept, flipped) = FaultFlip(
    s.p,
    FaultStores.lists,
    Checked(s.p, new SpillList(s), access.write.bits.list),
    io.fault.flip,
    access.write.valid
  )
  when(!io.ready || access.write.valid) {
    lists.write(
      Mux(io.ready, Cat(at.endpoint, at.unexpected), sweep.io.index),
      Mux(io.ready, kept, 0.U.asTypeOf(listWord))
    )
  }
  // Entries that went back to their table are counted there: not here too, until the list is
  // written.
  private val moved = RegInit(0.U(s.countBits.W))
  private val movedAt = Reg(new SpillIndex(s))
  when(access.write.valid && at.asUInt === movedAt.asUInt)(moved := 0.U)
    .elsewhen(access.moved)(moved := moved + 1.U)
  when(access.moved)(movedAt := access.at)
  private val asked = RegNext(io.endpoint)
  for ((memory, q) <- counts.zipWithIndex) {
    val writes = access.write.valid && at.unexpected === (q == 1).B
    val through = RegNext(writes && at.endpoint === io.endpoint)
    val stored = Mux(through, RegNext(access.write.bits.list.count), memory.read(io.endpoint))
    val mine = movedAt.endpoint === asked && movedAt.unexpected === (q == 1).B
    io.counts(q) := stored - Mux(mine, moved, 0.U)
    when(!io.ready || writes) {
      memory.write(
        Mux(io.ready, at.endpoint, sweep.io.index >> 1),
        Mux(io.ready, access.write.bits.list.count, 0.U)
      )
    }
  }
  private val stored = lists.read(Cat(access.read.endpoint, access.read.unexpected))
  access.list := stored.word

  private def doneWord = new Checked(s.p, UInt(s.deferralBits.W))
  private val done = SyncReadMem(s.p.endpoints, doneWord)
  private val (answered, doneFlipped) = FaultFlip(
    s.p,
    FaultStores.answered,
    Checked(s.p, UInt(s.deferralBits.W), access.writeDone.bits),
    io.fault.flip,
    access.writeDone.valid
  )
  when(!io.ready || access.writeDone.valid) {
    done.write(
      Mux(io.ready, access.at.endpoint, sweep.io.index >> 1),
      Mux(io.ready, answered, 0.U.asTypeOf(doneWord))
    )
  }
  private val doneRead = done.read(access.read.endpoint)
  access.done := doneRead.word
  private val lostList = access.uses && stored.broken()
  private val lostDone = access.usesDone && doneRead.broken()
  io.error := lostList || lostDone
  io.fault.view := FaultView.all(
    Seq(
      FaultView(FaultStores.lists, lostList, flipped),
      FaultView(FaultStores.answered, lostDone, doneFlipped)
    )
  )
}
