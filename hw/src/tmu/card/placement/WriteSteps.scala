// SPDX-License-Identifier: Apache-2.0
package tmu.card.placement

import chisel3._
import chisel3.util.{Decoupled, Valid}
import tmu.mutant.Mutant

/** Walks through a write, one beat a clock, without a clock between two writes.
  *
  * A payload that is not aligned to its destination touches a beat more in memory than it has; then
  * the last step takes none. Beats beyond the bytes to write are taken and dropped. A burst begins
  * with the write and at each multiple of `page`, and stops before the next one: so it crosses
  * none.
  */
class WriteSteps(p: PlacementParams) extends Module {
  val io = IO(new Bundle {
    val command = Flipped(Decoupled(new WriteCommand(p)))

    /** A beat of payload is there; it is taken by a step that `takes`. */
    val payload = Input(Bool())

    /** There is room for a step, and for an entry in the ledger. */
    val room = Input(Bool())
    val step = Valid(new WriteStep(p))

    /** With a step that begins a burst, and for a completion without any burst. */
    val entry = Valid(new LedgerEntry(p))
    val idle = Output(Bool())
  })
  private val indexBits = p.addressBits - p.byteBits
  private val busy = RegInit(false.B)

  /** Beats of payload: those that are written, and all; beats of memory. */
  private val uses = Reg(UInt(p.beatBits.W))
  private val takes = Reg(UInt(p.beatBits.W))
  private val writes = Reg(UInt((p.beatBits + 1).W))
  private val index = Reg(UInt(indexBits.W))
  private val shift = Reg(UInt(p.byteBits.W))
  private val first = Reg(Bool())

  /** Bytes of the last beat of memory from its byte 0 on; 0 stands for all. */
  private val tail = Reg(UInt(p.byteBits.W))
  private val message = Reg(UInt(p.messageBits.W))
  private val completes = Reg(Bool())

  private val writing = writes =/= 0.U
  private val taking = Mux(writing, uses =/= 0.U, takes =/= 0.U)
  private val lastWrite = writes === 1.U
  private val go = busy && io.room && (io.payload || !taking)
  private val done = writes <= 1.U && takes <= taking.asUInt
  io.command.ready := !busy || (go && done)

  when(go) {
    uses := uses - (writing && taking)
    takes := takes - taking
    writes := writes - writing
    index := index + writing
    first := false.B
  }
  private val in = io.command.bits
  private val start = in.address(p.byteBits - 1, 0)
  private val total = start +& in.bytes
  when(io.command.fire) {
    uses := beats(in.bytes)
    takes := in.beats
    writes := Mux(in.bytes === 0.U, 0.U, beats(total))
    index := in.address >> p.byteBits
    shift := start
    first := true.B
    tail := total(p.byteBits - 1, 0)
    message := in.message
    completes := in.completes
  }
  busy := io.command.fire || (busy && !(go && done))

  private def beats(bytes: UInt): UInt = (bytes +& (p.bytes - 1).U) >> p.byteBits

  // The burst: up to the next page, or what is left.
  private val inPage = index(p.burstBits - 1, 0)
  private val toPage = ~inPage
  private val within = writes - 1.U <= toPage
  private val step = io.step.bits
  step.takes := taking
  step.writes := writing
  step.shift := shift
  step.address := index ## 0.U(p.byteBits.W)
  step.begins := first || inPage === 0.U
  step.finishes := lastWrite || toPage === 0.U
  step.more := Mutant("page_crossed", Mux(within, writes - 1.U, toPage))(_ => writes - 1.U)
  private val from = Mutant("first_byte", Mux(first, shift, 0.U))(_ => 0.U)
  private val above = VecInit.tabulate(p.bytes)(byte => byte.U >= from).asUInt
  private val whole = Mutant("last_byte", tail === 0.U)(_ => true.B)
  private val below = VecInit.tabulate(p.bytes)(byte => byte.U < tail || whole).asUInt
  step.strobe := above & Mux(lastWrite, below, ~0.U(p.bytes.W))
  io.step.valid := go

  io.entry.valid := go && Mux(writing, step.begins, first && completes)
  io.entry.bits.burst := writing
  io.entry.bits.completes := completes && Mutant("told_early", !writing || within)(_ => true.B)
  io.entry.bits.message := message

  io.idle := !busy

  assert(!busy || uses <= takes, "%d beats to write of %d", uses, takes)
}
