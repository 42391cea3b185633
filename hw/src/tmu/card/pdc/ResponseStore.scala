// SPDX-License-Identifier: Apache-2.0
package tmu.card.pdc

import chisel3._
import chisel3.util._
import tmu.buffer.PointerQueue
import tmu.card.wire._

/** Answer to a packet that was delivered, or none: one for each, in their order. */
class HandledPacket extends AnswerRequest {
  val sends = Bool()
}

/** Answer of the table of connections. */
class PdcAnswer extends AnswerRequest {

  /** Repeats what its number was answered. */
  val repeats = Bool()

  /** The newest packet of its connection that was delivered. */
  val delivered = UInt(32.W)
}

/** Events of a connection that responses depend on. */
class PdcEvents(p: PdcParams) extends Bundle {
  val index = UInt(p.indexBits.W)

  /** The connection begins with this number. */
  val opens = Bool()
  val start = UInt(32.W)

  /** Its initiator has the responses up to this number. */
  val clears = Bool()
  val clear = UInt(32.W)

  /** A packet of it is delivered, which may have a response to be kept. */
  val delivers = Bool()
}

/** A response that an initiator has to read. */
class KeptResponse extends Bundle {
  val psn = UInt(32.W)
  val response = new ResponsePart
}

/** Responses other than the default one, each kept until its initiator says that it has it (W4).
  *
  * CACK stays before the oldest of them. A packet that comes again waits until all that was
  * delivered before it is decided, and gets the response that it had. A packet is delivered only
  * while there is `room` for its response.
  */
class ResponseStore(p: PdcParams) extends Module {
  val io = IO(new Bundle {
    val events = Flipped(Valid(new PdcEvents(p)))
    val handled = Flipped(Decoupled(new HandledPacket))
    val answer = Flipped(Decoupled(new PdcAnswer))
    val out = Decoupled(new AnswerRequest)

    /** Of each connection. */
    val room = Output(UInt(p.pdcs.W))
    val idle = Output(Bool())
  })
  private val slotBits = log2Ceil(p.responses)
  private val countBits = log2Ceil(p.responses + 1)
  private class State extends Bundle {

    /** Responses that are kept, and packets that are not decided. */
    val taken = UInt(countBits.W)
    val first = UInt(slotBits.W)
    val count = UInt(countBits.W)

    /** Numbers: of the first one kept; of the newest packet that is decided; what is cleared, and
      * that this has changed.
      */
    val oldest = UInt(32.W)
    val handled = UInt(32.W)
    val clear = UInt(32.W)
    val due = Bool()
  }
  private val states = RegInit(VecInit.fill(p.pdcs)(0.U.asTypeOf(new State)))
  private val kept = Mem(p.pdcs * p.responses, new KeptResponse)
  private def behind(a: UInt, b: UInt): Bool = (a - b).asSInt < 0.S
  private def index(pdcid: UInt): UInt = pdcid(p.indexBits - 1, 0)
  private val out = Module(new PointerQueue(new AnswerRequest, 3))
  io.out <> out.io.deq

  // One of them a clock: what has been cleared goes; a packet is decided; one that came again is
  // looked for among those kept, and answered.
  private val due = VecInit(states.map(_.due)).asUInt
  private val (handled, answer) = (io.handled.bits, io.answer.bits)
  private val pops = due.orR
  private val handles = !pops && io.handled.valid && out.io.enq.ready
  private val chosen = Mux(
    pops,
    PriorityEncoder(due),
    Mux(handles, index(handled.pds.spdcid), index(answer.pds.spdcid))
  )
  private val state = states(chosen)
  private val some = state.count =/= 0.U
  private val acknowledges = answer.pds.kind === PdsType.ack.U
  private val decided = !acknowledges || !behind(state.handled, answer.delivered)
  private val answers = !pops && !handles && io.answer.valid && decided && out.io.enq.ready
  private val looked = RegInit(0.U(countBits.W))
  private val looks = acknowledges && answer.repeats && looked =/= state.count
  private val at = Mux(answers, looked, 0.U)
  private val entry = kept.read(chosen ## (state.first + at)(slotBits - 1, 0))
  private val number = answer.pds.psn + answer.pds.offset.asSInt.pad(32).asUInt
  private val hit = looks && entry.psn === number
  private val finishes = answers && (!looks || hit)
  when(pops || finishes)(looked := 0.U).elsewhen(answers)(looked := looked + 1.U)
  io.handled.ready := handles
  io.answer.ready := finishes

  private val gone = pops && some && !behind(state.clear, entry.psn)
  // One that has been cleared ahead of time is not kept.
  private val keeps = handles && handled.response.opcode =/= ResponseCode.default.U &&
    behind(state.clear, handled.pds.psn)
  private val made = Wire(new KeptResponse)
  made.psn := handled.pds.psn
  made.response := handled.response
  when(keeps)(kept.write(chosen ## (state.first + state.count)(slotBits - 1, 0), made))

  private val events = io.events.bits
  for ((one, index) <- states.zipWithIndex) {
    val own = chosen === index.U
    val event = io.events.valid && events.index === index.U
    val leaves = own && (gone || handles && !keeps)
    assert(!leaves || one.taken =/= 0.U, "connection %d has no response", index.U)
    one.taken := one.taken + (event && events.delivers) - leaves
    when(own && gone) {
      one.first := one.first + 1.U
      one.count := one.count - 1.U
    }
    when(own && pops && !gone) {
      one.oldest := entry.psn
      one.due := false.B
    }
    when(own && handles)(one.handled := handled.pds.psn)
    when(own && keeps) {
      one.count := one.count + 1.U
      when(!some)(one.oldest := handled.pds.psn)
    }
    when(event && events.clears && behind(one.clear, events.clear)) {
      one.clear := events.clear
      one.due := true.B
    }
    when(event && events.opens) {
      one := 0.U.asTypeOf(new State)
      one.taken := events.delivers
      one.clear := events.start - 1.U
      one.handled := events.start - 1.U
    }
  }
  io.room := VecInit(states.map(_.taken =/= p.responses.U)).asUInt

  // All that CACK covers counts as answered by default.
  private val upTo = Mux(
    some,
    state.oldest - 1.U,
    Mux(handles, handled.pds.psn - keeps, answer.pds.psn)
  )
  private def plain(from: AnswerRequest): AnswerRequest = {
    val made = Wire(new AnswerRequest)
    made.ethernet := from.ethernet
    made.internet := from.internet
    made.pds := from.pds
    made.response := from.response
    made
  }
  private val sent = out.io.enq.bits
  private val probed = (answer.pds.flags & PdsLayout.probed.U).orR
  out.io.enq.valid := handles && handled.sends || finishes
  sent := Mux(handles, plain(handled), plain(answer))
  when(handles || acknowledges)(sent.pds.psn := upTo)
  when(handles)(sent.pds.offset := handled.pds.psn - upTo)
    .elsewhen(acknowledges && !probed)(sent.pds.offset := number - upTo)
  when(!handles && hit) {
    sent.pds.next := NextHeader.response.U
    sent.pds.flags := answer.pds.flags | PdsLayout.wantsClear.U
    sent.response := entry.response
  }
  io.idle := !pops && !io.handled.valid && !io.answer.valid && !out.io.deq.valid
}
