// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{ShiftRegister, Valid}
import tmu.params.{TableParams, TmuParams}

/** Lift: when the oldest entries of the rows go to the arrays, and how many.
  *
  * Worth it when some lanes can be filled, or when all that is in the rows can go; not many at
  * once, so that nobody waits long: when an operation waits, a slot is decided between two lifts.
  * The unit is emptied first (R7).
  */
class LiftStage(p: TmuParams) extends Module {
  private val t = TableParams.posted(p)
  private val countBits = math.max(t.countBits, TableParams.unexpected(p).countBits)
  val io = IO(new Bundle {

    /** Entries in the rows, and free lanes of the array: messages, receives. */
    val counts = Input(Vec(2, UInt(countBits.W)))
    val inRows = Input(Vec(2, Bool()))
    val free = Input(Vec(2, UInt(countBits.W)))

    /** An operation waits to enter; a parked slot is decided; slots that walk are parked. */
    val waiting = Input(Bool())
    val decided = Input(Bool())
    val parks = Input(Bool())

    /** Neither a search nor a lift is under way; a lift is; the rows are at rest; so is the unit.
      */
    val idle = Input(Bool())
    val lifting = Input(Bool())
    val rowsIdle = Input(Bool())
    val drained = Input(Bool())

    /** Nothing may enter the unit, or no inspect. */
    val holdsBack = Output(Bool())
    val holdsInspects = Output(Bool())

    /** A lift begins, of up to so many entries of each queue; it ends. */
    val starts = Output(Bool())
    val lifts = Vec(2, Valid(UInt(countBits.W)))
    val ends = Output(Bool())
  })
  private val longer = io.inRows.reduce(_ || _)
  private val fills = Seq.tabulate(2)(q => io.counts(q) >= t.lift.U && io.free(q) >= t.lift.U)
  private val empties = Seq.tabulate(2)(q => io.free(q) >= io.counts(q))
  private val worth =
    RegNext(fills.reduce(_ || _) || (longer && empties.reduce(_ && _)), false.B)
  private val served = RegInit(true.B)
  private val due = worth && (served || !RegNext(io.waiting, false.B))

  // A slot may enter again while entries are lifted, if it ends its walk after the last of them, and
  // if no other lift has to follow. Nothing changes while the unit is empty, so it is known ahead.
  private def atMost(free: UInt): UInt = Mux(free > t.liftMost.U, t.liftMost.U, free)
  private val most = RegNext(io.free.map(atMost).reduce((a, b) => Mux(a > b, a, b)))
  private val clocks = RegNext(most + LiftStage.clocks.U)
  private val clocksLeft = Reg(UInt(t.countBits.W))
  private val early = RegInit(false.B)

  // With the rows empty, the unit only has to empty too.
  io.holdsBack := due || early || (io.parks && !longer)
  io.holdsInspects := worth || io.lifting

  // Nothing enters when there is something to lift.
  private val starts = io.idle && io.rowsIdle && io.drained && due
  when(io.decided)(served := true.B).elsewhen(starts)(served := false.B)
  io.starts := starts
  for (q <- 0 to 1) {
    io.lifts(q).valid := starts && io.free(q) =/= 0.U && io.inRows(q)
    io.lifts(q).bits := atMost(io.free(q))
  }

  // The last lifted entry is in its lane three clocks after the rows are at rest.
  io.ends := io.lifting && io.rowsIdle && ShiftRegister(io.rowsIdle, 1) &&
    ShiftRegister(io.rowsIdle, 2)
  when(starts) {
    early := clocks > t.walk.U
    clocksLeft := clocks - t.walk.U
  }
  when(io.lifting) {
    clocksLeft := clocksLeft - 1.U
    when(clocksLeft === 1.U || io.ends)(early := false.B)
  }
}

object LiftStage {

  /** Clocks of a lift beside one for each entry: from its start until a slot may be at its end. */
  val clocks: Int = 8
}
