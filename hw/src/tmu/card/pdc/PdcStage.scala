// SPDX-License-Identifier: Apache-2.0
package tmu.card.pdc

import chisel3._
import chisel3.util._
import tmu.buffer.PointerQueue
import tmu.card.wire._

/** The target's table of connections: each record of the parser goes on, and says whether the unit
  * may see its packet (W1). A packet takes two clocks.
  *
  * A delivered packet is acknowledged by the stage that knows its outcome; all other answers are
  * made here, as if all of them had been default responses. No message begins that the message
  * stage has no room for: its packet is refused, and its connection waits; one that has begun goes
  * on.
  *
  * A connection that ends is in quarantine before its entry is used again; while there is no other
  * entry, no connection begins.
  *
  * @param remembers
  *   connections are in quarantine behind the stage's own reset too, unless it is the card's (W9)
  */
class PdcStage(p: PdcParams, remembers: Boolean = false) extends Module {
  val cardReset = Option.when(remembers)(IO(Input(Bool())))
  val io = IO(new Bundle {
    val record = Flipped(Decoupled(new PacketRecord))

    /** The message stage has room for a message that begins. */
    val messageRoom = Input(Bool())
    val out = Decoupled(new PdcRecord)
    val answer = Decoupled(new PdcAnswer)

    /** Events that responses depend on; of each connection, whether one more can be kept. */
    val events = Output(Valid(new PdcEvents(p)))
    val responseRoom = Input(UInt(p.pdcs.W))

    /** PdcVerdict of each record that goes on (W6). */
    val counted = Output(Valid(UInt(PdcVerdict.bits.W)))
  })
  private val table = withReset(cardReset.getOrElse(reset.asBool))(
    RegInit(VecInit.fill(p.pdcs)(PdcEntry.unused(p)))
  )
  private def pdcid(entry: PdcEntry, index: UInt): UInt = entry.generation ## index

  // First clock: the packet is compared with every connection.
  private val busy = RegInit(false.B)
  private val record = Reg(new PacketRecord)
  private val byKey = Reg(UInt(p.pdcs.W))
  private val byName = Reg(UInt(p.pdcs.W))
  private val belated = Reg(Bool())
  private val free = Reg(UInt(p.pdcs.W))
  private val takes = io.record.valid && !busy
  private val finishes = Wire(Bool())
  io.record.ready := !busy
  when(takes) {
    val key = PdcKey.of(io.record.bits)
    val wanted = io.record.bits.pds.dpdcid
    record := io.record.bits
    val same = VecInit(table.map(_.key.asUInt === key.asUInt)).asUInt
    byKey := same & VecInit(table.map(_.live)).asUInt
    belated := (same & VecInit(table.map { e =>
      e.closed && e.start === io.record.bits.pds.start
    }).asUInt).orR
    free := VecInit(table.map(e => !e.live && !e.closed)).asUInt
    byName := VecInit(table.zipWithIndex.map { case (e, index) =>
      e.live && pdcid(e, index.U(p.indexBits.W)) === wanted
    }).asUInt
    busy := true.B
  }.elsewhen(finishes)(busy := false.B)

  // Second clock: decided, and done when both exits have room.
  private val control = record.pds.kind === PdsType.control.U
  private val syn = (record.pds.flags & PdsLayout.syn.U).orR
  private val opens = syn && !control
  private val hit = Mux(syn, byKey, byName)
  private val found = Wire(new PdcLookup(p))
  found.known := opens && byKey.orR
  found.belated := belated
  found.named := Mux(syn, control && byKey.orR, byName.orR)
  found.entry := Mux1H(hit, table)
  found.own := found.entry.key.asUInt === PdcKey.of(record).asUInt
  found.room := free.orR
  found.responseRoom := (hit & io.responseRoom).orR
  private val does = PdcRules(p, record, found, io.messageRoom)
  private val index = Mux(does.open, PriorityEncoder(free), OHToUInt(hit))
  private val before = table(index)
  private val expected = Mux(does.open, record.pds.start, before.expected)
  private val after = expected + does.advance
  private val id = pdcid(before, index)

