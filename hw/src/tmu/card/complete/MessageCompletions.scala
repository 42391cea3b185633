// SPDX-License-Identifier: Apache-2.0
package tmu.card.complete

import chisel3._
import chisel3.util.{Decoupled, UIntToOH, Valid}
import tmu.buffer.PointerQueue
import tmu.card.message.{Arrival, ArrivalAnswer, ArrivalKind, MessageParams}
import tmu.card.placement.{Destination, Placed, PlacementParams}
import tmu.card.pool.PoolJob
import tmu.layout.{Code, Opcodes, Statuses}
import tmu.params.TmuParams
import tmu.rules.MatchRules
import tmu.types.Verdict

/** The unit's answers on their path to hosts, joined with the bytes that they announce (W3).
  *
  * An arrival's answer says where its payload goes: to its receive, or to a buffer of its
  * endpoint's pool. It is told when all of it is in memory. A post that meets an unexpected message
  * waits until that one is in the pool, has it moved to its receive, and is told then. A claim is
  * told when its message is in the pool; the host then has the buffer until it releases it. All
  * other answers pass; one that takes a receive away says so to the page that is owed its
  * completion.
  */
class MessageCompletions(p: TmuParams, m: MessageParams, pl: PlacementParams) extends Module {
  val io = IO(new Bundle {

    /** A message goes to the unit. */
    val begun = Flipped(Valid(new Arrival(m)))

    /** Endpoint that is looked at, and its pool. */
    val endpoint = Output(UInt(m.endpointBits.W))
    val poolBase = Input(UInt(64.W))
    val poolLog2 = Input(UInt(5.W))
    val verdict = Flipped(Decoupled(new Verdict(p)))
    val destination = Valid(new Destination(pl))
    val say = Valid(new ArrivalAnswer(m))
    val placed = Flipped(Decoupled(new Placed(pl)))

    /** Payload to be moved, and what has been. */
    val job = Decoupled(new PoolJob(pl))
    val moved = Flipped(Decoupled(new Placed(pl)))

    /** The host gives a buffer back; one that it has not is ignored. */
    val release = Flipped(Valid(UInt(m.messageBits.W)))

    /** Nothing of the message is needed any more. */
    val told = Decoupled(UInt(m.messageBits.W))
    val completion = Decoupled(new Verdict(p))
    val idle = Output(Bool())
  })
  private val headers = Mem(m.messages, UInt(64.W))
  when(io.begun.valid)(headers.write(io.begun.bits.message, io.begun.bits.headerData))
  private val answers = Mem(m.messages, new Verdict(p))
  private val out = Module(new PointerQueue(new Verdict(p), 3))
  private val told = Module(new PointerQueue(UInt(m.messageBits.W), 15))
  private val jobs = Module(new PointerQueue(new PoolJob(pl), 3))
  private val releases = Module(new PointerQueue(UInt(m.messageBits.W), 15))
  io.completion <> out.io.deq
  io.told <> told.io.deq
  io.job <> jobs.io.deq
  releases.io.enq.valid := io.release.valid
  releases.io.enq.bits := io.release.bits

  // A bit for each message: an answer waits for its bytes; it goes nowhere; its bytes are in the pool,
  // as far as they came; not all of them did; the host has its buffer.
  private class Bits {
    val register: UInt = RegInit(0.U(m.messages.W))
    private val (sets, clears) = (WireDefault(0.U(m.messages.W)), WireDefault(0.U(m.messages.W)))
    register := (register & ~clears) | sets
    def apply(message: UInt): Bool = register(message)
    def set(message: UInt): Unit = sets := UIntToOH(message, m.messages)
    def clear(message: UInt): Unit = clears := UIntToOH(message, m.messages)
  }
  private val waits, drops, lies, broken, held = new Bits
  private def is(code: Code, of: UInt): Bool = MatchRules.is(of, code)

  // One of them a clock: what has been moved, so that jobs go on; what is in memory; a release; an
  // answer of the unit. The first three are few, and answers can wait.
  private val (moves, places) = (io.moved.valid, io.placed.valid && !io.moved.valid)
  private val late = moves || places
  private val frees = releases.io.deq.valid && !late
  private val verdicts = io.verdict.valid && !late && !frees
  private val verdict = io.verdict.bits
  private val matched = is(Statuses.matched, verdict.status)
  private val queued = is(Statuses.queued, verdict.status)
  private val arrives =
    is(Opcodes.arrive, verdict.opcode) && !is(Statuses.malformed, verdict.status)
  private val number = Mux(
    late,
    Mux(moves, io.moved.bits.message, io.placed.bits.message),
    Mux(frees, releases.io.deq.bits, Mux(arrives, verdict.handle, verdict.other))
  )(m.messageBits - 1, 0)
  private val answer = Mux(late, answers.read(number), verdict)
  private val posts = is(Opcodes.post, answer.opcode)
  private val expected = is(Opcodes.arrive, answer.opcode)

