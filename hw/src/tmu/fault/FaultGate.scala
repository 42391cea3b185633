// SPDX-License-Identifier: Apache-2.0
package tmu.fault

import chisel3._
import chisel3.util.{Decoupled, Valid}
import tmu.buffer.{PointerQueue, Sweep}
import tmu.layout.Statuses
import tmu.mutant.Mutant
import tmu.params.TmuParams
import tmu.rules.MatchRules
import tmu.types.Verdict

/** The last thing that verdicts pass: it keeps back what must not be relied on.
  *
  * Once something that an endpoint depends on has lost a bit, every answer of that endpoint says so
  * until a reset, and no other endpoint's does (R13), unless the lost bit may be that of any
  * endpoint. Reports of a flush are left out; its own answer says it for them.
  */
class FaultGate(p: TmuParams, sources: Int) extends Module {
  val io = IO(new Bundle {
    val ready = Output(Bool())

    /** These endpoints can not be trusted from the next clock on. */
    val raised = Flipped(Vec(sources, Valid(UInt(p.endpointBits.W))))

    /** Neither can any endpoint. */
    val everyone = Input(Bool())
    val in = Flipped(Decoupled(new Verdict(p)))
    val out = Decoupled(new Verdict(p))
    val idle = Output(Bool())
  })
  private val sweep = Module(new Sweep(p.endpoints))
  io.ready := sweep.io.ready

  // The paths here and from here on are long, and in between lies the look at the endpoint.
  private val verdicts = Module(new PointerQueue(new Verdict(p), 2))
  verdicts.io.enq <> io.in
  io.idle := !verdicts.io.deq.valid
  private val verdict = verdicts.io.deq
  private val endpoint = verdict.bits.endpoint(p.endpointBits - 1, 0)
  private val faulty = EndpointMarks(p, sweep, io.raised)(endpoint)
  private val all = RegInit(false.B)
  private def raised = VecInit(io.raised.map(_.valid)).asUInt.orR
  when(Mutant("everyone", io.everyone)(_ || raised))(all := true.B)

  private val refusals =
    Seq(Statuses.refusedEndpoint, Statuses.malformed, Statuses.refusedPrivilege)
  private val vacancies = Seq(Statuses.empty, Statuses.vacant)
  private val depends =
    !(refusals ++ vacancies).map(MatchRules.is(verdict.bits.status, _)).reduce(_ || _)
  // Without parity nothing is ever raised.
  private val withheld = if (p.parity) (faulty || all) && depends else false.B
  if (!p.parity) assert(!VecInit(io.raised.map(_.valid)).asUInt.orR, "raised without parity")
  private val silent = withheld && MatchRules.is(verdict.bits.status, Statuses.removed)

  io.out.valid := verdict.valid && !silent
  verdict.ready := io.out.ready || silent
  io.out.bits := verdict.bits
  when(withheld) {
    val answer = io.out.bits
    answer.status := Statuses.tableFault.value.U
    answer.unexpected := false.B
    answer.truncated := false.B
    answer.other := 0.U
    answer.key := 0.U.asTypeOf(answer.key)
    answer.ignore := 0.U.asTypeOf(answer.ignore)
    answer.address := 0.U
    answer.messageLength := 0.U
    answer.receiveLength := 0.U
  }
}
