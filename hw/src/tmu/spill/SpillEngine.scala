// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{is, switch}
import tmu.layout.Statuses
import tmu.params.SpillParams
import tmu.rules.MatchRules

/** Answers deferred commands, one after the other in their order, and moves entries back to the
  * tables when nothing is deferred, or in between when it is told to.
  *
  * A deferred command has searched the table; what is left is to search the part in memory, and to
  * append there (R5, R6). Nothing of its endpoint has gone to the table since, so this is the
  * command's position in the order of the law (R7): commands behind it that found something on chip
  * found what is older than all that is done here.
  */
class SpillEngine(s: SpillParams) extends SpillEngineParts(s) {
  switch(state) {
    is(State.idle) {
      job := io.deferred.bits
      endpoint := nextEndpoint
      visiting := !takes
      looking := io.looks
      goesOn := false.B
      packed := false.B
      stuck := false.B
      retried := false.B
      borrows := false.B
      io.deferred.ready := !services
      when(takes) {
        when(!io.discard)(state := State.first)
      }.elsewhen(io.service.valid && !io.discard && !io.failed && !held) {
        io.service.ready := true.B
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
      removed := job.removed
      state := State.choose
    }
    is(State.choose) {
      unexpected := searchesMessages && !flushes
      ended := false.B
      when(visiting) {
        unexpected := !movable(0)
        when(io.failed || looking)(state := State.idle)
          .elsewhen(moves)(state := State.move)
          .elsewhen(lists.map(_.count === 0.U).reduce(_ && _))(state := State.release)
          .otherwise(state := State.idle)
      }.elsewhen(io.failed)(answer(Statuses.spillFailed.value.U, false.B))
        .elsewhen(held && !retried)(state := State.retry)
        .elsewhen(flushes)(state := State.flush)
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
      // No chunk: chunks become fewer; then the table takes what is older, or else this one, if it
      // has room, and only if neither helps there is none (R11).
      when(io.append.ready && io.refused) {
        when(!packed)(state := State.keep)
          .elsewhen(!held)(state := State.fence)
          .elsewhen(list.count === 0.U)(state := State.insert)
          .elsewhen(!stuck) {
            stuck := true.B
            borrows := true.B
            ended := false.B
            state := State.move
          }
          .otherwise(io.exhausted := true.B)
      }
    }
    is(State.keep)(state := State.keepSecond)
    is(State.keepSecond)(state := State.pack)
    is(State.pack) {
      packed := true.B
      when(io.packed)(state := State.reload)
    }
    is(State.reload)(state := State.again)
    is(State.again) {
      lists(0) := io.lists.list
      state := State.againSecond
    }
    is(State.againSecond) {
      lists(1) := io.lists.list
      state := State.rest
    }
    is(State.rest) {
      state := State.append
      when(io.failed)(answer(Statuses.spillFailed.value.U, false.B))
    }
    is(State.fence)(when(io.inject.ready)(state := State.fencing))
    is(State.fencing)(when(io.injected.valid)(state := State.append))
    is(State.insert)(when(io.inject.ready)(state := State.inserting))
    is(State.inserting) {
      assert(!found, "R5: a deferred command found what it had not found before")
      when(io.injected.valid) {
        io.exhausted := !comes
        answer(MatchRules.onMiss(command.opcode, comes), false.B)
      }
    }

    // While others are held, a command searches its table once more; a flush takes all from there.
    is(State.retry)(when(io.inject.ready)(state := State.retrying))
    is(State.retrying) {
      when(io.injected.valid) {
        hit.entry := io.injected.bits.entry
        state := State.choose
        when(found) {
          answer(MatchRules.onHit(command.opcode), true.B)
          when(flushes)(state := State.report)
        }.elsewhen(flushes && !unexpected) {
          unexpected := true.B
          state := State.retry
        }.otherwise(retried := true.B)
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
        state := Mux(held && !retried, State.retry, State.drop)
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
      when(io.remove.fire)(stuck := false.B)
      when(refill.io.over) {
        goesOn := refill.io.some && !io.failed
        state := Mux(borrows, State.rest, State.store)
        borrows := false.B
      }
    }
    is(State.release)(when(io.inject.ready)(state := State.releasing))
    is(State.releasing) {
      when(io.injected.valid) {
        io.released.valid := io.injected.bits.done
        state := State.idle
      }
    }
    is(State.store)(state := State.storeSecond)
    is(State.storeSecond)(state := Mux(visiting && goesOn, State.choose, State.idle))
  }
}
