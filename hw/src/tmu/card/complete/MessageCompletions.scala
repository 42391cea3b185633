// SPDX-License-Identifier: Apache-2.0
package tmu.card.complete

import chisel3._
import chisel3.util.{Decoupled, UIntToOH, Valid}
import tmu.buffer.PointerQueue
import tmu.card.message.{Arrival, ArrivalAnswer, ArrivalKind, MessageParams}
import tmu.card.placement.{Destination, Placed, PlacementParams}
import tmu.layout.{Opcodes, Statuses}
import tmu.params.TmuParams
import tmu.rules.MatchRules
import tmu.types.Verdict

/** The unit's answers on their path to hosts, joined with the bytes that they announce (W3).
  *
  * An arrival's answer says where its payload goes: to its receive, or to a buffer of the pool that
  * has the message's number. It is told when all of it is in memory. A post or claim that meets an
  * unexpected message is answered when that one is in the pool; the host then has the buffer until
  * it releases it. All other answers pass.
  */
class MessageCompletions(p: TmuParams, m: MessageParams, pl: PlacementParams) extends Module {
  val io = IO(new Bundle {

    /** A message goes to the unit. */
    val begun = Flipped(Valid(new Arrival(m)))
    val poolBase = Input(UInt(64.W))
    val poolLog2 = Input(UInt(5.W))
    val verdict = Flipped(Decoupled(new Verdict(p)))
    val destination = Valid(new Destination(pl))
    val say = Valid(new ArrivalAnswer(m))
    val placed = Flipped(Decoupled(new Placed(pl)))

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
  private val releases = Module(new PointerQueue(UInt(m.messageBits.W), 15))
  io.completion <> out.io.deq
  io.told <> told.io.deq
  releases.io.enq.valid := io.release.valid
  releases.io.enq.bits := io.release.bits

  // A bit for each message: an answer waits for its bytes; it goes nowhere; its bytes are in the pool,
  // as far as they came; not all of them did; the host has its buffer; and has released it already.
  private class Bits {
    val register: UInt = RegInit(0.U(m.messages.W))
    private val (sets, clears) = (WireDefault(0.U(m.messages.W)), WireDefault(0.U(m.messages.W)))
    register := (register & ~clears) | sets
    def apply(message: UInt): Bool = register(message)
    def set(message: UInt): Unit = sets := UIntToOH(message, m.messages)
    def clear(message: UInt): Unit = clears := UIntToOH(message, m.messages)
  }
  private val waits, drops, lies, broken, held, early = new Bits

  // Bytes that are in memory come first, and then releases: both are few, and answers can wait.
  private val placed = io.placed.bits
  private val answer = answers.read(placed.message)
  private val expected = MatchRules.is(answer.opcode, Opcodes.arrive)
  private val completes = waits(placed.message)
  private val ends = Mux(completes, expected, drops(placed.message) || early(placed.message))
  private val bad = placed.aborted || placed.failed
  io.placed.ready := out.io.enq.ready && told.io.enq.ready
  when(io.placed.fire) {
    waits.clear(placed.message)
    drops.clear(placed.message)
    early.clear(placed.message)
    when(!ends)(lies.set(placed.message))
    when(!ends && bad)(broken.set(placed.message))
    when(completes && !expected)(held.set(placed.message))
  }

  private val release = releases.io.deq
  release.ready := !io.placed.valid && told.io.enq.ready
  private val frees = release.fire && held(release.bits) && lies(release.bits)
  when(release.fire && held(release.bits)) {
    held.clear(release.bits)
    when(lies(release.bits)) {
      lies.clear(release.bits)
      broken.clear(release.bits)
    }.otherwise(early.set(release.bits))
  }
  told.io.enq.valid := (io.placed.fire && ends) || frees
  told.io.enq.bits := Mux(io.placed.valid, placed.message, release.bits)

  private val verdict = io.verdict.bits
  private def is(code: tmu.layout.Code, of: UInt): Bool = MatchRules.is(of, code)
  private val arrives =
    is(Opcodes.arrive, verdict.opcode) && !is(Statuses.malformed, verdict.status)
  private val matched = is(Statuses.matched, verdict.status)
  private val queued = is(Statuses.queued, verdict.status)
  private val takes = matched && (is(Opcodes.post, verdict.opcode) ||
    is(Opcodes.claim, verdict.opcode))
  private val removes = is(Statuses.removed, verdict.status) && verdict.unexpected
  private val number = Mux(arrives, verdict.handle, verdict.other)(m.messageBits - 1, 0)
  private val there = takes && lies(number)
  private val passes = !arrives && (!takes || there)
  private val free = !io.placed.valid && !release.valid
  io.verdict.ready := free && (!passes || out.io.enq.ready)
  when(io.verdict.fire) {
    when((arrives && matched) || (takes && !there)) {
      answers.write(number, verdict)
      waits.set(number)
    }
    when(arrives && !matched && !queued)(drops.set(number))
    when(there || removes)(held.set(number))
  }
  assert(!(io.verdict.fire && takes) || !held(number), "message %d is taken twice", number)

  io.destination.valid := io.verdict.fire && arrives
  io.destination.bits.message := number
  io.destination.bits.address := Mux(
    matched,
    verdict.address,
    io.poolBase + (number << io.poolLog2)
  )
  private val room = Mux((verdict.receiveLength >> 32).orR, "hffffffff".U, verdict.receiveLength)
  io.destination.bits.room := Mux(matched, room, Mux(queued, 1.U << io.poolLog2, 0.U))
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
  private val late = io.placed.valid
  private val chosen = WireDefault(Mux(late, answer, verdict))
  private val header = headers.read(Mux(late, placed.message, number))
  private val joins = late || takes
  private val whole = Mux(late, !bad, !broken(number))
  when(joins) {
    when(late && expected)(chosen.handle := header).otherwise(chosen.other := header)
    when(!whole)(chosen.status := Statuses.removed.value.U)
  }
  out.io.enq.valid := Mux(late, io.placed.fire && completes, io.verdict.fire && passes)
  out.io.enq.bits := chosen
  io.idle := !io.verdict.valid && !io.placed.valid && !out.io.deq.valid && !told.io.deq.valid &&
    !release.valid
}
