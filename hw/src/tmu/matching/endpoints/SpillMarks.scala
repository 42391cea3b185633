// SPDX-License-Identifier: Apache-2.0
package tmu.matching.endpoints

import chisel3._
import chisel3.util.{PopCount, ShiftRegister, Valid}
import tmu.buffer.Sweep
import tmu.fault.{Checked, FaultFlip, FaultPort, FaultView}
import tmu.mutant.Mutant
import tmu.params.TmuParams
import tmu.registers.FaultStores
import tmu.rules.{Outcome, SpillRules}
import tmu.types.{Slot, SpillMark, SpillView}

/** The marks of all endpoints, read ahead of the decision like their depths; a sweep clears them.
  *
  * In a unit that takes no memory nothing is marked, and what is kept here leaves in synthesis.
  *
  * A change is known, and written, one clock after its decision. An operation that has read the
  * endpoint before carries the new mark along.
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
    val spills = Input(Bool())

    /** View of memory for each operation, in the same clock. */
    val views = Output(Vec(2, new SpillView))

    /** Outcomes of the operations. They change the mark of one endpoint at most. */
    val outcomes = Input(Vec(2, new Outcome(p)))

    /** `lead` clocks after the read: what was read has lost a bit. */
    val broken = Output(Vec(2, Bool()))
    val fault = new FaultPort
  })
  private val sweep = Module(new Sweep(p.endpoints))
  io.ready := sweep.io.ready

  private val ops = Seq(io.deciding.post, io.deciding.arrival)
  private val mark = Wire(Vec(2, new SpillMark(p)))
  private val seen = Wire(Vec(2, Bool()))
  private val chained = Reg(Bool()) // of refills in a row, none has failed
  for (s <- 0 to 1) {
    io.views(s) := (
      if (p.hasSpill)
        SpillRules.view(
          ops(s).bits,
          mark(s),
          Mutant("refill", seen(s))(_ => true.B),
          Mutant("deferred", io.spills)(_ => true.B),
          io.spare(s),
          io.allowed(s),
          chained
        )
      else SpillView.none
    )
    when(ops(s).valid && ops(s).bits.command.spill.refills)(chained := io.outcomes(s).appends)
  }

  private class Change extends Bundle {
    val endpoint = UInt(p.endpointBits.W)
    val mark = new SpillMark(p)
  }
  private val at = (1 to lead).scanLeft(io.read)((now, _) => RegNext(now))

  // The change of the decision before: it is made of what was known ahead, and of bits that come late.
  private val late = RegNext(io.outcomes, 0.U.asTypeOf(io.outcomes))
  private val stream = late(1).defers || late(1).releases
  private val defers = late(0).defers || late(1).defers
  private val same = mark.map(m => RegNext(m.deferrals))
  private val more = mark.map(m => RegNext(m.deferrals + 1.U))
  private val change = Wire(Valid(new Change))
  private def of[T <: Data](streams: Seq[T]): T = Mux(stream, streams(1), streams(0))
  change.valid := defers || late(0).releases || late(1).releases
  change.bits.endpoint := of(at(lead).map(RegNext(_)))
  change.bits.mark.spilling := defers
  change.bits.mark.deferrals := Mux(defers, of(more), of(same))

  private def markWord = new Checked(p, new SpillMark(p))
  private val copies = Seq.fill(2)(SyncReadMem(p.endpoints, markWord))
  private val (kept, flipped) = FaultFlip(
    p,
    FaultStores.marks,
    Checked(p, new SpillMark(p), change.bits.mark),
    io.fault.flip,
    io.ready && change.valid
  )
  when(!io.ready || change.valid) {
    copies.foreach(
      _.write(
        Mux(io.ready, change.bits.endpoint, sweep.io.index),
        Mux(io.ready, kept, 0.U.asTypeOf(markWord))
      )
    )
  }
  io.fault.view := FaultView(FaultStores.marks, io.broken.asUInt.orR && io.ready, flipped)
  for (s <- 0 to 1) {
    def changes(endpoint: UInt): Bool = change.valid && change.bits.endpoint === endpoint
    // A read in the clock of a write returns the new word, whatever the memory does.
    val entering = Wire(Valid(new SpillMark(p)))
    entering.valid := changes(io.read(s))
    entering.bits := change.bits.mark
    val carried = (1 until lead).foldLeft(RegNext(entering)) { (news, k) =>
      val nextMark = Wire(Valid(new SpillMark(p)))
      val now = changes(at(k)(s))
      nextMark.valid := now || news.valid
      nextMark.bits := Mux(now, change.bits.mark, news.bits)
      RegNext(nextMark)
    }
    val stored = ShiftRegister(copies(s).read(io.read(s)), lead - 1)
    // Whether the decision before was at the same endpoint was seen a clock before.
    val again = of(at(lead).map(before => RegNext(before === at(lead - 1)(s))))
    io.broken(s) := p.hasSpill.B && stored.broken() && !carried.valid && !(change.valid && again)
    val news = change.valid && again
    val older = Mux(carried.valid, carried.bits, stored.word)
    mark(s) := Mux(news, change.bits.mark, older)
    // Whether an injected command's sender has seen all that was deferred: each of the marks that it
    // may be is compared, as which one it is comes late.
    def meetsAsked(deferrals: UInt): Bool =
      deferrals === ops(s).bits.command.spill.deferrals
    seen(s) := Mux(
      news,
      Mux(defers, of(more.map(meetsAsked)), of(same.map(meetsAsked))),
      meetsAsked(older.deferrals)
    )
  }
  assert(
    PopCount(io.outcomes.map(_.defers) ++ io.outcomes.map(_.releases)) <= 1.U,
    "R7: more than one change of what lies in memory in a clock"
  )
}
