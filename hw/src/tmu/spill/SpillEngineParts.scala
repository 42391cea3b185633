// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.RegEnable
import tmu.layout.Opcodes
import tmu.params.{SpillLayout, SpillParams}
import tmu.rules.MatchRules
import tmu.types.{Deferred, Operation, SpillEntry, Verdict}

/** Registers of [[SpillEngine]], and signals that follow from them without a step. */
abstract class SpillEngineParts(s: SpillParams) extends Module {
  protected val p = s.p
  val io = IO(new SpillEnginePorts(s))
  protected object State extends ChiselEnum {
    val idle, first, second, choose = Value
    val search, searching, take, append, answer = Value
    val flush, sweep, sweeping, report, drop = Value
    val retry, retrying, keep, keepSecond, pack, reload, again, againSecond = Value
    val rest, fence, fencing, insert, inserting = Value
    val move, moving, settle, release, releasing = Value
    val store, storeSecond = Value
  }
  protected val state = RegInit(State.idle)
  protected val job = Reg(new Deferred(p))
  protected val visiting, looking = Reg(Bool())
  protected val endpoint = Reg(UInt(p.endpointBits.W))
  protected val done = Reg(UInt(SpillParams(p).deferralBits.W))
  protected val op = job.operation
  protected val command = op.command

  // Both lists of the endpoint; `unexpected` tells which is worked on.
  protected val lists = Reg(Vec(2, new SpillList(s)))
  protected val unexpected = Reg(Bool())
  protected val list = lists(unexpected)
  io.editing := list
  protected val opens =
    lists.map(l => RegNext(l.count === 0.U || l.fill === SpillLayout.entries.U))
  io.opens := VecInit(opens)(unexpected)
  // A list goes back to its table although a command waits for it.
  protected val borrows = Reg(Bool())
  protected val refills = visiting || borrows
  io.refilling := refills
  when(io.edited.valid)(list := io.edited.bits)

  // Of a command, known long before it is used: the queue that it searches, and the one that it is
  // appended to (R5, R6), unless its quota is used up (R11).
  protected val searchesMessages = RegNext(!MatchRules.withArrivals(command))
  protected val appendsReceive = RegNext(MatchRules.is(command.opcode, Opcodes.post))
  protected val flushes = RegNext(MatchRules.is(command.opcode, Opcodes.flush))
  protected val own = !appendsReceive
  protected val hold = Module(new SpillHold(s))
  protected val held = hold.io.holds
  io.holds := held
  io.packs := state === State.keepSecond
  io.exhausted := false.B
  protected val fits = RegEnable(
    job.allowance.exceeds(lists(own).count +& hold.io.grown(own)),
    state =/= State.append
  )
  protected val packed = Reg(Bool()) // for this command chunks have been made fewer
  protected val stuck = Reg(Bool()) // and nothing of its list goes back to the table
  protected val retried = Reg(Bool()) // it has searched its table once more

  io.range.bits.head := list.head
  io.range.bits.tail := list.tail
  io.range.bits.ask := Mux(
    refills,
    SpillMatch.all(s, endpoint),
    SpillMatch.asked(s, io.windows, command)
  )
  io.range.bits.sweeps := refills || flushes
  io.range.valid := state === State.search || state === State.sweep || state === State.move

