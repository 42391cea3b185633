// SPDX-License-Identifier: Apache-2.0
package tmu.card.initiator

import chisel3._
import chisel3.util.MuxCase
import tmu.card.request.PacketRequest
import tmu.card.wire._
import tmu.mutant.Mutant

/** Step of a connection that has something to send: one thing, the first that it has. Pure, no
  * state.
  */
object SendRules {
  import SendEntry.upTo

  /** The packet that a step reads: what would be sent again. */
  def number(entry: SendEntry): UInt = entry.sent

  /** The message: the one that has begun, else the first that waits. */
  def message(entry: SendEntry): UInt = Mux(entry.begun, entry.message, entry.head)

  /** @param noise
    *   keeps numbers apart of connections to a peer
    */
  def apply(p: InitiatorParams, in: StepInput, noise: UInt): Step = {
    val step = Step.none(p, in)
    val entry = in.entry
    step.packet.bits.key := entry.key
    when(entry.opens)(open(p, in, step, noise))
      .elsewhen(entry.resends)(resend(in, step))
      .elsewhen(entry.cuts)(cut(p, in, step))
      .elsewhen(entry.clears) {
        control(in, step, ControlKind.clear, 0.U, entry.clear)
        step.entry.clearAsked := false.B
      }
      .elsewhen(entry.asks) {
        control(in, step, ControlKind.ackRequest, entry.next - 1.U, 0.U)
        step.entry.cackAsked := true.B
      }
      .elsewhen(entry.closes) {
        val record = WireDefault(0.U.asTypeOf(new PacketRecordOut(p)))
        record.closes := true.B
        allot(in, step, record)
        closing(in, step, entry.next, PdsLayout.wantsAck)
        step.entry.closeSent := true.B
      }
    step
  }

  private def open(p: InitiatorParams, in: StepInput, step: Step, noise: UInt): Unit = {
    val entry = in.entry
    val fresh = entry.generation === 0.U
    val next = entry.generation + 1.U
    val generation = Mux(fresh, in.settings.seed, next)(p.generationBits - 1, 0)
    // At least 2^16 away from the last numbers.
    val start = Mux(fresh, in.settings.seed, entry.next) + 0x10000.U + noise(18, 0)
    step.entry.state := SendState.opening
    step.entry.generation := Mux(generation === 0.U, 1.U, generation)
    step.entry.peer := 0.U
    step.entry.start := start
    step.entry.clear := start - 1.U
    step.entry.cack := start - 1.U
    step.entry.sent := start
    step.entry.next := start
    step.entry.attempts := 0.U
    step.entry.unasked := 0.U
    for (
      flag <- Seq(
        step.entry.paused,
        step.entry.wentBack,
        step.entry.clearAsked,
        step.entry.cackAsked,
        step.entry.newestAnswered
      )
    ) flag := false.B
  }

  /** Names both ends, or the beginning as long as the other end is not known. */
  private def name(in: StepInput, pds: PdsPart, number: UInt): Unit = {
    val entry = in.entry
    val opening = entry.state === SendState.opening
    pds.psn := number
    pds.spdcid := entry.generation ## in.index
    pds.dpdcid := Mux(opening, (number - entry.start)(11, 0), entry.peer)
  }

  private def syn(in: StepInput): UInt =
    Mux(in.entry.state === SendState.opening, PdsLayout.syn.U(7.W), 0.U)

  private def control(
      in: StepInput,
      step: Step,
      kind: Int,
      number: UInt,
      payload: UInt,
      flags: UInt = 0.U
  ): Unit = {
    val pds = step.packet.bits.pds
    step.packet.valid := true.B
    pds.kind := PdsType.control.U
    pds.next := kind.U
    pds.flags := flags | PdsLayout.ordered.U
    name(in, pds, number)
    pds.payload := payload
  }

  private def closing(in: StepInput, step: Step, number: UInt, flags: Int): Unit =
    control(in, step, ControlKind.close, number, 0.U, flags.U)

  /** A request, whose record says what it is of its message. */
  private def request(in: StepInput, step: Step, number: UInt, flags: UInt): Unit = {
    val pds = step.packet.bits.pds
    step.packet.valid := true.B
    step.counts.sent := true.B
    pds.kind := PdsType.rodRequest.U
    pds.next := NextHeader.standard.U
    pds.flags := flags | syn(in)
    // Answers that this tells of are forgotten by the target; never ahead of the packet.
    pds.offset := (in.entry.clear - number)(15, 0)
    name(in, pds, number)
    step.entry.clearAsked := false.B
  }

  private def resend(in: StepInput, step: Step): Unit = {
    val entry = in.entry
    val flags = PdsLayout.wantsAck | PdsLayout.retransmitted
    step.packet.bits.packet := in.record
    step.entry.sent := entry.sent + 1.U
    when(!in.answered && !upTo(entry.sent, entry.cack)) {
      step.counts.again := true.B
      when(in.record.closes)(closing(in, step, entry.sent, flags))
        .otherwise(request(in, step, entry.sent, flags.U))
    }
  }

  /** Uses the next number for a packet. */
  private def allot(in: StepInput, step: Step, record: PacketRecordOut): Unit = {
    val entry = in.entry
    step.allots := true.B
    step.packet.bits.packet := record
    step.entry.next := Mutant("number_twice", entry.next + 1.U)(_ => entry.next)
    step.entry.sent := entry.next + 1.U
    step.entry.newestAnswered := false.B
    step.entry.cackAsked := false.B
    when(!entry.outstanding)(Step.arm(step, in, in.wait(entry.attempts)))
  }

  private def cut(p: InitiatorParams, in: StepInput, step: Step): Unit = {
    val entry = in.entry
    val first = !entry.begun
    val offset = Mux(first, 0.U, entry.offset)
    val left = in.length - offset
    val mtu = in.settings.payloadMtu
    val aborts = !first && in.note.code =/= ReturnCode.ok.U
    val last = aborts || left <= mtu
    val record = Wire(new PacketRecordOut(p))
    record.message := in.message
    record.id := in.id
    record.offset := offset
    record.bytes := MuxCase(left, Seq(aborts -> 0.U, !last -> mtu))(
      PacketRequest.payloadBits - 1,
      0
    )
    record.first := first
    record.last := last
    record.aborts := aborts
    record.closes := false.B
    allot(in, step, record)

    val fills = entry.open === (p.window - 1).U
    val asks = last || fills || entry.state === SendState.opening ||
      entry.unasked >= (p.window / 2 - 1).U
    request(in, step, entry.next, Mux(asks, PdsLayout.wantsAck.U(7.W), 0.U))
    step.entry.unasked := Mux(asks, 0.U, entry.unasked + 1.U)
    step.entry.begun := !last
    step.entry.message := in.message
    step.entry.offset := offset + record.bytes
    when(first) {
      step.begins := true.B
      step.notes := true.B
      step.note := MessageNote.well(p, in.length)
      step.entry.head := in.follower
      step.entry.waits := entry.head =/= entry.tail
    }
  }
}
