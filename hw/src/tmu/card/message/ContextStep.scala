// SPDX-License-Identifier: Apache-2.0
package tmu.card.message

import chisel3._
import chisel3.util._
import tmu.buffer.PointerQueue
import tmu.card.placement.{PlacementOrder, PlacementParams}
import tmu.card.wire.{ReturnCode, SesLayout}

/** A message of which more packets are to come. */
class MessageContext(m: MessageParams) extends Bundle {
  val live = Bool()

  /** Periods that have begun since its last packet came. */
  val age = UInt(2.W)
  val pdc = UInt(16.W)
  val id = UInt(16.W)

  /** All that comes of it gets the same answer, and nothing of it is used. */
  val refused = Bool()
  val code = UInt(ReturnCode.bits.W)
  val generation = UInt(8.W)

  /** Of one that was taken: where its next packet begins, and how long it is. */
  val message = UInt(m.messageBits.W)
  val next = UInt(32.W)
  val length = UInt(32.W)
}

/** Which message a packet belongs to, and what becomes of it. A packet takes two clocks: it is
  * compared with every message that is open, then `ContextRules` decides.
  *
  * A message that begins gets a number and goes to the unit (W1); every packet gets an order for
  * its payload and, but for some in the middle, an answer. When a connection ends, so do its
  * messages, and so does one that stops coming (W7): later packets of it belong to none.
  */
class ContextStep(m: MessageParams, p: PlacementParams) extends Module {
  val io = IO(new Bundle {
    val packet = Flipped(Decoupled(new CheckedPacket(m)))

    /** A number for a message that begins; there is one, or the message would not be here. */
    val number = Flipped(Decoupled(UInt(m.messageBits.W)))

    /** Of the packet's endpoint; it is refused a number. */
    val endpoint = Output(UInt(m.endpointBits.W))
    val share = Input(new EndpointShare)
    val full = Output(Bool())
    val order = Decoupled(new PlacementOrder(p))
    val arrival = Decoupled(new Arrival(m))
    val intent = Decoupled(new AnswerIntent(m))

    /** MessageSettings. */
    val idlePeriod = Input(UInt(32.W))

    /** Contexts that are free. */
    val free = Output(UInt(log2Ceil(m.contexts + 1).W))

    /** A packet has been decided; it would have begun a message that nobody takes. */
    val done = Output(Bool())
    val refuses = Output(Bool())
    val idle = Output(Bool())
  })
  private val table = RegInit(VecInit.fill(m.contexts) {
    val context = Wire(new MessageContext(m))
    context := DontCare
    context.live := false.B
    context
  })
  private val lives = VecInit(table.map(_.live)).asUInt

  // First clock.
  private val busy = RegInit(false.B)
  private val ending = Wire(Bool())
  private val checked = Reg(new CheckedPacket(m))
  private val hits = Reg(UInt(m.contexts.W))
  private val ofConnection = Reg(UInt(m.contexts.W))
  private val finishes = Wire(Bool())

  // Idle messages, which are ended like those of a connection that ends, between two packets.
  private val elapsed = RegInit(0.U(32.W))
  private val counting = io.idlePeriod =/= 0.U
  private val periodEnds = counting && elapsed + 1.U >= io.idlePeriod
  elapsed := Mux(periodEnds || !counting, 0.U, elapsed + 1.U)
  private val idle = VecInit(table.map(c => c.live && c.age === 3.U)).asUInt
  private val anyIdle = RegNext(idle.orR, false.B)
  private val endsIdle = RegInit(false.B)
  io.packet.ready := !busy && !anyIdle
  when(io.packet.fire) {
    val packet = io.packet.bits.packet
    val same = VecInit(table.map(c => c.live && c.pdc === packet.pdc)).asUInt
    checked := io.packet.bits
    hits := same & VecInit(table.map(_.id === packet.ses.messageId)).asUInt &
      Fill(m.contexts, ContextRules.hasId(packet))
    ofConnection := same
    busy := true.B
  }.elsewhen(!busy && anyIdle) {
    ofConnection := idle
    endsIdle := true.B
    busy := true.B
  }.elsewhen(finishes || endsIdle && !ending) {
    busy := false.B
    endsIdle := false.B
  }

  // Second clock. A connection that ends has its messages ended one by one.
  private val packet = checked.packet
  private val context = Mux1H(hits, table)
  private val judged = WireDefault(checked)
  private val short = checked.byGeneration && generationRefuses()
  private val does = ContextRules(m, judged, hits.orR, context)
  io.endpoint := checked.entry.endpoint
  io.full := finishes && short
  ending := (packet.closes || endsIdle) && ofConnection.orR
  private val victim = PriorityEncoderOH(ofConnection)
  private val ended = Mux1H(victim, table)
  private val free = PriorityEncoderOH(~lives)

