// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{is, switch, RegEnable}
import tmu.contract.{Opcodes, SpillLayout, Statuses}
import tmu.matching._

/** Answers deferred commands, one after the other in their order, and moves entries back to the
  * tables when nothing is deferred, or in between when it is told to.
  *
  * A deferred command has searched the table; what is left is to search the part in memory, and to
  * append there (R5, R6). Nothing of its endpoint has gone to the table since, so this is the
  * command's place in the order of the law (R7): commands behind it that found something on chip
  * found what is older than all that is done here.
  */
class SpillEngine(s: SpillParams) extends Module {
  private val p = s.p
  val io = IO(new SpillEnginePorts(s))
  private object State extends ChiselEnum {
    val idle, first, second, choose = Value
    val search, searching, take, append, answer = Value
    val flush, sweep, sweeping, report, drop = Value
    val move, moving, settle, release, releasing = Value
    val store, storeSecond = Value
  }
  private val state = RegInit(State.idle)
  private val job = Reg(new Deferred(p))
  private val visiting, looking = Reg(Bool())
  private val endpoint = Reg(UInt(p.endpointBits.W))
  private val done = Reg(UInt(SpillMarks.countBits(p).W))
  private val op = job.operation
  private val command = op.command

  // Both lists of the endpoint; `unexpected` tells which is worked on.
  private val lists = Reg(Vec(2, new SpillList(s)))
  private val unexpected = Reg(Bool())
  private val list = lists(unexpected)
  io.editing := list
  private val opens =
    lists.map(l => RegNext(l.count === 0.U || l.fill === SpillLayout.entries.U))
  io.opens := VecInit(opens)(unexpected)
  io.refilling := visiting
  when(io.edited.valid)(list := io.edited.bits)

  // Of a command, known long before it is used: the queue that it searches, and the one that it is
  // appended to (R5, R6), unless its quota is used up (R11).
  private val searchesMessages = RegNext(!MatchRules.withArrivals(command))
  private val appendsReceive = RegNext(MatchRules.is(command.opcode, Opcodes.post))
  private val flushes = RegNext(MatchRules.is(command.opcode, Opcodes.flush))
  private val own = !appendsReceive
  private val fits =
    RegEnable(job.allowance.exceeds(lists(own).count), state =/= State.append)

  io.range.bits.head := list.head
  io.range.bits.tail := list.tail
  io.range.bits.ask := Mux(
    visiting,
    SpillEntry.all(s, endpoint),
    SpillEntry.asked(s, io.windows, command)
  )
  io.range.bits.sweeps := visiting || flushes
  io.range.valid := state === State.search || state === State.sweep || state === State.move

  // Back to the tables, when there is room for a few. An endpoint that has, or can soon have, nothing
  // left in memory is released in the same visit, for under load its next command would begin a new
  // list there; not if a command waits to be answered here, or an entry was refused.
  private val refill = Module(new SpillRefill(s))
  private val movable = VecInit.tabulate(2)(q => SpillRefill.pays(s, q, lists(q), io.counts(q)))
  private val again = Reg(Bool()) // in this visit some have gone back already
  io.moving := visiting && (state >= State.move || (state === State.choose && again))
  private val settles = state === State.settle && refill.io.moved.valid
  refill.io.begins := state === State.move
  refill.io.hit.valid := state === State.moving && io.hit.valid && io.hit.bits.found
  refill.io.hit.bits := io.hit.bits
  refill.io.endpoint := endpoint
  refill.io.unexpected := unexpected
  refill.io.done := done
  refill.io.release := state === State.release
  io.inject <> refill.io.inject
  refill.io.injected.valid := io.injected.valid && state =/= State.releasing
  refill.io.injected.bits := io.injected.bits
  refill.io.moved.ready := settles && io.remove.ready
  private val ended = Reg(Bool()) // the sweep has reached the end of the list
  private val few = lists.map(_.count).reduce(_ +& _) <= s.batch.U && !io.deferred.valid
  private val moves = movable.reduce(_ || _) && (!again || few)

  // The hit at hand, as it was found.
  private val hit = Reg(new SpillHit(s))
  private val status = Reg(UInt(8.W))
  private val found = Reg(Bool())
  private val removed = Reg(Vec(2, UInt(32.W)))

  io.remove.valid := state === State.take || state === State.drop || settles
  io.remove.bits := Mux(settles, refill.io.moved.bits, hit.at)
  io.append.valid := state === State.append && fits
  io.append.bits.entry := SpillEntry(p, op, appendsReceive)
  // Folded long before it is written, and it goes to every place of a beat.
  io.append.bits.word := RegNext(
    SpillEntry.word(
      s,
      io.windows,
      command.key,
      io.append.bits.entry.ignore,
      io.append.bits.entry.id
    )
  )

  // Answers.
  private val answered = Wire(new Operation(p))
  answered := op
  when(state === State.report) {
    answered.sweeps := true.B
    answered.serial := false.B
  }
  io.verdict.valid := state === State.answer || state === State.report
  io.verdict.bits :=
    SpillAnswer(p, answered, found, status, job.serial, hit.entry, unexpected, removed)
  io.verdict.bits.latency := Verdict.clocks(io.now, op.accepted)

  private def answer(says: UInt, finds: Bool): Unit = {
    status := says
    found := finds
    state := State.answer
  }

  /** The part in memory has not answered: append, or say that nothing was there (R5, R6). */
  private def missed(): Unit = {
    when(op.appends) {
      unexpected := own
      state := State.append
    }.otherwise(answer(MatchRules.onMiss(command.opcode, room = false.B), false.B))
  }

