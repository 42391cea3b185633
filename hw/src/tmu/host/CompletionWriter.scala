// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{Decoupled, Valid}
import tmu.buffer.PointerQueue
import tmu.bus.{AxiResponse, AxiWrite}
import tmu.layout.{CompletionLayout, Opcodes, Statuses}
import tmu.mutant.Mutant
import tmu.params.TmuParams
import tmu.rules.MatchRules
import tmu.types.{Sending, StreamState, Verdict}

/** Writes completions into the rings in host memory: one 64-byte write each, one a clock.
  *
  * Completion number i of a page goes to slot i mod size of its ring; the phase bit is 1 in the
  * first lap and alternates. All writes bear one AXI id, so memory sees them in order. When a ring
  * is full the writer waits until its owner has moved the consumer index, and all pages wait with
  * it; after `patience` clocks it has the page disabled, so that no owner can stop the others
  * (R13). Completions of a page whose ring is not enabled are dropped.
  */
class CompletionWriter(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val verdict = Flipped(Decoupled(new Verdict(p)))
    val now = Input(UInt(32.W))
    val ringRead = Output(UInt(p.pageBits.W))
    val ring = Input(new RingState(p))

    /** A ring changes in this clock: what was read of it does not count any more. */
    val configured = Input(Bool())

    /** Clocks to wait for a full ring, 0 for ever; after them its page is disabled. */
    val patience = Input(UInt(32.W))
    val disable = Decoupled(UInt(p.pageBits.W))
    val moved = Valid(new RingMove(p))

    /** Nothing is written, so that a page may change. */
    val hold = Input(Bool())

    /** Asks when memory will have answered the writes of now; `fenced` tells. */
    val fence = Input(Bool())
    val fenced = Output(Bool())

    /** Drop whatever comes: the unit is being reset. */
    val discard = Input(Bool())
    val axi = new AxiWrite(64, 512, 1)
    val error = Output(Bool())

    /** Completions being written to memory; one waits for room in its ring too. */
    val stream = Output(new StreamState)
    val idle = Output(Bool())
  })

  // Stage 1 holds a verdict while its ring's state is read, stage 2 while it is written. A verdict
  // that has no room asks again in stage 2; then stage 1 waits for an answer of its own.
  private val entered = RegInit(false.B)
  private val entering = Reg(new Verdict(p))
  private val full = RegInit(false.B)
  private val held = Reg(new Verdict(p))
  private val config = Reg(new RingConfig)
  private val size = Reg(RingIndex())
  private val position = Reg(new RingPosition(p))
  private val following = Reg(RingIndex()) // the producer's next, made ahead
  private val room = Reg(Bool())
  private val life = Option.when(p.hasSend)(Reg(UInt(Sending.lifeBits.W)))

  // Address and data channels take each write once, in either order. A verdict is let in only when
  // there is room for its write, so that one in stage 2 never waits for memory.
  private val addresses = Module(new PointerQueue(UInt(64.W), CompletionWriter.writes))
  private val beats = Module(new PointerQueue(UInt(512.W), CompletionWriter.writes))
  private val spacious = RegNext(
    addresses.io.count < CompletionWriter.enough.U && beats.io.count < CompletionWriter.enough.U,
    true.B
  )

  private val out = Wire(Valid(new Bundle {
    val address = UInt(64.W)
    val data = UInt(512.W)
  }))
  // A ring that is no longer enabled may be memory that is no longer its owner's: nothing is written.
  private val settles = held.settles.getOrElse(false.B)
  private val begins = held.sending.fold(false.B)(_.starts)
  private val isOwed = held.sending.fold(false.B)(_.owed)
  // Of a message that an earlier owner of the page has sent.
  private val belated = held.sending.zip(life).fold(false.B) { case (sending, now) =>
    sending.owed && sending.life =/= now
  }
  private val drops = io.discard || !config.enable || settles || begins || belated
  private val leaves = full && (room || drops) && !io.hold
  out.valid := leaves && !drops
  private val slot = position.producer & (size - 1.U)
  out.bits.address := ((config.base +& slot) << 6)(63, 0)
  private val lap = !(position.producer >> config.log2)(0)
  out.bits.data := CompletionEncode(p, held) |
    CompletionLayout.layout.pack(
      CompletionLayout.phase -> lap,
      CompletionLayout.hostLatency -> Verdict.clocks(io.now, held.stamp)
    )
  private val asksAgain = full && !room && !drops
  private val last = CompletionWriter.ends(p, held) && !settles && !isOwed
  private val nextPosition = Wire(new RingPosition(p))
  nextPosition.producer := Mux(drops, position.producer, following)
  nextPosition.finals := position.finals + Mutant("finals", last)(_ => false.B)
  for (owed <- nextPosition.owed) {
    val waits = CompletionWriter.waits(held) && !settles || begins
    val told = settles || CompletionWriter.comes(held) || isOwed && !belated
    owed := position.owed.get + waits - (told && position.owed.get =/= 0.U)
  }
  io.moved.valid := leaves
  io.moved.bits.page := held.page
  io.moved.bits.position := nextPosition

  // The table is asked for stage 2, else for stage 1, else for the verdict that is offered, taken or
  // not: what it answers in this clock is for stage 1, or for stage 2, or for nobody. What was read
  // while a ring changed is too old; its verdict finds no room, and asks again.
  private val answers = RegInit(false.B)
  private val answersAgain = RegNext(asksAgain, false.B)
  private val asksEntering = entered && !answers
  answers := !asksAgain && (asksEntering || io.verdict.fire)
  private val old = io.configured || RegNext(io.configured, false.B)
  private val moves = entered && answers && (!full || leaves)
  io.verdict.ready := (!entered || moves) && spacious
  io.ringRead := Mux(
    asksAgain,
    held.page,
    Mux(asksEntering, entering.page, io.verdict.bits.page)
  )
  // Wide registers take whatever is there while they are free: whether it counts is known late.
  when(!entered || moves)(entering := io.verdict.bits)
  entered := io.verdict.fire || (entered && !moves)
  full := moves || (full && !leaves)

  // The last two moves of a ring's position were too late for the table's answer.
  private val before = RegNext(io.moved.bits)
  private val read = Mux(
    RegNext(io.moved.valid, false.B) && before.page === entering.page,
    before.position,
    io.ring.position
  )
  private val follows = leaves && held.page === entering.page
  private val found = Mux(follows, nextPosition, Mux(moves, read, io.ring.position))
  when(!full || leaves)(held := entering)
  when(moves || answersAgain) {
    config := io.ring.config
    for ((to, from) <- life.zip(io.ring.life)) to := from
    size := RingIndex.size(io.ring.config.log2)
    position := found
    following := found.producer + 1.U
    // The producer moves by one, so an honest ring is full at equality; an index that lies can
    // overwrite the liar's own ring, and stop the others for its patience (R13).
    room := found.producer =/= io.ring.limit && !old
  }.elsewhen(io.configured)(room := false.B)

  // Time for which one page's ring has been found full. Room for one completion does not start it
  // anew, so that nobody can dole it out: another page's completion does, and a new configuration.
  private val waiting = RegInit(0.U(32.W))
  private val waiter = Reg(UInt(p.pageBits.W))
  private val impatient = RegInit(false.B)
  private val starts = (full && held.page =/= waiter) || io.configured || io.disable.fire
  when(full)(waiter := held.page)
  waiting := Mux(starts, 0.U, waiting + asksAgain)
  impatient := !starts && asksAgain && io.patience =/= 0.U && waiting >= io.patience
  io.disable.valid := asksAgain && impatient
  io.disable.bits := held.page

  addresses.io.enq.valid := out.valid
  addresses.io.enq.bits := out.bits.address
  beats.io.enq.valid := out.valid
  beats.io.enq.bits := out.bits.data
  for (queue <- Seq(addresses.io.enq, beats.io.enq))
    assert(!out.valid || queue.ready, "R11: no room for a completion's write")

  private val axi = io.axi
  axi.awvalid := addresses.io.deq.valid
  axi.awaddr := addresses.io.deq.bits
  addresses.io.deq.ready := axi.awready
  axi.awid := 0.U
  axi.awlen := 0.U
  axi.driveWriteAttributes()
  axi.wvalid := beats.io.deq.valid
  axi.wdata := beats.io.deq.bits
  beats.io.deq.ready := axi.wready
  axi.wstrb := ~0.U(64.W)
  axi.wlast := true.B
  axi.bready := true.B

  private val outstanding = RegInit(0.U(16.W))
  private val answered = axi.bvalid && axi.bready
  outstanding := outstanding + out.valid - answered

  // Memory answers in order: so many answers, and the writes of then are done.
  private val fenced = RegInit(0.U(16.W))
  when(io.fence)(fenced := outstanding - answered)
    .elsewhen(answered && fenced =/= 0.U)(fenced := fenced - 1.U)
  io.fenced := fenced === 0.U

  io.error := answered && axi.bresp =/= AxiResponse.okay
  io.stream.moves := axi.wvalid && axi.wready
  io.stream.waits := asksAgain || axi.awvalid || axi.wvalid
  io.idle := !entered && !full && outstanding === 0.U

  assert(!io.fence || !out.valid, "a completion is written while a page changes")
  assert(!(answered && outstanding === 0.U), "memory answered a write that was not made")
  assert(!(out.valid && outstanding.andR), "more than %d completion writes in flight", outstanding)
}

object CompletionWriter {

  /** A receive waits; a message from the wire has met one. */
  private def waits(verdict: Verdict): Bool =
    MatchRules.is(verdict.opcode, Opcodes.post) && MatchRules.is(verdict.status, Statuses.queued)
  private def comes(verdict: Verdict): Bool =
    MatchRules.is(verdict.opcode, Opcodes.arrive) &&
      !MatchRules.is(verdict.status, Statuses.malformed)

  /** The last completion of a command. Those of messages from the wire are of none; a post that has
    * met a broken message is told so as a removal.
    */
  private def ends(p: TmuParams, verdict: Verdict): Bool = {
    val removed = MatchRules.is(verdict.status, Statuses.removed)
    val arrives = MatchRules.is(verdict.opcode, Opcodes.arrive)
    val own = !removed || !MatchRules.is(verdict.opcode, Opcodes.flush)
    if (p.hasNetwork) Mux(arrives, MatchRules.is(verdict.status, Statuses.malformed), own)
    else !removed
  }

  /** Writes that wait for memory at most. */
  val writes: Int = 7

  /** With so many no verdict is let in: as many as have not been counted yet may follow, one in
    * each stage and those let in while the count was on its way.
    */
  val enough: Int = 4
}