  // Back to the tables, when there is room for a few. An endpoint that has, or can soon have, nothing
  // left in memory is released in the same service, for under load its next command would begin a new
  // list there; not if a command waits to be answered here, or an entry was refused.
  protected val refill = Module(new SpillRefill(s))
  protected val movable = VecInit.tabulate(2)(q => SpillRefill.pays(s, q, lists(q), io.counts(q)))
  protected val goesOn = Reg(Bool()) // in this service some have gone back already
  io.moving := visiting && (state >= State.move || (state === State.choose && goesOn))
  protected val settles = state === State.settle && refill.io.moved.valid
  refill.io.begins := state === State.move
  refill.io.hit.valid := state === State.moving && io.hit.valid && io.hit.bits.found
  refill.io.hit.bits := io.hit.bits
  refill.io.endpoint := endpoint
  refill.io.unexpected := unexpected
  refill.io.done := done
  refill.io.release := state === State.release || state === State.fence
  refill.io.sure := borrows
  io.inject <> refill.io.inject
  protected val inserts = state === State.insert
  when(state === State.retry || inserts) {
    io.inject.valid := true.B
    io.inject.bits := SpillRetry(s, command, unexpected, inserts)
  }
  refill.io.injected.valid :=
    io.injected.valid && (state === State.moving || state === State.settle)
  refill.io.injected.bits := io.injected.bits.done
  protected val comes = io.injected.valid && io.injected.bits.done
  protected val found = io.injected.valid && io.injected.bits.found
  hold.io.begins := state === State.fence
  hold.io.ends := state === State.idle && !io.deferred.valid && !io.waits
  hold.io.comes := comes && state =/= State.releasing && state =/= State.fencing
  hold.io.goes := found && op.takes
  hold.io.unexpected := unexpected
  refill.io.moved.ready := settles && io.remove.ready
  protected val ended = Reg(Bool()) // the sweep has reached the end of the list
  protected val few = lists.map(_.count).reduce(_ +& _) <= s.batch.U && !io.deferred.valid
  protected val moves = movable.reduce(_ || _) && (!goesOn || few)

  // The hit at hand, as it was found.
  protected val hit = Reg(new SpillHit(s))
  protected val status = Reg(UInt(8.W))
  protected val finds = Reg(Bool())
  protected val removed = Reg(Vec(2, UInt(32.W)))

  io.remove.valid := state === State.take || state === State.drop || settles
  io.remove.bits := Mux(settles, refill.io.moved.bits, hit.at)
  io.append.valid := state === State.append && fits
  io.append.bits.entry := SpillEntry(p, op, appendsReceive)
  // Folded long before it is written, and it goes to every slot of a beat.
  io.append.bits.word := RegNext(
    SpillMatch.word(
      s,
      io.windows,
      command.key,
      io.append.bits.entry.ignore,
      io.append.bits.entry.id
    )
  )

  // Answers.
  protected val answered = Wire(new Operation(p))
  answered := op
  when(state === State.report) {
    answered.sweeps := true.B
    answered.serial := false.B
  }
  io.verdict.valid := state === State.answer || state === State.report
  io.verdict.bits :=
    SpillAnswer(p, answered, finds, status, job.serial, hit.entry, unexpected, removed)
  io.verdict.bits.latency := Verdict.clocks(io.now, op.accepted)

  protected def answer(says: UInt, hits: Bool): Unit = {
    status := says
    finds := hits
    state := State.answer
  }

  /** The part in memory has not answered: append, or say that nothing was there (R5, R6). */
  protected def missed(): Unit = {
    when(op.appends) {
      unexpected := own
      state := State.append
    }.otherwise(answer(MatchRules.onMiss(command.opcode, room = false.B), false.B))
  }

  io.hit.ready := false.B
  io.stop := false.B
  io.deferred.ready := false.B
  io.service.ready := false.B
  io.released.valid := false.B
  io.released.bits := endpoint
  protected val services = io.service.valid && io.precedes && !io.failed && !io.discard && !held
  protected val takes = io.deferred.valid && !services
  protected val nextEndpoint = Mux(
    takes,
    Operation.endpoint(p, io.deferred.bits.operation),
    io.service.bits
  )
  io.lists.read.endpoint := Mux(state === State.idle, nextEndpoint, endpoint)
  io.lists.read.unexpected := state =/= State.idle && state =/= State.reload
  protected val second = state === State.storeSecond || state === State.keepSecond
  io.lists.write.valid := second || state === State.store || state === State.keep
  io.lists.write.bits.at.endpoint := endpoint
  io.lists.write.bits.at.unexpected := second
  io.lists.write.bits.list := lists(second)
  io.lists.at.endpoint := endpoint
  io.lists.at.unexpected := unexpected
  io.lists.moved := refill.io.injected.valid && io.injected.bits.done
  io.lists.writeDone.valid := state === State.store && !visiting
  io.lists.writeDone.bits := done + 1.U

  protected val loads = state === State.again || state === State.againSecond
  io.lists.uses := state === State.first || state === State.second || loads
  io.lists.usesDone := state === State.first
  io.works := state > State.choose || io.moving
  io.idle := state === State.idle && !io.deferred.valid && !held
}
