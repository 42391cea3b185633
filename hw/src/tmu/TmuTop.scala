// SPDX-License-Identifier: Apache-2.0
package tmu

import chisel3._
import chisel3.util.{log2Ceil, Arbiter}
import tmu.bus.{Axi, AxiLite, AxiWrite}
import tmu.counters.{CounterBank, PageCounters}
import tmu.fault.{FaultGate, FaultPort}
import tmu.host.{
  CommandDecoder,
  CompletionWriter,
  ControlRegisters,
  DoorbellPort,
  NetworkArrivals,
  NetworkPorts,
  PageCommit,
  PageTable,
  ResetSequencer,
  SendSplit,
  SubmissionQueues,
  VerdictOrder
}
import tmu.layout.DoorbellLayout
import tmu.matching.MatchUnit
import tmu.params.TmuParams
import tmu.registers.TmuRegisters
import tmu.spill.{NoSpill, Spill}
import tmu.types.Verdict

/** Ports of the unit: what a shell connects. One clock, synchronous reset, active high. */
class TmuPorts(p: TmuParams) extends Bundle {

  /** Registers. */
  val s_axil = Flipped(new AxiLite(log2Ceil(TmuRegisters.bytes)))

  /** Doorbell pages. */
  val s_axi = Flipped(new Axi(p.doorbellAddressBits, 512, DoorbellPort.idBits))

  /** Completions into host memory. */
  val m_axi = new AxiWrite(64, 512, 1)

  /** Queues that continue in memory: in segments that software registers. */
  val m_axi_mem = new Axi(64, 512, 1)
}

/** The whole unit: wiring only.
  *
  * Doorbell, submission queues, decoder, matching unit, order of verdicts, completion writer, in
  * this order; registers, counters and the pages' rings beside it.
  */
class TmuTop(p: TmuParams) extends Module {
  val io = FlatIO(new TmuPorts(p))

  /** To the stages of a card, where there are any. */
  val network = Option.when(p.hasNetwork)(IO(new NetworkPorts(p)))

  private val registers = Module(new ControlRegisters(p))
  private val sequencer = Module(new ResetSequencer)
  private val doorbell = Module(new DoorbellPort(p))
  private val decoder = Module(new CommandDecoder(p))
  private val writer = Module(new CompletionWriter(p))
  private val pageCounters = Module(new PageCounters(DoorbellLayout.snapshotClocks))

  // The parts that software's reset clears.
  private val cleared = reset.asBool || sequencer.io.clear
  private val pages = withReset(cleared)(Module(new PageTable(p)))
  private val commit = withReset(cleared)(Module(new PageCommit(p)))
  private val queues = withReset(cleared)(Module(new SubmissionQueues(p)))
  private val unit = withReset(cleared)(Module(new MatchUnit(p)))
  private val verdicts = withReset(cleared)(Module(new VerdictOrder(p)))
  private val spill = withReset(cleared)(
    Module(if (p.hasSpill) new Spill(p) else new NoSpill(p))
  )
  private val gate = withReset(cleared)(Module(new FaultGate(p, unit.io.raised.size + 1)))
  private val counters = withReset(cleared)(Module(new CounterBank(p)))

  private val now = RegInit(0.U(32.W))
  now := now + 1.U

  registers.io.axi <> io.s_axil
  doorbell.io.axi <> io.s_axi
  io.m_axi <> writer.io.axi

  doorbell.io.now := now
  queues.io.command := doorbell.io.command
  queues.io.discard := sequencer.io.discard
  queues.io.room := pages.io.room
  queues.io.limited := pages.io.limited
  pages.io.roomRead := queues.io.roomRead
  private val sends = network.flatMap(_.send).map { ports =>
    ports -> SendSplit(p, queues.io.out, ports, pages, sequencer.io.discard)
  }
  decoder.io.in <> sends.fold(queues.io.out)(_._2.io.out)
  decoder.io.discard := sequencer.io.discard
  queues.io.memory <> spill.io.turns
  for ((ports, _) <- sends) queues.io.memory.scarce := spill.io.turns.scarce || ports.scarce
  queues.io.ended.valid := RegNext(writer.io.moved.valid, false.B)
  queues.io.ended.bits := RegNext(writer.io.moved.bits.page)
  unit.io.windows := registers.io.windows
  verdicts.io.in <> unit.io.verdicts

  // On a card messages are from the wire (W8).
  private val arrivals = network.fold(decoder.io.arrival) { ports =>
    NetworkArrivals(decoder.io.arrival, ports.arrival, cleared)
  }

