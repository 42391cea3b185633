// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import tmu.layout.Opcodes
import tmu.params.SpillParams
import tmu.rules.MatchRules
import tmu.types.{MatchCommand, SpillRequest}

/** Holds the host's commands while an entry of a deferred one goes to its table, for want of a
  * location in memory (R11).
  *
  * A deferred command has missed its table, and a later command must not find there an entry that
  * an older one has put there meanwhile, nor take it from one that still waits (R7). So from
  * `begins` on no command enters; all that wait are answered, each after it has searched its table
  * once more; and only then the host's commands go on.
  */
class SpillHold(s: SpillParams) extends Module {
  val io = IO(new Bundle {
    val begins = Input(Bool())

    /** Nothing waits any more. */
    val ends = Input(Bool())
    val holds = Output(Bool())

    /** While it holds: an entry comes to a table, or leaves one; of messages, else of receives. */
    val comes = Input(Bool())
    val goes = Input(Bool())
    val unexpected = Input(Bool())

    /** Entries by which a table's part of a quota has grown since a command was deferred: exact for
      * one endpoint, and where several have got slots more than any of them has.
      */
    val grown = Output(Vec(2, UInt(s.countBits.W)))
  })
  private val holds = RegInit(false.B)
  private val grown = RegInit(VecInit.fill(2)(0.U(s.countBits.W)))
  when(io.begins)(holds := true.B).elsewhen(io.ends) {
    holds := false.B
    grown.foreach(_ := 0.U)
  }
  // One that its table had before is found where a lane has lost a bit: then no answer is right.
  private val changes = grown(io.unexpected)
  when(holds && io.comes)(changes := changes + 1.U)
    .elsewhen(holds && io.goes && changes =/= 0.U)(changes := changes - 1.U)
  io.holds := holds
  io.grown := grown
}

/** Command that is injected to search a table once more for a deferred one. */
object SpillRetry {

  /** @param unexpected
    *   of a flush: it takes messages, else receives
    * @param appends
    *   it is appended if it finds nothing and there is room
    */
  def apply(s: SpillParams, job: MatchCommand, unexpected: Bool, appends: Bool): Injection = {
    val flushes = MatchRules.is(job.opcode, Opcodes.flush)
    val retry = Wire(new Injection(s))
    retry.command := job
    retry.command.searches := true.B
    retry.command.flushes := false.B
    retry.command.spill := SpillRequest.none(s.p)
    retry.command.spill.retries := true.B
    retry.command.spill.sure := appends
    retry.withArrivals := Mux(flushes, !unexpected, MatchRules.withArrivals(job))
    // One of the takes of a flush (R14); what it finds nothing with is not appended.
    when(flushes) {
      retry.command.opcode := Mux(unexpected, Opcodes.claim.value.U, Opcodes.arrive.value.U)
    }
    retry
  }
}
