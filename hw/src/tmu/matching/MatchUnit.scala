// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{is, switch, Decoupled, Valid}
import tmu.contract.{Opcodes, Statuses}
import tmu.params.TmuParams

/** A change or a question about an endpoint that comes from the registers, not from a command. */
class EndpointRequest(p: TmuParams) extends Bundle {
  val endpoint = UInt(p.endpointBits.W)
  val setQuota = Bool()
  val quotaPosted = UInt(32.W)
  val quotaUnexpected = UInt(32.W)
}

/** Live figures that the counters sample. */
class MatchActivity(p: TmuParams) extends Bundle {
  val busy = Bool()
  val accepted = Bool()
  val postedCount = UInt(p.depthBits.W)
  val unexpectedCount = UInt(p.depthBits.W)
  val postedVisited = Valid(UInt(p.depthBits.W))
  val unexpectedVisited = Valid(UInt(p.depthBits.W))
}

/** The two queues and the rule that connects them.
  *
  * One command at a time, from acceptance to verdict, so that search and append are one step (R5,
  * R6) and the order of acceptance is the order of the law (R7). A verdict follows each command; a
  * flush gives one for each entry that it removes and a last one with the counts (R14). A verdict
  * that is not taken holds the unit up; nothing is lost.
  */
class MatchUnit(p: TmuParams) extends Module {
  private val postedTable = TableParams.posted(p)
  private val unexpectedTable = TableParams.unexpected(p)

  val io = IO(new Bundle {
    val command = Flipped(Decoupled(new MatchCommand(p)))
    val verdict = Decoupled(new Verdict(p))
    val endpoint = Flipped(Decoupled(new EndpointRequest(p)))

    /** Answers an endpoint request: its state before the change. */
    val endpointState = Valid(new EndpointState(p))
    val ready = Output(Bool())
    val idle = Output(Bool())
    val activity = Output(new MatchActivity(p))
  })

  private object State extends ChiselEnum {
    val idle, configure, start, ask, await, append, finish, verdict = Value
  }
  private val state = RegInit(State.idle)

  private val posted = Module(new MatchQueue(p, postedTable))
  private val unexpected = Module(new MatchQueue(p, unexpectedTable))
  private val endpoints = Module(new EndpointTable(p))
  private val command = Reg(new MatchCommand(p))
  private val request = Reg(new EndpointRequest(p))
  private val endpointState = Reg(new EndpointState(p))
  private val verdict = Reg(new Verdict(p))
  private val clocks = Reg(UInt(16.W))
  private val removed = Reg(Vec(2, UInt(32.W)))

  // Which queue the running step works on; a flush does the posted one first.
  private val onUnexpected = Reg(Bool())
  private val opcode = command.opcode
  private val isFlush = MatchRules.is(opcode, Opcodes.flush)
  private val isInspect = MatchRules.is(opcode, Opcodes.inspect)
  private val isPost = MatchRules.is(opcode, Opcodes.post)

  private val asks = state === State.ask
  private val appending = state === State.append
  private val target = Mux(appending, !isPost, onUnexpected)

  private val entry = Wire(new Entry(p))
  entry.endpoint := command.endpoint(p.endpointBits - 1, 0)
  entry.key := command.key
  entry.ignore := command.ignore
  entry.handle := command.handle(p.handleBits - 1, 0)
  entry.address := command.address
  entry.length := command.length
  private val operation =
    Mux(appending, SearchOperation.append, MatchRules.operation(opcode))
  for ((queue, mine) <- Seq(posted -> !target, unexpected -> target)) {
    queue.io.request.valid := (asks || appending) && mine
    queue.io.request.bits.operation := operation
    queue.io.request.bits.entry := entry
    queue.io.request.bits.id := command.id
    queue.io.request.bits.position := command.position
  }
  private val asked = Mux(target, unexpected.io.request.fire, posted.io.request.fire)
  private val replied = Mux(onUnexpected, unexpected.io.reply.valid, posted.io.reply.valid)
  private val hit = Mux(onUnexpected, unexpected.io.reply.bits.hit, posted.io.reply.bits.hit)
  private val found = Mux(onUnexpected, unexpected.io.reply.bits.entry, posted.io.reply.bits.entry)

  private val room = Mux(
    isPost,
    MatchRules.room(
      endpointState.posted,
      endpointState.quotaPosted,
      posted.io.count,
      p.postedEntries
    ),
    MatchRules.room(
      endpointState.unexpected,
      endpointState.quotaUnexpected,
      unexpected.io.count,
      p.unexpectedEntries
    )
  )

  private val accepting = state === State.idle && endpoints.io.ready
  io.endpoint.ready := accepting
  io.command.ready := accepting && !io.endpoint.valid
  endpoints.io.read.valid := io.endpoint.fire || io.command.fire
  endpoints.io.read.bits :=
    Mux(
      io.endpoint.fire,
      io.endpoint.bits.endpoint,
      io.command.bits.endpoint(p.endpointBits - 1, 0)
    )
  endpoints.io.write.valid := false.B
  endpoints.io.write.bits.endpoint := command.endpoint(p.endpointBits - 1, 0)
  endpoints.io.write.bits.state := endpointState
  io.endpointState.valid := state === State.configure
  io.endpointState.bits := endpoints.io.state

  when(!clocks.andR)(clocks := clocks + 1.U)

  /** A verdict without effect on any queue. */
  private def refuse(status: Int): Unit = {
    verdict.status := status.U
    state := State.verdict
  }

