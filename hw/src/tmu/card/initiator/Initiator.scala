// SPDX-License-Identifier: Apache-2.0
package tmu.card.initiator

import chisel3._
import chisel3.util._
import tmu.buffer.PointerQueue

/** The initiator's table of connections: messages in, packets out, until each is answered.
  *
  * Messages to one address and job share a connection, and its packets are numbered in their order
  * (W1). A packet that is sent again is told again by its record; nobody keeps its payload. A step
  * takes three clocks, and one begins in each clock: it is chosen; its connection, packet and
  * message are read; what comes of it is written.
  *
  * When all connections are in use, one that has nothing to do is closed; while there is none, a
  * message to another peer waits, and those behind it.
  */
class Initiator(p: InitiatorParams) extends Module {
  val io = IO(new Bundle {
    val message = Flipped(Decoupled(new OutMessage(p)))
    val answer = Flipped(Decoupled(new SendAnswer))
    val settings = Input(new InitiatorSettings)
    val packet = Decoupled(new PacketOrder(p))

    /** Of a packet that was taken nothing is read any more, in their order. */
    val done = Input(Bool())

    /** Not before all packets that were told ahead of it are done: its memory is the sender's. */
    val end = Decoupled(new MessageEnd(p))
    val counts = Output(new InitiatorCounts)

    /** No connection has anything to do, nor has any message. */
    val idle = Output(Bool())
  })
  private val table = RegInit(VecInit.fill(p.connections)(SendEntry.unused(p)))
  private val ring = Mem(p.connections * p.window, new PacketRecordOut(p))
  private val answered = Mem(p.connections * p.window, Bool())

  // Of messages: length and id, the one behind it in its list, what is noted, and its state.
  private class Named extends Bundle {
    val length = UInt(32.W)
    val id = UInt(16.W)
  }
  private val named = Mem(p.messages, new Named)
  private val followers = Mem(p.messages, UInt(p.messageBits.W))
  private val notes = Mem(p.messages, new MessageNote(p))
  private val owners = Reg(Vec(p.messages, UInt(p.connectionBits.W)))
  private val begun = RegInit(0.U(p.messages.W))
  private val owed = RegInit(0.U(p.messages.W))

  private val prescale = RegInit(0.U(log2Ceil(p.clocks).W))
  private val now = RegInit(0.U(32.W))
  private val ticks = prescale === (p.clocks - 1).U
  prescale := Mux(ticks, 0.U, prescale + 1.U)
  when(ticks)(now := now + 1.U)
  private val noise = RegInit(1.U(32.W))
  noise := Cat(noise(30, 0), noise(31) ^ noise(21) ^ noise(1) ^ noise(0))

  // First clock.
  private val packets = Module(new PointerQueue(new PacketOrder(p), Initiator.entries))
  private class StampedEnd extends Bundle {
    val end = new MessageEnd(p)
    val packets = UInt(Initiator.stampBits.W)
  }
  private val ends = Module(new PointerQueue(new StampedEnd, Initiator.entries))
  private val choice = Module(new StepChoice(p))
  private val (readValid, doValid) = (RegInit(false.B), RegInit(false.B))
  private val (read, does) = (Reg(new ChosenStep(p)), Reg(new ChosenStep(p)))
  private def mark(valid: Bool, step: ChosenStep): UInt =
    Mux(valid, UIntToOH(step.index, p.connections), 0.U)
  private def isEnqueue(valid: Bool, step: ChosenStep): Bool =
    valid && step.kind === StepKind.enqueue.U
  choice.io.table := table
  choice.io.busy := mark(readValid, read) | mark(doValid, does)
  choice.io.enqueues := isEnqueue(readValid, read) || isEnqueue(doValid, does)
  choice.io.now := now
  choice.io.packetRoom := packets.io.count <= (Initiator.entries - 3).U
  choice.io.endRoom := ends.io.count <= (Initiator.entries - 3).U
  choice.io.answer <> io.answer
  choice.io.message <> io.message
  io.packet <> packets.io.deq
  private val told = RegInit(0.U(Initiator.stampBits.W))
  private val done = RegInit(0.U(Initiator.stampBits.W))
  told := told + packets.io.enq.fire
  done := done + io.done
  private val finished = (done - ends.io.deq.bits.packets).asSInt >= 0.S
  io.end.valid := ends.io.deq.valid && finished
  io.end.bits := ends.io.deq.bits.end
  ends.io.deq.ready := io.end.ready && finished
  readValid := choice.io.chosen.valid
  read := choice.io.chosen.bits
  private val readAnswer = RegNext(io.answer.bits)
  private val readMessage = RegNext(io.message.bits)

