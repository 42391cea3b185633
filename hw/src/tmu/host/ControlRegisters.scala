// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{log2Ceil, Cat, Decoupled, Valid}
import tmu.bus.AxiLite
import tmu.counters.CounterBank
import tmu.fault.{FaultPort, FaultView}
import tmu.params.{SpillParams, TmuParams}
import tmu.registers.{Counters, FaultStores, TmuRegisters}
import tmu.rules.MatchRules
import tmu.spill.SpillLookPort
import tmu.types.{EndpointRequest, EndpointState, FilterWindows}

/** The register file and what its registers do. */
class ControlRegisters(p: TmuParams) extends Module {
  private val spill = SpillParams(p)
  private val addressBits = log2Ceil(TmuRegisters.bytes)
  val io = IO(new Bundle {
    val axi = Flipped(new AxiLite(addressBits))
    val reset = Output(Bool())
    val snapshot = Output(Bool())
    val ready = Input(Bool())
    val idle = Input(Bool())
    val page = Decoupled(new PageConfig(p))
    val endpoint = Decoupled(new EndpointRequest(p))
    val endpointState = Flipped(Valid(new EndpointState(p)))
    val windows = Output(new FilterWindows(p))
    val patience = Output(UInt(32.W))

    /** A segment of memory for queues that outgrow the tables: bits 63..12 of its address. */
    val register = Valid(UInt(52.W))
    val segments = Input(UInt(p.segmentBits.W))
    val spareChunks = Input(UInt(p.spilledBits.W))

    /** Receives and messages in memory of the endpoint that is asked about. */
    val spilled = Input(Vec(2, UInt(p.spilledBits.W)))

    /** A look at queues in memory; registers wait for its end. */
    val look = Flipped(new SpillLookPort(spill))

    /** The counters as of the last snapshot; registers wait while a new one is made. */
    val counter = Output(UInt(CounterBank.indexBits.W))
    val counterValue = Input(UInt(CounterBank.width.W))
    val counting = Input(Bool())
    val error = Output(Bool())

    /** Bit to be flipped, and flipped bits that are seen. */
    val fault = Flipped(new FaultPort)
    val network = Option.when(p.hasNetwork)(new NetworkControl(p))

    /** Software's reset has come to the registers of the network. */
    val forget = Option.when(p.hasNetwork)(Input(Bool()))
  })

  private val map = TmuRegisters.map(p)
  private val port = Module(new AxiLitePort(addressBits))
  private val counters = Counters.all.flatMap(c => Seq(TmuRegisters.lo(c), TmuRegisters.hi(c)))
  private val ofNetwork =
    if (p.hasNetwork) map.registers.filter(_.offset >= map("WIRE_CONFIG").offset) else Nil
  private val file = Module(
    new RegisterFile(map, addressBits, counters.map(map(_)), forgotten = ofNetwork)
  )
  for ((file, forget) <- file.io.forget.zip(io.forget)) file := forget
  port.io.axi <> io.axi
  port.io.access.ready := !io.counting && !io.look.busy
  file.io.access.valid := port.io.access.fire
  file.io.access.bits := port.io.access.bits
  port.io.answer := file.io.answer
  io.error := file.io.answer.valid && file.io.answer.bits.error

  private val control = file.io.control
  private val trigger = file.io.trigger
  private val status = file.io.status
  private def bit(register: String, field: String): Int =
    map.field(register, field).low

  io.reset := trigger("CONTROL")(bit("CONTROL", "RESET"))
  io.snapshot := trigger("CONTROL")(bit("CONTROL", "SNAPSHOT"))
  status("STATUS") := Cat(io.idle, io.ready)

  // A page: checked and taken over at once, in force when `page` is taken.
  private val pagePending = RegInit(false.B)
  private val pageError = RegInit(false.B)
  private val page = Reg(new PageConfig(p))
  private val asked = PageCheck(p, map, control)
  when(trigger("PAGE_COMMIT").orR && !pagePending) {
    pagePending := asked.valid
    pageError := !asked.valid
    page := asked.bits
  }.elsewhen(io.page.fire || io.reset)(pagePending := false.B)
  io.page.valid := pagePending && io.ready
  io.page.bits := page
  status("PAGE_STATUS") := Cat(pageError, pagePending)

  io.patience := control("RING_PATIENCE")

