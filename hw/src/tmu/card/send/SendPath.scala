// SPDX-License-Identifier: Apache-2.0
package tmu.card.send

import chisel3._
import chisel3.util.{Decoupled, RegEnable, RRArbiter, Valid}
import tmu.buffer.BlockQueue
import tmu.bus.{AxiRead, AxiStream}
import tmu.card.frame.FrameLoop
import tmu.card.initiator.{AnswerFork, InitiatorCounts}
import tmu.card.memory.ReadJoin
import tmu.card.request.FrameBeat
import tmu.card.wire.{PacketRecord, WireSettings}
import tmu.host.{MemoryQuestion, SendControl, SendRequest}
import tmu.params.TmuParams
import tmu.types.Verdict

/** The sending side in a card: between its frames, its hosts and its memory. Wiring, and the queue
  * of sends that wait for a number of a message.
  *
  * The queue has room for every page's turn: while there are many in it, a page has its next turn
  * when its last one has ended, and turns are of one command. So a peer that does not answer keeps
  * those waiting that send, and no other command (R13).
  */
class SendPath(p: TmuParams) extends Module {
  private val s = SendParams.of(p)
  val io = IO(new Bundle {
    val record = Flipped(Decoupled(new PacketRecord))
    val out = Decoupled(new PacketRecord)
    val request = Flipped(Valid(new SendRequest(p)))
    val scarce = Output(Bool())
    val asks = Input(new MemoryQuestion(p))
    val registered = Output(Bool())

    /** Answers to hosts, without sends and with them. */
    val verdict = Flipped(Decoupled(new Verdict(p)))
    val completion = Decoupled(new Verdict(p))
    val control = Flipped(new SendControl)
    val wire = Input(new WireSettings)
    val ipv6 = Input(Bool())
    val address = Input(UInt(128.W))
    val payloadMtu = Input(UInt(14.W))

    /** Goes on whatever is reset, so that each start has other numbers (W9). */
    val now = Input(UInt(32.W))

    /** Frames without requests and with them; reads of moves, and of sends too. */
    val answers = Flipped(new AxiStream(FrameBeat.bits, 1))
    val stream = new AxiStream(FrameBeat.bits, 1)

    /** Frames to the card itself. */
    val own = new AxiStream(FrameBeat.bits, 1)
    val moves = Flipped(new AxiRead(64, FrameBeat.bits, 1))
    val read = new AxiRead(64, FrameBeat.bits, SendPath.idBits)
    val counts = Output(new InitiatorCounts)

    /** Frames that were sent, and own ones without room; a pulse for each stream. */
    val framesSent = Output(Vec(2, Bool()))
    val framesLost = Output(Vec(2, Bool()))

    /** Frames are taken; sends are refused before the first time. */
    val enable = Input(Bool())

    /** A reset is near: nothing new is begun; `still` when nothing is on its way out. */
    val stop = Input(Bool())
    val still = Output(Bool())
    val idle = Output(Bool())
  })
  private val side = Module(new SendSide(s))
  private val fork = Module(new AnswerFork)
  private val frames = Module(new FrameLoop)
  private val reads = Module(new ReadJoin(3, SendPath.idBits))
  private val queue = Module(new BlockQueue(new SendCommand(s), SendPath.queued(p)))
  private val told = Module(new RRArbiter(new Verdict(p), 2))

  fork.io.in <> io.record
  io.out <> fork.io.out
  side.io.answer <> fork.io.answer

  private val (request, from) = (io.request.bits.command, queue.io.enq.bits.from)
  queue.io.enq.valid := io.request.valid
  queue.io.enq.bits.record := request.record
  from.page := request.page
  from.life := io.request.bits.life
  from.stamp := request.stamp
  private val privileged = request.page === p.privilegedPage.U
  from.endpoint := Mux(privileged, SendFields.endpoint.of(request.record), request.endpoint)
  assert(!queue.io.enq.valid || queue.io.enq.ready, "R13: no room for a send that has had its turn")
  io.scarce := RegNext(queue.io.count > SendPath.few.U, false.B)
  side.io.command <> queue.io.deq

  told.io.in(0) <> io.verdict
  told.io.in(1).valid := side.io.completion.valid
  told.io.in(1).bits := SendVerdict(p, side.io.completion.bits)
  side.io.completion.ready := told.io.in(1).ready
  io.completion <> told.io.out

  private val (control, peer, memory) =
    (io.control, side.io.peer.bits, side.io.memory.bits)
  side.io.peer.valid := control.peer.valid
  control.peer.ready := side.io.peer.ready
  control.peerRefused := side.io.peerRefused
  peer.index := control.peer.bits.index
  peer.remove := control.peer.bits.remove
  peer.value.address := control.peer.bits.address
  peer.value.job := control.peer.bits.job
  peer.value.pid := control.peer.bits.pid
  peer.value.index := control.peer.bits.resource
  peer.value.initiator := control.peer.bits.initiator
  peer.value.owner := control.peer.bits.owner
  side.io.memory.valid := control.memory.valid
  control.memory.ready := side.io.memory.ready
  control.memoryRefused := side.io.memoryRefused
  memory.index := control.memory.bits.index
  memory.remove := control.memory.bits.remove
  memory.value.base := control.memory.bits.base
  memory.value.bytes := control.memory.bits.bytes
  memory.value.owner := control.memory.bits.owner
  memory.value.read := control.memory.bits.read
  memory.value.write := control.memory.bits.write
  side.io.asks.memory := io.asks.memory
  side.io.asks.endpoint := io.asks.endpoint
  side.io.asks.address := io.asks.address
  side.io.asks.bytes := io.asks.bytes
  io.registered := side.io.registered

  side.io.started := io.enable || RegEnable(true.B, false.B, io.enable)
  side.io.ipv6 := io.ipv6
  side.io.source.address := io.address
  side.io.source.dscp := 0.U
  side.io.wire := io.wire
  side.io.initiator.payloadMtu := io.payloadMtu
  side.io.initiator.retransmit := control.retransmit
  side.io.initiator.attempts := control.attempts
  // One that has nothing to do is closed when another peer needs its entry.
  side.io.initiator.idle := 0.U
  side.io.initiator.seed := io.now

  frames.io.answers <> io.answers
  frames.io.requests <> side.io.stream
  frames.io.stop := io.stop || !io.enable
  io.stream <> frames.io.out
  io.own <> frames.io.own
  io.framesSent := frames.io.ended
  io.framesLost := frames.io.dropped
  reads.io.in(0) <> io.moves
  reads.io.in(1) <> side.io.payload
  reads.io.in(2) <> side.io.lists
  io.read <> reads.io.out
  io.counts := side.io.counts

  side.io.stop := io.stop
  io.still := side.io.still && fork.io.idle && frames.io.idle && !reads.io.out.arvalid
  io.idle := side.io.idle && fork.io.idle && frames.io.idle && !queue.io.deq.valid && !io.request.valid
}

object SendPath {
  val idBits: Int = 2

  /** Sends that wait before turns get scarce; commands that can have had theirs by then, and one of
    * each page.
    */
  private val few = 8
  private def queued(p: TmuParams): Int = few + 7 * TmuParams.turnCommands + p.pages
}