  // Second clock.
  private def isNow(step: ChosenStep, kind: Int): Bool = step.kind === kind.U
  private val entryRead = table(read.index)
  private val number = MuxCase(
    SendRules.number(entryRead),
    Seq(
      isNow(read, StepKind.answer) -> AnswerRules.number(readAnswer),
      isNow(read, StepKind.walk) -> (entryRead.clear + 1.U)
    )
  )
  private def at(index: UInt, number: UInt): UInt = index ## number(p.windowBits - 1, 0)
  private val messageRead = MuxCase(
    SendRules.message(entryRead),
    Seq(
      isNow(read, StepKind.answer) -> readAnswer.response.messageId(p.messageBits - 1, 0),
      isNow(read, StepKind.lose) -> entryRead.scan
    )
  )
  doValid := readValid
  does := read
  private val answer = RegNext(readAnswer)
  private val message = RegNext(readMessage)
  private val own = RegNext(owners(messageRead) === read.index)
  private val isBegun = RegNext((begun >> messageRead)(0))
  private val isOwed = RegNext((owed >> messageRead)(0))
  private val input = Wire(new StepInput(p))
  input.index := does.index
  input.entry := RegNext(entryRead)
  input.now := now
  input.settings := io.settings
  input.record := RegNext(ring.read(at(read.index, number)))
  input.answered := RegNext(answered.read(at(read.index, number)))
  input.message := RegNext(messageRead)
  private val known = Reg(new Named)
  known := named.read(messageRead)
  input.length := known.length
  input.id := known.id
  input.follower := RegNext(followers.read(messageRead))
  input.begun := isBegun && own
  input.owed := isOwed && own

  // Third clock.
  private val ofPacket = isNow(does, StepKind.answer) || isNow(does, StepKind.walk)
  private val noted = Mux(ofPacket, input.record.message, input.message)
  input.note := notes.read(noted)
  private val rules = Module(new StepRules(p))
  rules.io.kind := does.kind
  rules.io.in := input
  rules.io.answer := answer
  rules.io.message := message
  rules.io.noise := noise
  private val step = rules.io.step
  when(doValid)(table(does.index) := step.entry)
  packets.io.enq.valid := doValid && step.packet.valid
  packets.io.enq.bits := step.packet.bits
  ends.io.enq.valid := doValid && step.end.valid
  ends.io.enq.bits.end := step.end.bits
  ends.io.enq.bits.packets := told
  assert(!(told - done)(Initiator.stampBits - 1), "too many packets are not done")
  assert(!packets.io.enq.valid || packets.io.enq.ready, "a packet without room")
  assert(!ends.io.enq.valid || ends.io.enq.ready, "an end without room")

  private val allots = doValid && step.allots
  private val answers = doValid && step.answers
  when(allots)(ring.write(at(does.index, input.entry.next), step.packet.bits.packet))
  when(allots || answers) {
    val which = Mux(allots, input.entry.next, step.answeredNumber)
    answered.write(at(does.index, which), !allots)
  }
  when(doValid && step.notes)(notes.write(noted, step.note))

  private val enqueues = isEnqueue(doValid, does)
  private val round = RegInit(1.U(p.roundBits.W))
  private val name0 = Wire(new Named)
  name0.length := message.length
  name0.id := round ## message.message
  when(enqueues) {
    named.write(message.message, name0)
    owners(message.message) := does.index
    round := Mux(round.andR, 1.U, round + 1.U)
    when(input.entry.waits)(followers.write(input.entry.tail, message.message))
  }
  private def bit(when: Bool, message: UInt): UInt =
    Mux(doValid && when, UIntToOH(message, p.messages), 0.U)
  private val ended = bit(step.end.valid, step.end.bits.message)
  begun := (begun | bit(step.begins, input.message)) & ~ended
  owed := (owed | bit(step.owes, input.record.message)) & ~ended

  private val counted = WireDefault(0.U.asTypeOf(new InitiatorCounts))
  when(doValid)(counted := step.counts)
  counted.foreign := choice.io.foreign
  io.counts := RegNext(counted, 0.U.asTypeOf(new InitiatorCounts))
  private val waits = VecInit(table.map(e => e.waits || e.begun || e.outstanding || e.losing))
  io.idle := !waits.asUInt.orR && !begun.orR && !readValid && !doValid && !io.message.valid &&
    told === done && !ends.io.deq.valid

  assert(
    !(isNow(does, StepKind.send) && doValid) || input.entry.open <= p.window.U,
    "more packets without an answer than the window has"
  )
}

object Initiator {

  /** Of its queues: a step begins while there are three free, for those under way too. */
  private val entries = 7

  /** Counts packets that are told and not done, of which there are fewer than half as many. */
  private val stampBits = 10
}