  private val orders = Module(new PointerQueue(new PlacementOrder(p), 3))
  private val arrivals = Module(new PointerQueue(new Arrival(m), 3))
  private val intents = Module(new PointerQueue(new AnswerIntent(m), 3))
  io.order <> orders.io.deq
  io.arrival <> arrivals.io.deq
  io.intent <> intents.io.deq
  private val goes = busy && orders.io.enq.ready && arrivals.io.enq.ready && intents.io.enq.ready
  finishes := goes && !ending && !endsIdle
  private val begins = finishes && does.begins
  io.number.ready := begins
  private val message = Mux(does.begins, io.number.bits, context.message)
  assert(!begins || io.number.valid, "a message begins and there is no number for it")

  private val last = (packet.ses.flags & SesLayout.last.U).orR
  private val order = orders.io.enq.bits
  orders.io.enq.valid := Mux(ending, goes && !ended.refused, finishes)
  order.beats := Mux(ending, 0.U, packet.beats)
  order.belongs := ending || does.begins || does.goesOn || does.breaks
  order.message := Mux(ending, ended.message, message)
  order.offset := Mux(does.begins, 0.U, context.next)
  order.bytes := Mux(ending || does.breaks, 0.U, packet.payloadBytes)
  order.length := Mux(
    ending,
    ended.length,
    Mux(does.begins, packet.ses.requestLength, context.length)
  )
  order.last := ending || does.breaks || last
  order.aborted := ending || does.breaks

  private val arrival = arrivals.io.enq.bits
  arrivals.io.enq.valid := begins
  arrival.message := message
  arrival.endpoint := checked.entry.endpoint
  arrival.matchBits := packet.ses.matchBits
  arrival.initiator := packet.ses.initiator
  arrival.length := packet.ses.requestLength
  arrival.headerData := Mux(
    (packet.ses.flags & SesLayout.hasHeaderData.U).orR,
    packet.ses.headerData,
    0.U
  )

  private val intent = intents.io.enq.bits
  private val ends = (does.begins || does.goesOn) && last
  intents.io.enq.valid := Mux(ending, goes && !ended.refused, finishes && packet.deliver)
  intent.packet := packet
  intent.delivered := !ending
  intent.sends := !ending && (does.answers || ends)
  intent.code := does.code
  intent.generation := does.generation
  intent.asks := !ending && ends
  intent.ends := ending || ends || does.breaks
  intent.message := Mux(ending, ended.message, message)

  for ((entry, index) <- table.zipWithIndex) {
    val own = hits(index)
    when(periodEnds && entry.age =/= 3.U)(entry.age := entry.age + 1.U)
    when(goes && ending && victim(index))(entry.live := false.B)
    when(finishes && own) {
      when(does.touches)(entry.age := 0.U)
      when(does.goesOn)(entry.next := context.next + packet.payloadBytes)
      when(does.breaks) {
        entry.refused := true.B
        entry.code := does.code
        entry.generation := does.generation
      }
      when(does.leaves)(entry.live := false.B)
    }
    when(finishes && does.stays && free(index)) {
      entry.live := true.B
      entry.age := 0.U
      entry.pdc := packet.pdc
      entry.id := packet.ses.messageId
      entry.refused := !does.begins
      entry.code := does.code
      entry.generation := does.generation
      entry.message := message
      entry.next := packet.payloadBytes
      entry.length := packet.ses.requestLength
    }
  }
  when(goes && ending)(ofConnection := ofConnection & ~victim)
  assert(!(finishes && does.stays) || !lives.andR, "a message stays open and there is no room")

  /** In front of other refusals the generation's; whether there is no number for it. */
  private def generationRefuses(): Bool = {
    val (share, generation) = (io.share, checked.entry.generation + io.share.generation)
    val wrong = packet.ses.generation =/= generation
    val short = !share.off && !wrong && !checked.refused && !hits.orR && !share.room
    judged.entry.generation := generation
    when(checked.byGeneration && (share.off || wrong || short)) {
      judged.refused := true.B
      judged.code := Mux(
        !share.off && wrong,
        ReturnCode.badGeneration.U,
        ReturnCode.disabledGeneration.U
      )
    }
    short
  }

  io.done := finishes
  io.refuses := RegNext(finishes && does.refuses, false.B)
  io.free := RegNext(PopCount(~lives), 0.U)
  io.idle := !busy && Seq(orders, intents).map(!_.io.deq.valid).reduce(_ && _) &&
    !arrivals.io.deq.valid
}
