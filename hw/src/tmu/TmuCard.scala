// SPDX-License-Identifier: Apache-2.0
package tmu

import chisel3._
import chisel3.util.{log2Ceil, PopCount}
import tmu.bus.{Axi, AxiLite, AxiStream}
import tmu.card.answer.AnswerBuilder
import tmu.card.complete.{MessageCompletions, UnitArrival}
import tmu.card.frame.{
  Beat,
  FrameCounters,
  FrameGate,
  FrameMerge,
  FrameParser,
  OwnAddress,
  SendEvents
}
import tmu.card.memory.WriteJoin
import tmu.card.message.{ArrivalKind, MessagePacket, MessageParams, MessageStage}
import tmu.card.pdc.{PdcParams, PdcStage, ResponseStore}
import tmu.card.placement.{Placement, PlacementParams}
import tmu.card.pool.{PoolCopy, PoolTable}
import tmu.card.send.SendPath
import tmu.card.wire.WireSettings
import tmu.host.{DoorbellPort, NetworkSends, SendControl}
import tmu.params.TmuParams
import tmu.registers.TmuRegisters

/** Ports of the card. One clock, synchronous reset, active high. */
class CardPorts(p: TmuParams) extends Bundle {
  val s_axil = Flipped(new AxiLite(log2Ceil(TmuRegisters.bytes)))
  val s_axi = Flipped(new Axi(p.doorbellAddressBits, 512, DoorbellPort.idBits))

  /** Host memory: payload and completions; reads of the pool. */
  val m_axi = new Axi(64, 512, 2)

  /** Queues that continue in memory. */
  val m_axi_mem = new Axi(64, 512, 1)

  /** Ethernet, without check sequences; `tuser` of a last beat: a bad frame. */
  val s_axis_rx = Flipped(new AxiStream(Beat.dataBits, 1))
  val m_axis_tx = new AxiStream(Beat.dataBits, 1)
}

/** A network card around the unit: wiring only.
  *
  * Frames, connections, messages, the unit, placement, completions, in this order; answers go back.
  */
class TmuCard(p: TmuParams) extends Module {
  require(p.hasNetwork, s"preset ${p.name} has no network side")
  require(
    !p.hasSpill,
    s"preset ${p.name} has ${p.spillSegments} spillSegments; its card takes none yet"
  )
  require(
    p.matchBits == 64 && p.sourceBits == 32 && p.addressBits == 64 && p.lengthBits >= 32 &&
      p.handleBits == 64,
    s"preset ${p.name} is narrower than messages of the wire"
  )
  val io = FlatIO(new CardPorts(p))
  private val m = MessageParams(
    endpointBits = p.endpointBits,
    messages = p.messages,
    names = p.wireNames
  )
  private val pl = PlacementParams(messages = p.messages)
  private val unit = Module(new TmuTop(p))
  private val network = unit.network.get
  private val control = network.control
  private val memory = Module(new WriteJoin(3))
  private val gate = Module(new FrameGate)

  // Software's reset clears the stages when nothing is inside.
  private val cleared = reset.asBool || network.clear
  private def stage[T <: Module](of: => T): T = withReset(cleared)(Module(of))
  private val parser = stage(new FrameParser)
  private val own = stage(new OwnAddress)
  private val counters = stage(new FrameCounters(p.hasSend))
  private val connections = stage(new PdcStage(PdcParams(p.pdcs), remembers = true))
  private val messages = stage(new MessageStage(m, pl))
  private val placement = stage(new Placement(pl))
  private val completions = stage(new MessageCompletions(p, m, pl))
  private val pools = stage(new PoolTable(p.endpoints, p.endpointBits, askers = 2))
  private val copy = stage(new PoolCopy(pl, idBits = if (p.hasSend) 1 else 2))
  private val answers = stage(new AnswerBuilder)
  private val responses = stage(new ResponseStore(PdcParams(p.pdcs)))
  private val sends = Option.when(p.hasSend)(stage(new SendPath(p)))

  io.s_axil <> unit.io.s_axil
  io.s_axi <> unit.io.s_axi
  io.m_axi_mem <> unit.io.m_axi_mem
  memory.io.in(0) <> unit.io.m_axi
  memory.io.in(1) <> placement.io.axi
  memory.io.in(2) <> copy.io.write
  private val read = sends.fold(copy.io.read)(_.io.read)
  for (half <- Seq(memory.io.out, read); (name, signal) <- half.elements)
    io.m_axi.elements(name) <> signal

  private val settings = Wire(new WireSettings)
  settings.udpPort := control.udpPort
  settings.native := control.native
  settings.nativeProtocol := control.nativeProtocol
  settings.crc := control.crc
  settings.crcBigEndian := control.crcBigEndian

  gate.io.in <> io.s_axis_rx
  gate.io.stop := network.discard || !control.enable
  parser.io.stream <> sends.fold(gate.io.out) { path =>
    val merge = stage(new FrameMerge)
    merge.io.in(0) <> gate.io.out
    merge.io.in(1) <> path.io.own
    merge.io.out
  }
  parser.io.settings := settings
  placement.io.payload.valid := parser.io.payload.valid
  placement.io.payload.bits := parser.io.payload.bits.data
  parser.io.payload.ready := placement.io.payload.ready
  own.io.ipv6 := control.ipv6
  own.io.address := control.address
  own.io.in <> parser.io.record
  connections.cardReset.foreach(_ := reset.asBool)
  connections.io.record <> sends.fold(own.io.out)(_.io.out)
  connections.io.messageRoom := messages.io.room
  counters.io.frame := own.io.counted
  counters.io.packet := connections.io.counted
  for ((beat, kind) <- counters.io.beats.take(3).zipWithIndex)
    beat := memory.io.beat.valid && memory.io.beat.bits === kind.U
  counters.io.beats(3) := copy.io.read.rvalid && copy.io.read.rready
  counters.io.select := control.countSelect
  control.count := counters.io.count

