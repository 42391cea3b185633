// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, Valid}
import tmu.params.SpillParams
import tmu.registers.SpillLookRegisters

/** Request of software: the list of a queue, and a chunk. */
class SpillLook(s: SpillParams) extends Bundle {
  val endpoint = UInt(s.p.endpointBits.W)
  val unexpected = Bool()
  val chunk = UInt(s.chunkBits.W)
}

/** Answer to that request. */
class SpillSeen(s: SpillParams) extends Bundle {

  /** All of it is true, and stays so until a command comes. */
  val resting = Bool()
  val failed = Bool()
  val count = UInt(s.countBits.W)
  val head = UInt(s.chunkBits.W)
  val chunk = new ChunkState(s)
}

/** Port of software's requests; `busy` from the clock behind `ask` on until `seen` is the answer.
  */
class SpillLookPort(s: SpillParams) extends Bundle {
  val ask = Flipped(Valid(new SpillLook(s)))
  val busy = Output(Bool())
  val seen = Output(new SpillSeen(s))
}

/** Shows software where a queue goes on in memory, at the cost of a service of the engine.
  *
  * The answer comes within a few clocks: while commands are under way, or entries may soon move, it
  * says so and nothing is read. The chunk is any that software names, also one that nobody has
  * written: a bit that it has lost is told, and has no consequence here. A list is one that the
  * engine goes by as well, so there a lost bit is a failure.
  */
class SpillLooker(s: SpillParams) extends Module {
  val io = IO(new Bundle {
    val port = new SpillLookPort(s)

    /** Something happens, after which an entry may have to move. */
    val changes = Input(Bool())

    /** An endpoint is served, without effect unless something `changes` in the next clocks; and how
      * many are served in turn.
      */
    val passes = Input(Bool())
    val listed = Input(UInt((s.p.endpointBits + 1).W))
    val failed = Input(Bool())

    /** A service of the engine; it reads both lists in the clocks behind it. */
    val service = Decoupled(UInt(s.p.endpointBits.W))
    val list = Input(new SpillList(s))

    /** A chunk's state, one clock later. */
    val read = Valid(UInt(s.chunkBits.W))
    val state = Input(new ChunkState(s))
  })
  // After a round in which nothing had to move, nothing will.
  private val passed = RegInit(0.U((s.p.endpointBits + 1).W))
  private val rests = RegNext(!io.changes && passed >= io.listed, false.B)
  when(io.changes)(passed := 0.U).elsewhen(io.passes && !rests)(passed := passed + 1.U)

  private val asked = Reg(new SpillLook(s))
  private val waits = RegInit(false.B)
  private val seen = RegInit(0.U.asTypeOf(new SpillSeen(s)))
  private val goes = rests && !io.failed
  io.service.valid := waits && goes
  io.service.bits := asked.endpoint
  private val first = RegNext(io.service.fire, false.B) // receives are there
  private val second = RegNext(first, false.B) // messages, and the chunk
  private val done = RegNext(second, false.B)
  io.read.valid := first
  io.read.bits := asked.chunk
  when((first && !asked.unexpected) || (second && asked.unexpected)) {
    seen.count := io.list.count
    seen.head := io.list.head
  }
  when(second)(seen.chunk := io.state)
  when(done || (waits && !goes)) {
    seen.resting := done && !io.failed
    seen.failed := io.failed
  }
  when(io.port.ask.valid) {
    asked := io.port.ask.bits
    waits := true.B
  }.elsewhen(io.service.ready || !goes)(waits := false.B)
  io.port.busy := waits || first || second || done
  io.port.seen := seen
  assert(!io.port.ask.valid || !io.port.busy, "a look begins before the last one is over")
  private val clocks = RegInit(0.U(log2Ceil(SpillLookRegisters.clocks + 2).W))
  clocks := Mux(io.port.busy, clocks + 1.U, 0.U)
  assert(clocks <= SpillLookRegisters.clocks.U, "a look takes longer than software is told")
}