  // An endpoint: quotas in, depths out.
  private val endpointPending = RegInit(false.B)
  private val endpointBusy = RegInit(false.B)
  private val endpointError = RegInit(false.B)
  private val request = Reg(new EndpointRequest(p))
  private val readsDepth = Reg(Bool())
  private val depths = Reg(Vec(2, UInt(32.W)))
  private val endpointInRange = MatchRules.isBelow(control("ENDPOINT_SELECT"), p.endpoints)
  when(trigger("ENDPOINT_COMMAND").orR && !endpointBusy) {
    endpointError := !endpointInRange
    endpointPending := endpointInRange
    endpointBusy := endpointInRange
    request.endpoint := control("ENDPOINT_SELECT")(p.endpointBits - 1, 0)
    readsDepth := trigger("ENDPOINT_COMMAND")(bit("ENDPOINT_COMMAND", "READ_DEPTH"))
    request.setQuota := trigger("ENDPOINT_COMMAND")(bit("ENDPOINT_COMMAND", "SET_QUOTA"))
    request.quotaPosted := control("QUOTA_POSTED")
    request.quotaUnexpected := control("QUOTA_UNEXPECTED")
    request.reservePosted := control("RESERVE_POSTED")
    request.reserveUnexpected := control("RESERVE_UNEXPECTED")
  }
  when(io.endpoint.fire)(endpointPending := false.B)
  when(io.endpointState.valid) {
    endpointBusy := false.B
    when(readsDepth) {
      depths(0) := io.endpointState.bits.posted +& io.spilled(0)
      depths(1) := io.endpointState.bits.unexpected +& io.spilled(1)
    }
  }
  when(io.reset) {
    endpointPending := false.B
    endpointBusy := false.B
  }
  // In the clock that clears the unit nobody would answer, and the request would stay busy (R14).
  io.endpoint.valid := endpointPending && io.ready
  io.endpoint.bits := request
  status("ENDPOINT_STATUS") := Cat(endpointError, endpointBusy)
  status("DEPTH_POSTED") := depths(0)
  status("DEPTH_UNEXPECTED") := depths(1)

  // Memory for queues that outgrow the tables.
  private val addsMemory = trigger("SPILL_COMMIT")(bit("SPILL_COMMIT", "ADD")) && io.ready
  private val registerError = RegInit(false.B)
  private val takesMore = io.segments =/= p.spillSegments.U
  when(addsMemory)(registerError := !takesMore).elsewhen(io.reset)(registerError := false.B)
  io.register.valid := addsMemory && takesMore
  io.register.bits := Cat(control("SPILL_BASE_HI"), control("SPILL_BASE_LO") >> 12)
  status("SPILL_STATUS") := Cat(registerError, io.segments.pad(8))
  status("SPILL_FREE") := io.spareChunks

  // View of a queue's list in memory.
  private val looks = trigger("SPILL_LOOK")(bit("SPILL_LOOK", "FETCH"))
  private val lookError = RegInit(false.B)
  private val shown = io.look.seen
  when(looks)(lookError := !endpointInRange)
  io.look.ask.valid := looks && endpointInRange
  io.look.ask.bits.endpoint := control("ENDPOINT_SELECT")(p.endpointBits - 1, 0)
  io.look.ask.bits.unexpected := control.field(map, "SPILL_SELECT", "UNEXPECTED")
  io.look.ask.bits.chunk := control.field(map, "SPILL_SELECT", "CHUNK")(spill.chunkBits - 1, 0)
  status("SPILL_STATE") := Cat(
    shown.chunk.brokenLive,
    shown.chunk.brokenNext,
    shown.failed,
    lookError,
    shown.resting && !lookError
  )
  status("SPILL_COUNT") := shown.count
  status("SPILL_HEAD") := shown.head
  status("SPILL_NEXT") := shown.chunk.next
  status("SPILL_LIVE_LO") := shown.chunk.live(31, 0)
  status("SPILL_LIVE_HI") := shown.chunk.live >> 32

  io.network.foreach { network =>
    NetworkControl.connect(file, map, io.reset, network)
    network.send.foreach(SendControl.connect(p, file, map, io.reset, _))
  }

  // Flipped bits.
  private val injected = trigger("FAULT_INJECT")(bit("FAULT_INJECT", "FLIP"))
  private val seen = RegInit(0.U.asTypeOf(new FaultView))
  private val view = io.fault.view
  io.fault.flip.valid := RegNext(injected, false.B)
  io.fault.flip.bits.store := RegNext(control.field(map, "FAULT_SELECT", "PLACE"))
  io.fault.flip.bits.bit := RegNext(control.field(map, "FAULT_SELECT", "BIT"))
  seen.seen := seen.seen | view.seen
  when(view.flipped)(seen.flipped := true.B).elsewhen(injected) {
    seen.flipped := false.B
    seen.bits := 0.U
  }
  // Until a reset is over the unit may still meet what it had before.
  when(io.reset || !io.ready)(seen := FaultView.none)
  when(view.bits =/= 0.U)(seen.bits := view.bits)
  status("FAULT_STATUS") := Cat(seen.flipped, seen.bits, seen.seen(FaultStores.firstBits - 1, 0))
  status("FAULT_MORE") := seen.seen >> FaultStores.firstBits

  // Windows of filter ids: the unit takes them over when nothing depends on the old ones.
  private def pair(high: String, low: String): UInt =
    Cat(control(high), control(low))(p.matchBits - 1, 0)
  io.windows.source := control("FILTER_SOURCE")(p.sourceBits - 1, 0)
  io.windows.low := pair("FILTER_LOW_HI", "FILTER_LOW_LO")
  io.windows.high := pair("FILTER_HIGH_HI", "FILTER_HIGH_LO")

  file.io.bank.foreach { bank =>
    io.counter := bank.index >> 1
    bank.word := Mux(bank.index(0), io.counterValue >> 32, io.counterValue(31, 0))
  }
}
