// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{PopCount, ShiftRegister, Valid}
import tmu.buffer.Sweep
import tmu.params.TmuParams

/** What an injected command asks: the part of the unit that keeps queues in memory sends these
  * between the host's commands.
  */
class SpillRequest(p: TmuParams) extends Bundle {

  /** Appends the entry, which was the oldest in memory, to its table. */
  val refills = Bool()

  /** The endpoint has nothing in memory any more. */
  val releases = Bool()

  /** Of refills in a row: the first one. Once one has failed, those behind it fail too. */
  val first = Bool()

  /** Commands of the endpoint that were deferred and are done, as a remainder. The request fails if
    * more have been deferred.
    */
  val deferrals = UInt(SpillMarks.countBits.W)

  def injected: Bool = refills || releases
}

object SpillRequest {

  /** What a command of the host asks: none of it. */
  def none(p: TmuParams): SpillRequest = 0.U.asTypeOf(new SpillRequest(p))
}

/** What the decision has to know of an endpoint's queues in memory. */
class SpillMark extends Bundle {

  /** Entries lie in memory, or commands are on their way there: what the tables do not answer is
    * deferred.
    */
  val spilling = Bool()

  /** Commands deferred since reset, as a remainder. */
  val deferrals = UInt(SpillMarks.countBits.W)
}

/** The marks of all endpoints, read ahead of the decision like their depths; a sweep clears them.
  *
  * A change is written one clock after its decision. Whoever reads the endpoint meanwhile carries
  * the new mark along.
  */
class SpillMarks(p: TmuParams) extends Module {
  import EndpointTable.lead
  val io = IO(new Bundle {
    val ready = Output(Bool())
    val read = Input(Vec(2, UInt(p.endpointBits.W)))

    /** `lead` clocks after the read: the operations that are decided, whether the tables of their
      * own queues have room, and their quotas.
      */
    val deciding = Input(new Slot(p))
    val spare = Input(Vec(2, Bool()))
    val allowed = Input(Vec(2, Bool()))
    val lent = Input(Bool())

    /** What memory has to do with them, in the same clock. */
    val views = Output(Vec(2, new SpillView))
    val spilling = Output(Vec(2, Bool()))

    /** What becomes of them. It changes the mark of one endpoint at most. */
    val outcomes = Input(Vec(2, new Outcome(p)))
  })
  private val sweep = Module(new Sweep(p.endpoints))
  io.ready := sweep.io.ready

  private val ops = Seq(io.deciding.post, io.deciding.arrival)
  private val mark = Wire(Vec(2, new SpillMark))
  private val chained = Reg(Bool()) // of refills in a row, none has failed
  for (s <- 0 to 1) {
    io.views(s) :=
      SpillView(ops(s).bits, mark(s), io.lent, io.spare(s), io.allowed(s), chained)
    io.spilling(s) := mark(s).spilling
    when(ops(s).valid && ops(s).bits.command.spill.refills)(chained := io.outcomes(s).appends)
  }

  private class Change extends Bundle {
    val endpoint = UInt(p.endpointBits.W)
    val mark = new SpillMark
  }
  private val at = (1 to lead).scanLeft(io.read)((now, _) => RegNext(now))
  private val change = Wire(Valid(new Change))
  private val stream = io.outcomes(1).defers || io.outcomes(1).releases
  private val old = Mux(stream, mark(1), mark(0))
  private val defers = io.outcomes.map(_.defers).reduce(_ || _)
  change.valid := defers || io.outcomes.map(_.releases).reduce(_ || _)
  change.bits.endpoint := Mux(stream, at(lead)(1), at(lead)(0))
  change.bits.mark.spilling := defers
  change.bits.mark.deferrals := old.deferrals + defers
  private val written = RegNext(change, 0.U.asTypeOf(change))

  private val copies = Seq.fill(2)(SyncReadMem(p.endpoints, new SpillMark))
  when(!io.ready || written.valid) {
    copies.foreach(
      _.write(
        Mux(io.ready, written.bits.endpoint, sweep.io.place),
        Mux(io.ready, written.bits.mark, 0.U.asTypeOf(new SpillMark))
      )
    )
  }
  for (s <- 0 to 1) {
    def changed(by: Valid[Change], endpoint: UInt): Bool =
      by.valid && by.bits.endpoint === endpoint
    val entering = Wire(Valid(new SpillMark))
    entering.valid := changed(change, io.read(s)) || changed(written, io.read(s))
    entering.bits := Mux(changed(change, io.read(s)), change.bits.mark, written.bits.mark)
    val carried = (1 until lead).foldLeft(RegNext(entering)) { (news, k) =>
      val next = Wire(Valid(new SpillMark))
      val now = changed(change, at(k)(s))
      next.valid := now || news.valid
      next.bits := Mux(now, change.bits.mark, news.bits)
      RegNext(next)
    }
    val stored = ShiftRegister(copies(s).read(io.read(s)), lead - 1)
    mark(s) := Mux(carried.valid, carried.bits, stored)
  }
  assert(
    PopCount(io.outcomes.map(_.defers) ++ io.outcomes.map(_.releases)) <= 1.U,
    "R7: more than one change of what lies in memory in a clock"
  )
}

object SpillMarks {

  /** More than twice as many as can be deferred at once. */
  val countBits: Int = 10
}