  messages.io.packet.valid := connections.io.out.valid
  messages.io.packet.bits := MessagePacket.of(connections.io.out.bits)
  connections.io.out.ready := messages.io.packet.ready
  messages.io.settings.payloadMtu := control.payloadMtu
  messages.io.settings.idle := TmuCard.idlePeriod.U
  messages.io.settings.limit := 1.U << control.poolLog2
  private val change = messages.io.change
  change.valid := control.change.valid
  control.change.ready := change.ready
  change.bits.level := control.change.bits.level
  change.bits.remove := control.change.bits.remove
  change.bits.name.relative := control.change.bits.relative
  change.bits.name.job := control.change.bits.job
  change.bits.name.pid := control.change.bits.pid
  change.bits.name.index := control.change.bits.index
  change.bits.entry.endpoint := control.change.bits.endpoint
  // Without a pool it has no room for what is unexpected.
  change.bits.entry.enabled := control.change.bits.enabled &&
    pools.io.there(control.change.bits.endpoint(p.endpointBits - 1, 0))
  change.bits.entry.usesGeneration := control.change.bits.usesGeneration
  change.bits.entry.generation := control.change.bits.generation
  control.changed := messages.io.changed

  private val arrival = messages.io.arrival
  network.arrival.valid := arrival.valid
  network.arrival.bits := UnitArrival(
    p,
    arrival.bits,
    pools.io.base(0) + (arrival.bits.message << control.poolLog2),
    network.now
  )
  arrival.ready := network.arrival.ready
  pools.io.register.valid := control.pool.valid
  pools.io.register.bits.endpoint := control.pool.bits
  pools.io.register.bits.base := control.poolBase
  messages.io.pool.valid := control.pool.valid
  messages.io.pool.bits := control.pool.bits
  pools.io.endpoint := VecInit(arrival.bits.endpoint, completions.io.endpoint)
  completions.io.begun.valid := arrival.fire
  completions.io.begun.bits := arrival.bits
  completions.io.poolBase := pools.io.base(1)
  completions.io.poolLog2 := control.poolLog2
  completions.io.verdict <> network.verdict
  network.completion <> sends.fold(completions.io.completion)(_.io.completion)
  completions.io.release.valid := control.release.valid
  completions.io.release.bits := control.release.bits
  messages.io.say := completions.io.say
  messages.io.told <> completions.io.told

  placement.io.order <> messages.io.order
  placement.io.destination.valid := completions.io.destination.valid
  placement.io.destination.bits := completions.io.destination.bits
  completions.io.placed <> placement.io.placed
  copy.io.job <> completions.io.job
  completions.io.moved <> copy.io.done

  responses.io.events := connections.io.events
  connections.io.responseRoom := responses.io.room
  responses.io.answer <> connections.io.answer
  responses.io.handled <> messages.io.answer
  answers.io.request <> responses.io.out
  answers.io.settings := settings
  answers.io.dscp := control.dscp
  io.m_axis_tx <> sends.fold(answers.io.stream)(_.io.stream)
  for (path <- sends; ports <- network.send; control <- network.control.send)
    connect(path, ports, control)

  // Nothing has been seen between two stages for longer than any of them takes.
  private val moves = Seq(
    gate.io.moves,
    parser.io.payload.valid,
    parser.io.record.valid,
    own.io.out.valid,
    connections.io.out.valid,
    !responses.io.idle,
    answers.io.stream.tvalid,
    !messages.io.idle,
    !placement.io.idle,
    !copy.io.idle,
    !completions.io.idle
  ).++(sends.map(!_.io.still)).reduce(_ || _)
  private val quiet = RegInit(0.U(7.W))
  quiet := Mux(moves, 0.U, Mux(quiet.andR, quiet, quiet + 1.U))
  network.idle := quiet.andR && !moves

  private def connect(path: SendPath, ports: NetworkSends, control: SendControl): Unit = {
    path.io.record <> own.io.out
    path.io.request := ports.request
    ports.scarce := path.io.scarce
    path.io.asks := ports.asks
    ports.registered := path.io.registered
    ports.idle := path.io.idle
    path.io.verdict <> completions.io.completion
    path.io.control <> control
    path.io.wire := settings
    path.io.ipv6 := network.control.ipv6
    path.io.address := network.control.address
    path.io.payloadMtu := network.control.payloadMtu
    path.io.now := network.now
    path.io.answers <> answers.io.stream
    path.io.moves <> copy.io.read
    path.io.stop := network.discard
    path.io.enable := network.control.enable
    counters.io.send.foreach(_ := events(path))
  }

  private def events(path: SendPath): SendEvents = {
    val made = Wire(new SendEvents)
    val (counts, said) = (path.io.counts, completions.io.say)
    val takes =
      said.bits.kind === ArrivalKind.expected.U || said.bits.kind === ArrivalKind.unexpected.U
    made.ignored := VecInit(counts.ignored, counts.foreign)
    val counted = Seq[UInt](
      counts.taken,
      PopCount(path.io.framesSent),
      counts.again,
      counts.timeout,
      said.valid && takes,
      (said.valid && !takes) +& messages.io.refuses,
      PopCount(path.io.framesLost)
    )
    for ((to, from) <- made.counted.zip(counted)) to := from
    made
  }
}

object TmuCard {

  /** Clocks: a message that stops coming ends after 5 to 7.5 s at 250 MHz. */
  private val idlePeriod = 625000000
}
