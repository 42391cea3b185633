// SPDX-License-Identifier: Apache-2.0
package tmu.card.initiator

import chisel3._
import chisel3.util._

/** Kinds of steps, the most urgent first. */
object StepKind {
  val answer = 0
  val walk = 1
  val lose = 2
  val timeout = 3
  val send = 4
  val enqueue = 5
  val retire = 6
  val count = 7
  val bits: Int = log2Ceil(count)
}

/** The step that is chosen in a clock. */
class ChosenStep(p: InitiatorParams) extends Bundle {
  val kind = UInt(StepKind.bits.W)
  val index = UInt(p.connectionBits.W)
}

/** Chooses a step: of connections that have none under way, so that none sees a state that is about
  * to change. Connections with something to send take turns.
  */
class StepChoice(p: InitiatorParams) extends Module {
  val io = IO(new Bundle {
    val table = Input(Vec(p.connections, new SendEntry(p)))

    /** Connections with a step under way, and whether a message is on its way to one. */
    val busy = Input(UInt(p.connections.W))
    val enqueues = Input(Bool())
    val now = Input(UInt(32.W))
    val packetRoom = Input(Bool())
    val endRoom = Input(Bool())
    val answer = Flipped(Decoupled(new SendAnswer))
    val message = Flipped(Decoupled(new OutMessage(p)))
    val chosen = Output(Valid(new ChosenStep(p)))

    /** An answer was for no connection. */
    val foreign = Output(Bool())
  })
  private def all(of: SendEntry => Bool): UInt = VecInit(io.table.map(of)).asUInt
  private val free = ~io.busy
  private def first(of: UInt): UInt = PriorityEncoder(of)

  private val answer = io.answer.bits
  private val named = VecInit(io.table.zipWithIndex.map { case (entry, index) =>
    entry.usable && answer.pds.dpdcid === entry.generation ## index.U(p.connectionBits.W) &&
    answer.ipv6 === entry.key.ipv6 && answer.source === entry.key.address
  }).asUInt
  private val known = all(e => e.live && e.key.asUInt === io.message.bits.key.asUInt)
  private val unused = all(!_.live)
  private val home = Mux(known.orR, known, unused)

  // A timer is looked at in each clock.
  private val looked = RegInit(0.U(p.connectionBits.W))
  looked := looked + 1.U
  private val timed = io.table(looked)
  private val expired = timed.usable && timed.armed && !SendEntry.behind(io.now, timed.deadline) &&
    free(looked)

  private val sends = all(_.sends) & free
  private val last = RegInit(0.U(p.connectionBits.W))
  private val behindLast = sends & ~((2.U << last) - 1.U)(p.connections - 1, 0)
  private val sender = Mux(behindLast.orR, first(behindLast), first(sends))
  private val walks = all(e => e.walks && e.usable) & free
  private val losers = all(_.losing) & free
  private val victims = all(_.spare) & free
  private val closing = all(_.closing).orR

  private val steps = Seq(
    StepKind.answer -> (io.answer.valid && io.endRoom && (named & free).orR, first(named)),
    StepKind.walk -> (walks.orR && io.endRoom, first(walks)),
    StepKind.lose -> (losers.orR && io.endRoom, first(losers)),
    StepKind.timeout -> (expired, looked),
    StepKind.send -> (sends.orR && io.packetRoom, sender),
    StepKind.enqueue ->
      (io.message.valid && !io.enqueues && (home & free).orR, first(home & free)),
    StepKind.retire -> (
      io.message.valid && !io.enqueues && !home.orR && victims.orR && !closing,
      first(victims)
    )
  )
  private val able = steps.map(_._2._1)
  io.chosen.valid := able.reduce(_ || _)
  io.chosen.bits.kind := PriorityMux(able, steps.map(_._1.U))
  io.chosen.bits.index := PriorityMux(able, steps.map(_._2._2))
  private def isChosen(kind: Int): Bool = io.chosen.valid && io.chosen.bits.kind === kind.U
  when(isChosen(StepKind.send))(last := sender)
  io.foreign := io.answer.valid && !named.orR
  io.answer.ready := io.foreign || isChosen(StepKind.answer)
  io.message.ready := isChosen(StepKind.enqueue)
}