  switch(state) {
    is(State.idle) {
      when(io.endpoint.fire) {
        request := io.endpoint.bits
        state := State.configure
      }.elsewhen(io.command.fire) {
        command := io.command.bits
        state := State.start
        clocks := 1.U
        removed.foreach(_ := 0.U)
        onUnexpected := MatchRules.searchesUnexpected(io.command.bits.opcode) ||
          (MatchRules.is(
            io.command.bits.opcode,
            Opcodes.inspect
          ) && io.command.bits.inspectUnexpected)
      }
    }
    is(State.configure) {
      endpoints.io.write.valid := request.setQuota
      endpoints.io.write.bits.endpoint := request.endpoint
      endpoints.io.write.bits.state := endpoints.io.state
      endpoints.io.write.bits.state.quotaPosted := request.quotaPosted
      endpoints.io.write.bits.state.quotaUnexpected := request.quotaUnexpected
      state := State.idle
    }
    is(State.start) {
      endpointState := endpoints.io.state
      verdict := 0.U.asTypeOf(verdict)
      verdict.page := command.page
      verdict.opcode := opcode
      verdict.endpoint := command.endpoint
      verdict.handle := command.handle
      verdict.stamp := command.stamp
      state := State.ask
      when(command.endpoint >= p.endpoints.U)(refuse(Statuses.refusedEndpoint.value))
      when(isInspect && !command.privileged)(refuse(Statuses.refusedPrivilege.value))
      when(command.malformed)(refuse(Statuses.malformed.value))
    }
    is(State.ask) {
      when(asked)(state := State.await)
    }
    is(State.await) {
      when(replied) {
        state := State.finish
        verdict.unexpected := onUnexpected && hit && (isFlush || isInspect)
        when(hit) {
          verdict.status := MatchRules.onHit(opcode)
          verdict.other := found.handle
          verdict.key := Mux(MatchRules.is(opcode, Opcodes.arrive), command.key, found.key)
          verdict.ignore := found.ignore
          when(isInspect)(verdict.endpoint := found.endpoint)
          verdict.address := found.address
          verdict.messageLength := Mux(onUnexpected, found.length, command.length)
          verdict.receiveLength := Mux(onUnexpected, command.length, found.length)
          // R12: the message still matches and consumes the receive.
          verdict.truncated := MatchRules.appends(opcode) &&
            Mux(onUnexpected, found.length > command.length, command.length > found.length)
          when(MatchRules.is(opcode, Opcodes.cancel) || isFlush || isInspect) {
            verdict.messageLength := Mux(onUnexpected, found.length, 0.U)
            verdict.receiveLength := Mux(onUnexpected, 0.U, found.length)
          }
          when(!MatchRules.is(opcode, Opcodes.probe) && !isInspect) {
            when(onUnexpected)(endpointState.unexpected := endpointState.unexpected - 1.U)
              .otherwise(endpointState.posted := endpointState.posted - 1.U)
          }
          when(isFlush)(removed(onUnexpected) := removed(onUnexpected) + 1.U)
        }.otherwise {
          verdict.status := MatchRules.onMiss(opcode, room)
          verdict.other := Mux(isFlush, removed.asUInt, 0.U)
          verdict.key := 0.U.asTypeOf(verdict.key)
          verdict.messageLength := 0.U
          verdict.receiveLength := 0.U
          verdict.address := 0.U
          when(MatchRules.appends(opcode) && room)(state := State.append)
          when(isFlush && !onUnexpected) {
            onUnexpected := true.B
            state := State.ask
          }
        }
      }
    }
    is(State.append) {
      when(asked) {
        when(isPost)(endpointState.posted := endpointState.posted + 1.U)
          .otherwise(endpointState.unexpected := endpointState.unexpected + 1.U)
        state := State.finish
      }
    }
    is(State.finish) {
      val counts = MatchRules.takesSerial(verdict.status)
      verdict.serial := Mux(counts, endpointState.serial, 0.U)
      endpointState.serial := endpointState.serial + counts
      endpoints.io.write.valid := !isInspect
      endpoints.io.write.bits.state.serial := endpointState.serial + counts
      state := State.verdict
    }
    is(State.verdict) {
      when(io.verdict.fire) {
        val more = isFlush && MatchRules.is(verdict.status, Statuses.removed)
        state := Mux(more, State.ask, State.idle)
      }
    }
  }

  io.verdict.valid := state === State.verdict
  io.verdict.bits := verdict
  io.verdict.bits.latency := clocks
  io.ready := endpoints.io.ready
  io.idle := state === State.idle && posted.io.idle && unexpected.io.idle

  io.activity.busy := state =/= State.idle
  io.activity.accepted := io.command.fire
  io.activity.postedCount := posted.io.count
  io.activity.unexpectedCount := unexpected.io.count
  io.activity.postedVisited.valid := posted.io.reply.valid
  io.activity.postedVisited.bits := posted.io.reply.bits.visited
  io.activity.unexpectedVisited.valid := unexpected.io.reply.valid
  io.activity.unexpectedVisited.bits := unexpected.io.reply.bits.visited

  assert(
    !(state === State.await && replied && hit && found.endpoint =/= entry.endpoint && !isInspect),
    "R13: endpoint %d got an entry of endpoint %d",
    command.endpoint,
    found.endpoint
  )
  assert(
    state =/= State.verdict ||
      (endpointState.posted <= posted.io.count && endpointState.unexpected <= unexpected.io.count),
    "R15: endpoint %d counts more entries than the tables hold",
    command.endpoint
  )
}