  // Bytes that are in memory.
  private val bad = Mux(
    moves,
    io.moved.bits.failed,
    io.placed.bits.aborted || io.placed.bits.failed
  )
  private val completes = places && waits(number)
  private val moveLate = completes && posts && !bad
  private val gives = completes && !posts && !expected
  private val stays = places && !waits(number) && !drops(number)
  private val endLate = moves || (places && !moveLate && !gives && !stays)

  // Answers.
  private val takes = matched && (posts || is(Opcodes.claim, verdict.opcode))
  private val removes = is(Statuses.removed, verdict.status) && verdict.unexpected
  private val there = lies(number)
  private val whole = !broken(number)
  private val moveNow = takes && posts && there && whole
  private val endNow = there && (removes || (takes && posts && !whole))

  // A receive that waited is gone: its page is owed a completion less, and is told so first.
  private val gone = is(Statuses.cancelled, verdict.status) ||
    (is(Statuses.removed, verdict.status) && !verdict.unexpected)
  private val settled = RegInit(false.B)
  private val settles = verdicts && gone && !settled
  private val passes = !arrives && !moveNow && (!takes || there)

  private val tells = Mux(late, moves || (completes && !moveLate), verdicts && passes)
  private val ends = Mux(late, endLate, (frees && held(number)) || (verdicts && endNow))
  private val starts = Mux(late, moveLate, verdicts && moveNow)
  private val goes = (!tells || out.io.enq.ready) && (!ends || told.io.enq.ready) &&
    (!starts || jobs.io.enq.ready)
  io.moved.ready := goes
  io.placed.ready := places && goes
  releases.io.deq.ready := frees && goes
  io.verdict.ready := verdicts && goes && !settles
  when(settles && goes)(settled := true.B)
  when(io.verdict.fire)(settled := false.B)
  out.io.enq.valid := tells && goes
  told.io.enq.valid := ends && goes
  told.io.enq.bits := number
  jobs.io.enq.valid := starts && goes

  when(io.placed.fire) {
    waits.clear(number)
    drops.clear(number)
    when(stays || gives)(lies.set(number))
    when(stays && bad)(broken.set(number))
    when(gives)(held.set(number))
  }
  when(releases.io.deq.fire && held(number)) {
    held.clear(number)
    lies.clear(number)
    broken.clear(number)
  }
  when(io.verdict.fire) {
    when((arrives && matched) || (takes && !there))(waits.set(number))
    when((arrives && matched) || (takes && (!there || posts)))(answers.write(number, verdict))
    when((arrives && !matched && !queued) || (removes && !there))(drops.set(number))
    when(takes && there && !posts)(held.set(number))
    when(moveNow || endNow)(lies.clear(number))
    when(endNow)(broken.clear(number))
  }
  assert(!(io.verdict.fire && takes) || !held(number), "message %d is taken twice", number)
  assert(!io.placed.fire || !lies(number), "message %d is placed twice", number)

  private val room = Mux((answer.receiveLength >> 32).orR, "hffffffff".U, answer.receiveLength)
  io.endpoint := answer.endpoint
  private val buffer = io.poolBase + (number << io.poolLog2)
  io.destination.valid := io.verdict.fire && arrives
  io.destination.bits.message := number
  io.destination.bits.address := Mux(matched, verdict.address, buffer)
  io.destination.bits.room := Mux(matched, room, Mux(queued, 1.U << io.poolLog2, 0.U))
  jobs.io.enq.bits.message := number
  jobs.io.enq.bits.from := buffer
  jobs.io.enq.bits.address := answer.address
  jobs.io.enq.bits.room := room
  jobs.io.enq.bits.length := answer.messageLength
  io.say.valid := io.destination.valid
  io.say.bits.message := number
  io.say.bits.room := room
  private val stalled = is(Statuses.stalled, verdict.status)
  io.say.bits.kind := Mux(
    matched,
    ArrivalKind.expected.U,
    Mux(queued, ArrivalKind.unexpected.U, Mux(stalled, ArrivalKind.stalled.U, ArrivalKind.lost.U))
  )

  // A message is known to software by its header data; one that is not whole says so.
  private val chosen = WireDefault(answer)
  private val header = headers.read(number)
  chosen.settles.foreach(_ := settles)
  when(settles || (late && expected))(answer.owner.foreach(chosen.page := _))
  when(late || takes) {
    when(late && expected)(chosen.handle := header).otherwise(chosen.other := header)
    when(Mux(late, bad, !whole))(chosen.status := Statuses.removed.value.U)
  }
  out.io.enq.bits := chosen
  io.idle := !io.verdict.valid && !io.placed.valid && !out.io.deq.valid && !told.io.deq.valid &&
    !releases.io.deq.valid && !io.moved.valid && !jobs.io.deq.valid
}
