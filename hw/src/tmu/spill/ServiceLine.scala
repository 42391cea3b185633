// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, Log2, Valid}
import tmu.buffer.{BlockQueue, Sweep}
import tmu.params.{SpillParams, TmuParams}

/** Which endpoint with something in memory is served next, so that what has room returns to its
  * tables.
  *
  * An endpoint stands in line once, from its first command that is deferred on; one that was
  * released meanwhile leaves the line at its turn. The head's commands are held while a refill is
  * due, but not for long while others' are answered: then it goes to the end of the line (R13).
  */
class ServiceLine(p: TmuParams) extends Module {
  private val s = SpillParams(p)
  private def endpoint = UInt(p.endpointBits.W)
  val io = IO(new Bundle {
    val ready = Output(Bool())

    /** A command of an endpoint is deferred; an endpoint has nothing in memory any more. Never both
      * in a clock.
      */
    val deferred = Flipped(Valid(endpoint))
    val released = Flipped(Valid(endpoint))

    /** The engine answers a command, or moves entries, of this endpoint; how many of its deferred
      * commands have been answered, when that changes.
      */
    val works = Input(Bool())
    val moving = Input(Bool())
    val worksFor = Input(endpoint)
    val answered = Flipped(Valid(UInt(s.deferralBits.W)))

    /** Deferred commands wait; one of them begins. */
    val waits = Input(Bool())
    val begins = Input(Bool())

    /** A refill goes before commands. */
    val refillDue = Input(Bool())
    val service = Decoupled(endpoint)

    /** Endpoints in line. */
    val length = Output(UInt(log2Ceil(ServiceLine.entries(p) + 1).W))

    /** An endpoint; in the same clock, whether it has something in memory, and whether its commands
      * are held, as some endpoint's are if `holds`.
      */
    val asked = Input(endpoint)
    val spilling = Output(Bool())
    val holds = Output(Bool())
    val held = Output(Bool())
  })
  private val sweep = Module(new Sweep(p.endpoints))
  io.ready := sweep.io.ready
  private val marks, lineMember = Mem(p.endpoints, Bool())
  private val line = Module(new BlockQueue(endpoint, ServiceLine.entries(p)))
  private val deferralStarts = io.deferred.valid
  private val deferralOf = io.deferred.bits
  private val released = io.released
  when(!sweep.io.ready || deferralStarts || released.valid) {
    marks.write(
      Mux(!sweep.io.ready, sweep.io.index, Mux(deferralStarts, deferralOf, released.bits)),
      sweep.io.ready && deferralStarts
    )
  }
  assert(
    !deferralStarts || !released.valid,
    "R7: a command is deferred while an endpoint is released"
  )
  io.spilling := marks.read(io.asked)

  // Commands of each endpoint that were deferred, and those of them that have been answered: marks and
  // lists count them too, and are asked by others in every clock.
  private val deferrals, deferralsAnswered = Mem(p.endpoints, UInt(s.deferralBits.W))
  private val deferralStarted = RegNext(deferralStarts, false.B)
  private val deferralStartedOf = RegNext(deferralOf)
  when(!sweep.io.ready || deferralStarted) {
    deferrals.write(
      Mux(sweep.io.ready, deferralStartedOf, sweep.io.index),
      Mux(sweep.io.ready, deferrals.read(deferralStartedOf) + 1.U, 0.U)
    )
  }
  when(!sweep.io.ready || io.answered.valid) {
    deferralsAnswered.write(
      Mux(sweep.io.ready, io.worksFor, sweep.io.index),
      Mux(sweep.io.ready, io.answered.bits, 0.U)
    )
  }

  // The head's mark is read a clock ahead, for it is a long path from the line and back; it counts
  // unless head or marks have changed since.
  private val lineHead = line.io.deq
  private val headStable =
    lineHead.valid && !lineHead.ready && !deferralStarts && !deferralStarted && !released.valid
  private val headKnown = RegNext(headStable, false.B)
  private val headMarked = RegNext(marks.read(lineHead.bits))
  private val headSettled = RegNext(
    deferrals.read(lineHead.bits) === deferralsAnswered.read(lineHead.bits)
  )

  // The endpoint that was served, about to join the line again.
  private val lineReturning = RegInit(0.U.asTypeOf(Valid(endpoint)))
  private val lineJoins = deferralStarts && !lineMember.read(deferralOf)
  private val lineLeaves = headKnown && !headMarked && !deferralStarts

  // A round takes a clock for each endpoint that there is, or software that asks one operation at a
  // time would wait for a batch each time; nothing waits for a service while a table has run low.
  private val servicePause = RegInit(0.U((p.endpointBits + 1).W))
  private val servicePossible = headKnown && headMarked && !lineReturning.valid && !deferralStarts
  private val serviceIdle = servicePause === 0.U && !io.waits
  // While a table has run low, services and commands take turns.
  private val serviceLast = RegInit(false.B)
  private val serviceRefills = io.refillDue && headSettled && !(serviceLast && io.waits)
  io.service.valid := servicePossible && (serviceRefills || serviceIdle)
  io.service.bits := lineHead.bits
  when(io.begins)(serviceLast := false.B)
  when(io.service.fire)(serviceLast := true.B)

  private val holdEndpoint = Reg(endpoint)
  private val holdClocks = RegInit(0.U(SpillParams.patienceBits.W))
  private val holdOthers = io.works && io.worksFor =/= holdEndpoint
  private val lineSkips = servicePossible && io.refillDue && holdClocks.andR && !io.service.fire
  when(lineHead.valid)(holdEndpoint := lineHead.bits)
  when(!io.refillDue || lineHead.fire)(holdClocks := 0.U)
    .elsewhen(holdOthers && !holdClocks.andR)(holdClocks := holdClocks + 1.U)
  private val holdNext = RegNext(io.refillDue && io.length =/= 0.U, false.B)
  private val holdMoving = RegNext(io.moving, false.B)
  private val holdMovingOf = RegNext(io.worksFor)
  io.holds := holdNext || holdMoving
  io.held := (holdNext && io.asked === holdEndpoint) || (holdMoving && io.asked === holdMovingOf)

  lineHead.ready := io.service.fire || lineSkips || lineLeaves
  when(!sweep.io.ready || lineJoins || lineLeaves) {
    lineMember.write(
      Mux(!sweep.io.ready, sweep.io.index, Mux(lineJoins, deferralOf, lineHead.bits)),
      sweep.io.ready && lineJoins
    )
  }
  line.io.enq.valid := lineJoins || lineReturning.valid
  line.io.enq.bits := Mux(lineJoins, deferralOf, lineReturning.bits)
  io.length := line.io.count + lineReturning.valid
  when(servicePause =/= 0.U)(servicePause := servicePause - 1.U)
  when(!lineJoins)(lineReturning.valid := false.B)
  when(io.service.fire)(servicePause := p.endpoints.U >> Log2(line.io.count))
  when(io.service.fire || lineSkips) {
    lineReturning.valid := true.B
    lineReturning.bits := lineHead.bits
  }
  assert(!line.io.enq.valid || line.io.enq.ready, "R13: an endpoint stands in line twice")
}

object ServiceLine {

  /** Every endpoint may stand in line. */
  def entries(p: TmuParams): Int = math.max(3, p.endpoints)
}