  // Injected commands go before the host's, and verdicts of memory before the others: memory is
  // slower than both.
  private val injected = spill.io.inject
  private val streams = Seq(
    (unit.io.post, decoder.io.post, !injected.bits.withArrivals),
    (unit.io.arrival, arrivals, injected.bits.withArrivals)
  )
  for ((stream, host, takes) <- streams) {
    stream.valid := Mux(injected.valid, takes, host.valid && !spill.io.holds)
    stream.bits := Mux(injected.valid, injected.bits.command, host.bits)
    host.ready := stream.ready && !injected.valid && !spill.io.holds
  }
  injected.ready := Mux(injected.bits.withArrivals, unit.io.arrival.ready, unit.io.post.ready)
  private val answered = Module(new Arbiter(new Verdict(p), 2))
  answered.io.in(0) <> spill.io.verdict
  answered.io.in(1) <> verdicts.io.out
  gate.io.raised := VecInit(unit.io.raised :+ spill.io.raised)
  gate.io.everyone := unit.io.everyone
  gate.io.in <> answered.io.out
  writer.io.verdict <> network.fold(gate.io.out) { ports =>
    ports.verdict <> gate.io.out
    ports.completion
  }
  FaultPort.join(registers.io.fault, Seq(unit.io.fault, spill.io.fault))

  for ((ports, control) <- network.zip(registers.io.network)) {
    ports.control <> control
    registers.io.forget.foreach(_ := sequencer.io.clear)
    ports.now := now
    ports.discard := sequencer.io.discard
    ports.clear := sequencer.io.clear
  }

  io.m_axi_mem <> spill.io.axi
  spill.io.unit <> unit.io.spill
  spill.io.windows := registers.io.windows
  spill.io.discard := sequencer.io.discard
  spill.io.register := registers.io.register
  spill.io.endpoint := registers.io.endpoint.bits.endpoint
  registers.io.segments := spill.io.segments
  registers.io.spareChunks := spill.io.spare
  writer.io.now := now
  writer.io.ring := pages.io.ring
  writer.io.configured := commit.io.change.valid
  writer.io.patience := registers.io.patience
  writer.io.discard := RegNext(sequencer.io.discard, false.B)

  pages.io.ringRead := writer.io.ringRead
  pages.io.moved := writer.io.moved
  pages.io.still := commit.io.still
  // A consumer index may be a clock late, and the path from the doorbell is long.
  pages.io.consumer.valid := RegNext(doorbell.io.consumer.valid, false.B)
  pages.io.consumer.bits := RegNext(doorbell.io.consumer.bits)

  // A page is configured while doorbell, queues and writer hold still.
  commit.io.configure <> registers.io.page
  commit.io.disable <> writer.io.disable
  commit.io.moving := pages.io.moving || queues.io.moving
  commit.io.drained := queues.io.drained
  commit.io.fenced := writer.io.fenced
  pages.io.change := commit.io.change
  queues.io.change := commit.io.change
  queues.io.hold := commit.io.hold
  queues.io.still := commit.io.still
  queues.io.holdPage := registers.io.page.bits.page
  doorbell.io.hold := commit.io.hold
  writer.io.hold := commit.io.hold
  writer.io.fence := commit.io.configured

  unit.io.endpoint <> registers.io.endpoint
  registers.io.endpointState := unit.io.endpointState
  registers.io.spilled := spill.io.depths
  spill.io.look <> registers.io.look

  private val idle =
    unit.io.idle && writer.io.idle && decoder.io.idle && queues.io.idle && spill.io.idle &&
      gate.io.idle && network.fold(true.B)(_.idle) &&
      sends.fold(true.B) { case (ports, split) => ports.idle && split.io.idle }
  sequencer.io.request := registers.io.reset
  // Commands that still wait are dropped, so that no page can put a reset off (R13).
  sequencer.io.drained :=
    unit.io.idle && gate.io.idle && writer.io.idle && decoder.io.taken && spill.io.idle &&
      network.fold(true.B)(_.idle)
  sequencer.io.swept := unit.io.ready && commit.io.ready && spill.io.ready && gate.io.ready
  registers.io.ready := sequencer.io.ready
  registers.io.idle := idle

  private val events = counters.io.events
  counters.io.snapshot := registers.io.snapshot
  counters.io.index := registers.io.counter
  registers.io.counterValue := counters.io.value
  registers.io.counting := counters.io.busy
  events.verdict.valid := gate.io.out.fire
  events.verdict.bits := gate.io.out.bits
  events.activity := unit.io.activity
  events.spill := spill.io.activity
  events.spilled := spill.io.totals
  events.command := decoder.io.stream
  events.completion := writer.io.stream
  events.doorbellErrors := doorbell.io.errors
  events.disabledDrop := queues.io.dropped
  events.queueOverrun := queues.io.overrun
  events.completionError := writer.io.error
  events.registerError := registers.io.error
  events.ringOverrun := writer.io.disable.fire
  pageCounters.io.round := counters.io.round
  pageCounters.io.clear := sequencer.io.clear
  pageCounters.io.ask := doorbell.io.ask
  doorbell.io.look <> pageCounters.io.look
}
