// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, Valid}
import tmu.buffer.BlockQueue
import tmu.layout.Opcodes
import tmu.params.SpillParams
import tmu.types.MatchCommand

/** Command injected into the matching unit, and the stream that it enters. */
class Injection(s: SpillParams) extends Bundle {
  val command = new MatchCommand(s.p)
  val withArrivals = Bool()
}

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

    /** Their endpoint, and how many of its commands are done. */
    val endpoint = Input(UInt(p.endpointBits.W))
    val unexpected = Input(Bool())
    val done = Input(UInt(SpillParams(p).deferralBits.W))
    val inject = Decoupled(new Injection(s))
    val injected = Flipped(Valid(Bool()))

    /** The host's commands are held: whatever was deferred since does not count. */
    val sure = Input(Bool())

    /** Instead: tell the unit that the endpoint has nothing in memory any more. */
    val release = Input(Bool())

    /** No more of them are wanted. */
    val enough = Output(Bool())

    /** Entries that are in their table now. */
    val moved = Decoupled(new FoundSlot(s))

    /** Nothing is on its way any more. */
    val over = Output(Bool())

    /** Of those that went out some are in their table, and none was refused. */
    val some = Output(Bool())
  })
  private val bits = log2Ceil(s.batch + 1)
  private val issued = Reg(UInt(bits.W))
  private val returned = Reg(UInt(bits.W))
  private val moved = Reg(UInt(bits.W))
  private val failed = Reg(Bool())
  private val under = Module(new BlockQueue(new FoundSlot(s), s.batch))

  io.enough := failed || issued === s.batch.U
  io.inject.valid := io.release || (io.hit.valid && !io.enough)
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
  command.endpoint := io.endpoint
  command.spill.refills := !io.release
  command.spill.releases := io.release
  command.spill.sure := io.sure && !io.release
  command.spill.first := issued === 0.U
  command.spill.deferrals := io.done
  command.opcode := Mux(io.unexpected, Opcodes.arrive.value.U, Opcodes.post.value.U)
  when(io.release)(command.opcode := Opcodes.probe.value.U)
  io.inject.bits.command := command
  io.inject.bits.withArrivals := io.unexpected && !io.release
  private val goes = io.inject.fire && !io.release
  under.io.enq.valid := goes
  under.io.enq.bits := io.hit.bits.at

  // In their order: those that went in, then those that did not.
  private val answered = returned === issued
  private val drops = answered && moved === 0.U
  io.moved.valid := under.io.deq.valid && moved =/= 0.U
  io.moved.bits := under.io.deq.bits
  under.io.deq.ready := io.moved.ready || drops
  io.over := answered && under.io.count === 0.U
  io.some := issued =/= 0.U && !failed
  moved := moved + (io.injected.valid && io.injected.bits) - io.moved.fire
  issued := issued + goes
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

object SpillRefill {

  /** A table has room for a few entries of a list, or for what is left of it.
    *
    * @param onChip
    *   entries that the table has
    */
  def pays(s: SpillParams, queue: Int, list: SpillList, onChip: UInt): Bool = {
    val entries = if (queue == 0) s.p.postedEntries else s.p.unexpectedEntries
    val free = entries.U - onChip
    list.count =/= 0.U && (free >= s.worth(entries).U || list.count <= free)
  }
}