  io.hit.ready := false.B
  io.stop := false.B
  io.deferred.ready := false.B
  io.visit.ready := false.B
  io.released.valid := false.B
  io.released.bits := endpoint
  private val visits = io.visit.valid && io.precedes && !io.failed && !io.discard
  private val takes = io.deferred.valid && !visits
  private val next = Mux(
    takes,
    Operation.endpoint(p, io.deferred.bits.operation),
    io.visit.bits
  )
  io.lists.read.endpoint := Mux(state === State.idle, next, endpoint)
  io.lists.read.unexpected := state =/= State.idle
  io.lists.write.valid := state === State.store || state === State.storeSecond
  io.lists.write.bits.at.endpoint := endpoint
  io.lists.write.bits.at.unexpected := state === State.storeSecond
  io.lists.write.bits.list := lists(state === State.storeSecond)
  io.lists.at.endpoint := endpoint
  io.lists.at.unexpected := unexpected
  io.lists.moved := refill.io.injected.valid && io.injected.bits
  io.lists.writeDone.valid := state === State.store && !visiting
  io.lists.writeDone.bits := done + 1.U

  switch(state) {
    is(State.idle) {
      job := io.deferred.bits
      endpoint := next
      visiting := !takes
      looking := io.looks
      again := false.B
      io.deferred.ready := !visits
      when(takes) {
        when(!io.discard)(state := State.first)
      }.elsewhen(io.visit.valid && !io.discard && !io.failed) {
        io.visit.ready := true.B
        state := State.first
      }
    }
    is(State.first) {
      lists(0) := io.lists.list
      done := io.lists.done
      state := State.second
    }
    is(State.second) {
      lists(1) := io.lists.list
      state := State.choose
    }
    is(State.choose) {
      unexpected := searchesMessages
      removed := job.removed
      ended := false.B
      when(visiting) {
        unexpected := !movable(0)
        when(io.failed || looking)(state := State.idle)
          .elsewhen(moves)(state := State.move)
          .elsewhen(lists.map(_.count === 0.U).reduce(_ && _))(state := State.release)
          .otherwise(state := State.idle)
      }.elsewhen(io.failed)(answer(Statuses.spillFailed.value.U, false.B))
        .elsewhen(flushes) {
          unexpected := false.B
          state := State.flush
        }
        .elsewhen(lists(searchesMessages).count =/= 0.U)(state := State.search)
        .otherwise(missed())
    }
    is(State.search)(when(io.range.fire)(state := State.searching))
    is(State.searching) {
      io.hit.ready := true.B
      hit := io.hit.bits
      when(io.hit.fire) {
        when(io.failed)(answer(Statuses.spillFailed.value.U, false.B))
          .elsewhen(io.hit.bits.found) {
            answer(MatchRules.onHit(command.opcode), true.B)
            when(op.takes)(state := State.take)
          }
          .otherwise(missed())
      }
    }
    is(State.take)(when(io.remove.ready)(state := State.answer))
    is(State.append) {
      when(io.append.ready || !fits) {
        answer(MatchRules.onMiss(command.opcode, fits && !io.refused), false.B)
      }
    }
    is(State.answer)(when(io.verdict.ready)(state := State.store))

    // A flush: both lists, all that its key selects (R14).
    is(State.flush) {
      when(list.count =/= 0.U)(state := State.sweep)
        .elsewhen(!unexpected)(unexpected := true.B)
        .otherwise(answer(Statuses.flushed.value.U, false.B))
    }
    is(State.sweep)(when(io.range.fire)(state := State.sweeping))
    is(State.sweeping) {
      io.hit.ready := true.B
      hit := io.hit.bits
      // A sweep that is given up is stopped, or its search would never come to rest (R14).
      io.stop := io.failed
      when(io.failed)(answer(Statuses.spillFailed.value.U, false.B))
        .elsewhen(io.hit.fire) {
          when(io.hit.bits.found) {
            answer(Statuses.removed.value.U, true.B)
            state := State.report
          }.elsewhen(!unexpected) {
            unexpected := true.B
            state := State.flush
          }.otherwise(answer(Statuses.flushed.value.U, false.B))
        }
    }
    is(State.report) {
      when(io.verdict.ready) {
        removed(unexpected) := removed(unexpected) + 1.U
        state := State.drop
      }
    }
    is(State.drop)(when(io.remove.ready)(state := State.sweeping))

    // Back to the tables: some of the oldest are injected, and those that found room leave.
    is(State.move)(when(io.range.fire)(state := State.moving))
    is(State.moving) {
      io.hit.ready := refill.io.hit.ready || !io.hit.bits.found
      when(io.hit.fire && !io.hit.bits.found)(ended := true.B)
      when(ended || refill.io.enough || io.failed) {
        io.stop := !ended
        state := State.settle
      }
    }
    is(State.settle) {
      when(refill.io.over) {
        again := refill.io.some && !io.failed
        state := State.store
      }
    }
    is(State.release)(when(io.inject.ready)(state := State.releasing))
    is(State.releasing) {
      when(io.injected.valid) {
        io.released.valid := io.injected.bits
        state := State.idle
      }
    }
    is(State.store)(state := State.storeSecond)
    is(State.storeSecond)(state := Mux(visiting && again, State.choose, State.idle))
  }
  io.lists.uses := state === State.first || state === State.second
  io.lists.usesDone := state === State.first
  io.works := state > State.choose || io.moving
  io.idle := state === State.idle && !io.deferred.valid
}
