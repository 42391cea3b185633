// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{log2Ceil, Valid}
import tmu.matching.endpoints.EndpointTable
import tmu.params.{TableParams, TmuParams}
import tmu.types.FoundLane

/** Release: the oldest parked slot goes to its decision when the rows have answered for it.
  *
  * A slot goes in the clock of its last answer, once the states of its endpoints have been read;
  * but a slot that appends waits until its rows are settled. So slots are decided one by one, in
  * their order (R7).
  */
class ReleaseStage(p: TmuParams) extends Module {
  private val posted = TableParams.posted(p)
  private val unexpected = TableParams.unexpected(p)
  val io = IO(new Bundle {

    /** The oldest parked slot; its turn has begun. */
    val first = Flipped(Valid(new SearchedSlot(p)))
    val searching = Input(Bool())

    /** Its searches of messages and of receives are done; what they have found. */
    val answered = Input(Vec(2, Bool()))
    val found = Input(Vec(2, Bool()))
    val messageSlot = Input(UInt(unexpected.slotBits.W))
    val receiveSlot = Input(UInt(posted.slotBits.W))

    /** The rows that its operations append to take an entry: receives, messages. */
    val settled = Input(Vec(2, Bool()))

    /** The slot is decided in this clock. */
    val now = Output(Bool())
    val parked = Output(new SearchedSlot(p))
  })
  private val first = io.first.bits
  private val operations = Seq(first.slot.post, first.slot.arrival)
  private val age = RegInit(0.U(log2Ceil(EndpointTable.lead + 1).W))
  private val stateKnown = age === EndpointTable.lead.U
  private val appends = Seq.tabulate(2) { s =>
    operations(s).valid && operations(s).bits.appends && !io.found(s)
  }
  private val now = io.searching && stateKnown && io.answered.reduce(_ && _) &&
    Seq.tabulate(2)(s => io.settled(s) || !appends(s)).reduce(_ && _)
  when(now || !io.first.valid)(age := 0.U).elsewhen(!stateKnown)(age := age + 1.U)
  io.now := now

  io.parked := first
  io.parked.slot.post.valid := now && operations(0).valid
  io.parked.slot.arrival.valid := now && operations(1).valid
  io.parked.found := io.found

  /** Lane or slot of the entry that was found, a clock later. */
  private def foundLane(found: Bool, lane: FoundLane, slot: UInt): FoundLane = {
    val at = WireDefault(lane)
    when(!found)(at.slot := slot)
    RegNext(at)
  }
  io.parked.postFound := foundLane(first.found(0), first.postFound, io.messageSlot)
  io.parked.arrivalFound := foundLane(first.found(1), first.arrivalFound, io.receiveSlot)
}
