// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, Valid}
import tmu.buffer.PointerQueue
import tmu.matching.{MatchCommand, SpillRequest}

/** Moves a few entries from memory to their table, oldest first.
  *
  * Each is injected as an append. The matching unit appends it if it has room and nothing of the
  * endpoint was deferred meanwhile; once it has not, it appends none of those behind. So those that
  * went in are the oldest, and only these leave the list.
  */
class SpillRefill(s: SpillParams) extends Module {
  private val p = s.p
  val io = IO(new Bundle {
    val begins = Input(Bool())

    /** The oldest entries in memory, one after the other. */
    val hit = Flipped(Decoupled(new SpillHit(s)))

    /** What to inject; endpoint, opcode and deferrals are the sender's to add. */
    val inject = Decoupled(new MatchCommand(p))
    val injected = Flipped(Valid(Bool()))

    /** No more of them are wanted. */
    val enough = Output(Bool())

    /** Entries that are in their table now. */
    val moved = Decoupled(new Bundle {
      val chunk = new WalkedChunk(s)
      val place = UInt(s.placeBits.W)
    })

    /** Nothing is on its way any more. */
    val over = Output(Bool())
  })
  private val bits = log2Ceil(s.batch + 1)
  private val issued = Reg(UInt(bits.W))
  private val returned = Reg(UInt(bits.W))
  private val moved = Reg(UInt(bits.W))
  private val failed = Reg(Bool())
  private val under = Module(new PointerQueue(chiselTypeOf(io.moved.bits), s.batch))

  io.enough := failed || issued === s.batch.U
  io.inject.valid := io.hit.valid && !io.enough
  io.hit.ready := io.inject.ready && !io.enough
  private val entry = io.hit.bits.entry
  private val command = Wire(new MatchCommand(p))
  command := 0.U.asTypeOf(command)
  command.key := entry.key
  command.ignore := entry.ignore
  command.handle := entry.handle
  command.address := entry.address
  command.length := entry.length
  command.id := entry.id
  command.spill := SpillRequest.none(p)
  command.spill.refills := true.B
  command.spill.first := issued === 0.U
  io.inject.bits := command
  under.io.enq.valid := io.inject.fire
  under.io.enq.bits.chunk := io.hit.bits.chunk
  under.io.enq.bits.place := io.hit.bits.place

  // In their order: those that went in, then those that did not.
  private val answered = returned === issued
  private val drops = answered && moved === 0.U
  io.moved.valid := under.io.deq.valid && moved =/= 0.U
  io.moved.bits := under.io.deq.bits
  under.io.deq.ready := io.moved.ready || drops
  io.over := answered && !under.io.deq.valid
  moved := moved + (io.injected.valid && io.injected.bits) - io.moved.fire
  issued := issued + io.inject.fire
  returned := returned + io.injected.valid
  when(io.injected.valid && !io.injected.bits)(failed := true.B)
  when(io.begins) {
    issued := 0.U
    returned := 0.U
    moved := 0.U
    failed := false.B
  }
  assert(
    io.begins || !io.injected.valid || !io.injected.bits || !failed,
    "R3: a younger entry went to its table before an older one"
  )
}
