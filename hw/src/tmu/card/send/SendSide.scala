// SPDX-License-Identifier: Apache-2.0
package tmu.card.send

import chisel3._
import chisel3.util._
import tmu.buffer.PointerQueue
import tmu.bus.{AxiRead, AxiStream}
import tmu.card.fetch.PayloadFetch
import tmu.card.initiator.{Initiator, InitiatorCounts, InitiatorSettings, SendAnswer}
import tmu.card.request.{FrameBeat, RequestBuilder}
import tmu.card.wire.WireSettings

/** All that sends: commands and answers in, frames and completions out. Wiring, and the records of
  * messages.
  */
class SendSide(p: SendParams) extends Module {
  val io = IO(new Bundle {
    val command = Flipped(Decoupled(new SendCommand(p)))
    val answer = Flipped(Decoupled(new SendAnswer))
    val completion = Decoupled(new SendCompletion(p))
    val peer = Flipped(Decoupled(new TableEdit(new PeerEntry(p))))
    val peerRefused = Output(Bool())
    val memory = Flipped(Decoupled(new TableEdit(new MemoryEntry(p))))
    val memoryRefused = Output(Bool())

    /** Bytes that a receive is to lie in, and whether they are registered for it (W8). */
    val asks = Input(new ReceiveBytes)
    val registered = Output(Bool())

    /** The network has been started: before, sends are malformed. */
    val started = Input(Bool())

    /** Of addresses; payload and its MTU; all others. */
    val ipv6 = Input(Bool())
    val source = Input(new SourceSettings)
    val initiator = Input(new InitiatorSettings)
    val wire = Input(new WireSettings)

    /** Payload, and lists of pieces. */
    val payload = new AxiRead(64, FrameBeat.bits, 1)
    val lists = new AxiRead(64, FrameBeat.bits, 1)
    val stream = new AxiStream(FrameBeat.bits, 1)
    val counts = Output(new InitiatorCounts)
    val idle = Output(Bool())

    /** Nothing new is begun; then, whether memory and Ethernet have had what was. */
    val stop = Input(Bool())
    val still = Output(Bool())
  })
  private val messages = p.initiator.messages
  private val peers = Module(new OwnedTable(new PeerEntry(p), p.peersLog2, p.useBits))
  private val memories = Module(
    new OwnedTable(new MemoryEntry(p), p.memoriesLog2, p.useBits, askers = 2)
  )
  private val start = Module(new SendStart(p))
  private val initiator = Module(new Initiator(p.initiator))
  private val packets = Module(new PacketSource(p))
  private val fetch = Module(new PayloadFetch)
  private val builder = Module(new RequestBuilder)
  private val ends = Module(new SendEnds(p))
  private val order = Module(new SendOrder(p))

  peers.io.edit <> io.peer
  memories.io.edit <> io.memory
  io.peerRefused := peers.io.refused
  io.memoryRefused := memories.io.refused
  peers.io.ask(0) := start.io.peerAsk
  start.io.peerLive := peers.io.live(0)
  start.io.peer := peers.io.found(0)
  memories.io.ask := VecInit(start.io.memoryAsk, io.asks.memory)
  start.io.memoryLive := memories.io.live(0)
  start.io.memory := memories.io.found(0)
  private val (asks, found) = (io.asks, memories.io.found(1))
  io.registered := memories.io.live(1) && found.write &&
    found.holds(asks.endpoint, asks.address, asks.bytes)
  private def uses(to: DecoupledIO[TableUse], from: DecoupledIO[TableUse]*): Unit = {
    val turn = Module(new RRArbiter(new TableUse, from.length))
    turn.io.in.zip(from).foreach { case (in, one) => in <> one }
    to <> turn.io.out
  }
  uses(peers.io.use, start.io.usePeer, ends.io.usePeer)
  uses(memories.io.use, start.io.useMemory, ends.io.useMemory)

  // Numbers that were never used, then those that are free again.
  private val fresh = RegInit(0.U(log2Ceil(messages + 1).W))
  private val free = Module(new PointerQueue(UInt(p.initiator.messageBits.W), messages))
  private val anyFresh = fresh =/= messages.U
  start.io.number.valid := anyFresh || free.io.deq.valid
  start.io.number.bits := Mux(anyFresh, fresh, free.io.deq.bits)
  free.io.deq.ready := start.io.number.ready && !anyFresh
  when(start.io.number.fire && anyFresh)(fresh := fresh + 1.U)
  free.io.enq.valid := ends.io.free.valid
  free.io.enq.bits := ends.io.free.bits
  assert(!free.io.enq.valid || free.io.enq.ready, "a number is free twice")

  private val records = Mem(messages, new SendRecord(p))
  when(start.io.message.fire)(records.write(start.io.number.bits, start.io.record))
  order.io.ask := packets.io.ask
  packets.io.generation := order.io.generation
  packets.io.record := records.read(packets.io.ask)
  ends.io.record := records.read(ends.io.ask)

  start.io.command <> io.command
  start.io.command.valid := io.command.valid && !io.stop
  io.command.ready := start.io.command.ready && !io.stop
  start.io.started := io.started
  start.io.ipv6 := io.ipv6
  io.lists <> start.io.read
  order.io.message.valid := start.io.message.valid
  order.io.message.bits.peer := start.io.record.peer
  order.io.message.bits.out := start.io.message.bits
  start.io.message.ready := order.io.message.ready
  order.io.patience := io.initiator.retransmit
  initiator.io.message <> order.io.out
  initiator.io.answer <> io.answer
  initiator.io.settings := io.initiator
  initiator.io.done := packets.io.done
  io.counts := initiator.io.counts
  packets.io.order <> initiator.io.packet
  packets.io.order.valid := initiator.io.packet.valid && !io.stop
  initiator.io.packet.ready := packets.io.order.ready && !io.stop
  packets.io.settings := io.source
  fetch.io.piece <> packets.io.piece
  packets.io.fetched <> fetch.io.fetched
  io.payload <> fetch.io.read
  builder.io.request <> packets.io.request
  builder.io.payload <> fetch.io.payload
  builder.io.settings := io.wire
  io.stream <> builder.io.stream
  order.io.end <> initiator.io.end
  ends.io.end <> order.io.ended

  private val told = Module(new RRArbiter(new SendCompletion(p), 2))
  told.io.in(0) <> ends.io.completion
  told.io.in(1) <> start.io.told
  io.completion <> told.io.out
  io.idle := start.io.idle && initiator.io.idle && order.io.idle && packets.io.idle && fetch.io.idle &&
    ends.io.idle && !io.stream.tvalid
  io.still := start.io.still && packets.io.idle && fetch.io.idle && !io.stream.tvalid
}
