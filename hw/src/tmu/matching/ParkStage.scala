// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{Decoupled, Queue, Valid}
import tmu.params.{TableParams, TmuParams}

/** Park: slots that may have to search the memory rows wait here, in their order, once they have
  * walked the arrays.
  *
  * The array's hit result arrives too late to steer a slot, so every slot that might need the rows
  * is parked speculatively, and so are all behind it until the unit is empty again; also one right
  * behind the first entry that goes to the rows. There is room for every slot in flight (R11).
  */
class ParkStage(p: TmuParams) extends Module {
  val io = IO(new Bundle {

    /** A slot that has walked the arrays; which of the next one's operations search, a clock ahead.
      */
    val walked = Input(new SearchedSlot(p))
    val searchesNext = Input(Vec(2, Bool()))

    /** Rows have entries, or get one: of messages, of receives. */
    val inRows = Input(Vec(2, Bool()))
    val grows = Input(Vec(2, Bool()))

    /** Unit and rows are at rest. */
    val rests = Input(Bool())

    /** Slots that walk are parked; one comes. */
    val parks = Output(Bool())
    val arrives = Output(Bool())

    /** The oldest, and the one behind it, which is searched ahead. */
    val first = Decoupled(new SearchedSlot(p))
    val next = Valid(new SearchedSlot(p))
  })
  private val parkMode = RegInit(false.B)
  private val mustPark =
    Seq.tabulate(2)(s => io.searchesNext(s) && (io.inRows(s) || io.grows(s))).reduce(_ || _)
  when(mustPark)(parkMode := true.B).elsewhen(io.rests)(parkMode := false.B)
  io.parks := parkMode

  private val parked = Module(
    new Queue(new SearchedSlot(p), TableParams.posted(p).inFlight, useSyncReadMem = true)
  )
  io.arrives := io.walked.slot.post.valid || io.walked.slot.arrival.valid
  parked.io.enq.valid := RegNext(parkMode && io.arrives, false.B)
  parked.io.enq.bits := RegNext(io.walked)
  parked.io.enq.bits.postFound := io.walked.postFound
  parked.io.enq.bits.arrivalFound := io.walked.arrivalFound

  // Two output registers: from the queue's memory to a decision is a long path.
  private val parkNext = Queue(parked.io.deq, 1, pipe = true)
  io.next.valid := parkNext.valid
  io.next.bits := parkNext.bits
  io.first <> Queue(parkNext, 1, pipe = true)

  assert(!parked.io.enq.valid || parked.io.enq.ready, "R11: no room to park a slot")
}