  private val outs = Module(new PointerQueue(new PdcRecord, 3))
  private val answers = Module(new PointerQueue(new PdcAnswer, 3))
  io.out <> outs.io.deq
  io.answer <> answers.io.deq
  finishes := busy && outs.io.enq.ready && answers.io.enq.ready
  outs.io.enq.valid := finishes
  outs.io.enq.bits.record := record
  outs.io.enq.bits.deliver := does.deliver
  outs.io.enq.bits.closes := does.close
  outs.io.enq.bits.pdcid := id
  answers.io.enq.valid := finishes && (does.refuse || does.acknowledge)
  answers.io.enq.bits := answer
  io.counted.valid := RegNext(finishes, false.B)
  io.counted.bits := RegNext(does.verdict)

  private val elapsed = RegInit(0.U(log2Ceil(p.period + 1).W))
  private val periodEnds = elapsed === (p.period - 1).U
  elapsed := Mux(periodEnds, 0.U, elapsed + 1.U)
  when(periodEnds) {
    for (entry <- table) {
      entry.age := entry.age + 1.U
      when(entry.age === PdcParams.periods.U)(entry.closed := false.B)
    }
  }
  when(finishes) {
    when(does.open) {
      table(index).live := true.B
      table(index).key := PdcKey.of(record)
      table(index).start := expected
    }
    when(does.open)(table(index).delivered := expected - 1.U)
    when(does.deliver)(table(index).delivered := record.pds.psn)
    when(does.open || does.advance)(table(index).expected := after)
    when(does.open || does.advance || does.tellGap)(table(index).gapTold := does.tellGap)
    when(does.close)(close(table(index)))
  }
  if (remembers) when(reset.asBool)(for (entry <- table) when(entry.live)(close(entry)))

  private def close(entry: PdcEntry): Unit = {
    entry.live := false.B
    entry.closed := true.B
    entry.age := 0.U
    val next = entry.generation + 1.U
    entry.generation := Mux(next === 0.U, 1.U, next)
  }

  private val event = io.events.bits
  private val cleared = Mux(
    does.close,
    expected,
    Mux(control, record.pds.payload, record.pds.psn + record.pds.offset.asSInt.pad(32).asUInt)
  )
  io.events.valid := finishes && (does.open || does.clears)
  event.index := index
  event.opens := does.open
  event.start := expected
  // No number ahead of what has come is taken.
  event.clears := does.clears && (cleared - Mux(does.close, after, expected)).asSInt < 0.S
  event.clear := cleared
  event.delivers := does.deliver

  private def answer: PdcAnswer = {
    val made = Wire(new PdcAnswer)
    val pds = record.pds
    val probe = control && pds.next === ControlKind.probe.U
    val marked = record.internet.ecn === 3.U
    val retransmitted = (pds.flags & PdsLayout.retransmitted.U).orR
    val acknowledged = after - 1.U
    // A connection that the packet does not belong to is not named.
    val named = (does.open || found.known || found.named && found.own) &&
      does.code =/= NackCode.headerMismatch.U
    made.ethernet := record.ethernet
    made.internet := record.internet
    made.pds.kind := Mux(does.refuse, PdsType.nack.U, PdsType.ack.U)
    made.pds.next := Mux(does.refuse || control, NextHeader.none.U, NextHeader.response.U)
    made.pds.flags := Cat(
      0.U(1.W),
      marked,
      retransmitted,
      probe && !does.refuse,
      0.U(3.W)
    )
    made.pds.offset := Mux(
      does.refuse,
      does.code ## 0.U(8.W),
      Mux(probe, pds.offset, (pds.psn - acknowledged)(15, 0))
    )
    made.pds.psn := Mux(does.refuse, pds.psn, acknowledged)
    made.pds.spdcid := Mux(named, id, 0.U)
    made.pds.dpdcid := pds.spdcid
    made.pds.payload := does.payload
    made.repeats := does.acknowledge && !probe && !does.advance
    made.delivered := Mux(does.open, expected - 1.U, before.delivered)
    made.response.list := 0.U
    made.response.opcode := ResponseCode.default.U
    made.response.returnCode := ReturnCode.ok.U
    made.response.messageId := record.ses.messageId
    made.response.generation := record.ses.generation
    made.response.job := record.ses.job
    made.response.modifiedLength := record.ses.requestLength
    made
  }
}
