// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{Decoupled, Valid}
import tmu.matching.filter.FilterReply
import tmu.params.{TableParams, TmuParams}
import tmu.rules.OperationRules
import tmu.types.{ArrayOperation, Operation}

/** One operation of a parked slot, and whether its array had what it searches. */
class ParkedOperation(p: TmuParams) extends Bundle {
  val op = Valid(new Operation(p))
  val found = Bool()

  /** The operation has to search the rows. */
  def misses: Bool = op.valid && op.bits.command.searches && !found
}

/** Search: asks the memory rows of one queue for what its array does not have.
  *
  * The oldest parked slot is asked first, the one behind it as soon as that request was taken,
  * ahead of its turn (R7).
  */
class RowSearch(p: TmuParams, t: TableParams) extends Module {
  override def desiredName: String = s"RowSearch${if (t.receives) "Posted" else "Unexpected"}"
  val io = IO(new Bundle {
    val first = Input(new ParkedOperation(p))
    val next = Flipped(Valid(new ParkedOperation(p)))

    /** A slot waits while none is searched; its turn begins; it is searched; it is decided. */
    val offered = Input(Bool())
    val begins = Input(Bool())
    val searching = Input(Bool())
    val decided = Input(Bool())

    /** To the rows, whose turn it is or ahead of that. */
    val request = Decoupled(new ArrayOperation(p, t))
    val ahead = Output(Bool())
    val reply = Flipped(Valid(new FilterReply(t)))

    /** Of the oldest: nothing is left to ask; it was found, in its array or here, in this slot. */
    val answered = Output(Bool())
    val found = Output(Bool())
    val slot = Output(UInt(t.slotBits.W))
  })
  private val waiting = Reg(Bool())
  private val unsent = Reg(Bool())
  private val sentAhead = RegInit(false.B)
  private val found = Reg(Bool())
  private val slot = Reg(UInt(t.slotBits.W))

  private val firstTurn = Mux(io.searching, unsent, io.offered && io.first.misses)
  private val behind = OperationRules.ask(p, t, io.next.bits.op)
  io.ahead := io.searching && !unsent && !sentAhead && io.next.valid && io.next.bits.misses &&
    !behind.byPosition
  io.request.valid := firstTurn || io.ahead
  io.request.bits := Mux(io.ahead, behind, OperationRules.ask(p, t, io.first.op))

  when(io.reply.valid) {
    waiting := false.B
    found := io.reply.bits.found
    slot := io.reply.bits.slot
  }
  io.answered := !waiting || io.reply.valid
  io.found := io.first.found || found || (io.reply.valid && io.reply.bits.found)
  io.slot := Mux(io.reply.valid, io.reply.bits.slot, slot)

  /** The turn of an operation, whose request has been taken already or not. */
  private def begin(parked: ParkedOperation, sent: Bool): Unit = {
    waiting := parked.misses
    unsent := parked.misses && !sent
    found := false.B
  }
  when(io.begins)(begin(io.first, io.request.fire))
  when(io.searching && io.request.fire) {
    when(unsent)(unsent := false.B).otherwise(sentAhead := true.B)
  }
  when(io.decided) {
    begin(io.next.bits, sentAhead || io.request.fire)
    sentAhead := false.B
  }
}
