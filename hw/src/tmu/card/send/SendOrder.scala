// SPDX-License-Identifier: Apache-2.0
package tmu.card.send

import chisel3._
import chisel3.util._
import tmu.buffer.Sweep
import tmu.card.initiator.{MessageEnd, OutMessage}
import tmu.card.wire.ReturnCode

/** A message that is to be sent to a peer. */
class PeerMessage(p: SendParams) extends Bundle {
  val peer = UInt(p.peersLog2.W)
  val out = new OutMessage(p.initiator)
}

/** Messages to each peer in their order, through refusals by generation (W1, W5).
  *
  * When a target is short of something it refuses a message, and all behind it until its generation
  * has changed. Then none starts before all that were sent have their answer; what was refused goes
  * again in its order, after a while, the first one alone until it is taken. Messages to other
  * peers go on; those that wait keep their number.
  */
class SendOrder(p: SendParams) extends Module {
  val io = IO(new Bundle {
    val message = Flipped(Decoupled(new PeerMessage(p)))
    val out = Decoupled(new OutMessage(p.initiator))
    val end = Flipped(Decoupled(new MessageEnd(p.initiator)))

    /** Ends that are no such refusal. */
    val ended = Decoupled(new MessageEnd(p.initiator))

    /** Generation of a message's target, as it was when it was sent. */
    val ask = Input(UInt(p.initiator.messageBits.W))
    val generation = Output(UInt(8.W))

    /** Microseconds before what was refused goes again; they double up to 16 times. */
    val patience = Input(UInt(32.W))
    val idle = Output(Bool())
  })
  private val (peers, messages) = (1 << p.peersLog2, p.initiator.messages)
  private val messageBits = p.initiator.messageBits
  private class MessageList extends Bundle {
    val some = Bool()
    val head = UInt(messageBits.W)
    val tail = UInt(messageBits.W)
  }
  private class Flow extends Bundle {

    /** Messages that wait; behind those that were refused once these are put in front. */
    val waits = new MessageList
    val refused = new MessageList

    /** Messages that are sent and have no answer. */
    val open = UInt((messageBits + 1).W)

    /** One was refused: none starts; `rests` until the deadline, then the first one alone. */
    val blocked = Bool()
    val rests = Bool()
    val alone = Bool()
    val deadline = UInt(32.W)
    val refusals = UInt(3.W)

    /** The target has said its generation, so there is nothing to wait for. */
    val atOnce = Bool()
    val generation = UInt(8.W)
  }
  private val flows = Mem(peers, new Flow)
  private val sent = Mem(messages, new PeerMessage(p))
  private val next = Mem(messages, UInt(messageBits.W))
  private val generations = Mem(messages, UInt(8.W))
  private val sweep = Module(new Sweep(peers))
  io.generation := generations.read(io.ask)

  private val ticks = RegInit(0.U(log2Ceil(p.initiator.clocks).W))
  private val now = RegInit(0.U(32.W))
  ticks := Mux(ticks === (p.initiator.clocks - 1).U, 0.U, ticks + 1.U)
  when(ticks === (p.initiator.clocks - 1).U)(now := now + 1.U)

  // One of them a clock: a message has ended; one comes; a peer is looked at.
  private val able = sweep.io.ready
  private val scan = RegInit(0.U(p.peersLog2.W))
  private val ends = able && io.end.valid
  private val comes = able && !ends && io.message.valid
  private val scans = able && !ends && !comes
  private val peer = Mux(
    ends,
    sent.read(io.end.bits.message).peer,
    Mux(comes, io.message.bits.peer, scan)
  )
  private val flow = flows.read(peer)
  private val after = WireDefault(flow)
  private val stores = WireDefault(false.B)

  private val end = io.end.bits
  private val codes =
    Seq(ReturnCode.badGeneration, ReturnCode.disabledGeneration, ReturnCode.noMatch)
  private val refused = !end.lost && codes.map(end.code === _.U).reduce(_ || _)
  io.ended.valid := ends && !refused
  io.ended.bits := end
  io.end.ready := able && (refused || io.ended.ready)

  private val starts = !flow.blocked && !flow.waits.some
  private val resumes =
    scans && !flow.blocked && flow.waits.some && (!flow.alone || flow.open === 0.U)
  private val first = sent.read(flow.waits.head)
  io.message.ready := comes && (!starts || io.out.ready)
  io.out.valid := comes && starts || resumes
  io.out.bits := Mux(comes, io.message.bits.out, first.out)
  when(io.out.fire)(generations.write(io.out.bits.message, flow.generation))

  private val held = RegInit(0.U((messageBits + 1).W))
  held := held + (io.message.fire && !starts) + (io.end.fire && refused) - (resumes && io.out.ready)
  io.idle := able && held === 0.U && !io.message.valid && !io.end.valid

  private val linksAt = WireDefault(flow.waits.tail)
  private val linksTo = WireDefault(io.message.bits.out.message)
  private val links = WireDefault(false.B)
  when(links)(next.write(linksAt, linksTo))

  when(io.end.fire)(endOne())
  when(io.message.fire) {
    stores := true.B
    sent.write(io.message.bits.out.message, io.message.bits)
    when(starts)(after.open := flow.open + 1.U).otherwise {
      append(after.waits, flow.waits, io.message.bits.out.message)
    }
  }
  when(scans) {
    when(flow.blocked && !flow.rests && flow.open === 0.U)(gather())
    when(flow.blocked && flow.rests && !(now - flow.deadline)(31)) {
      stores := true.B
      after.blocked := false.B
      after.rests := false.B
      after.alone := true.B
    }
    when(resumes && io.out.ready) {
      stores := true.B
      after.open := flow.open + 1.U
      after.waits.some := flow.waits.head =/= flow.waits.tail
      after.waits.head := next.read(flow.waits.head)
    }.otherwise(scan := scan + 1.U)
  }
  when(!able || stores)(
    flows.write(Mux(able, peer, sweep.io.index), Mux(able, after, 0.U.asTypeOf(new Flow)))
  )

  /** Puts a message behind a list. */
  private def append(to: MessageList, from: MessageList, message: UInt): Unit = {
    to.some := true.B
    to.tail := message
    when(from.some) {
      links := true.B
      linksAt := from.tail
      linksTo := message
    }.otherwise(to.head := message)
  }

  private def endOne(): Unit = {
    assert(flow.open =/= 0.U, "peer %d has ended more messages than it had", peer)
    stores := true.B
    after.open := flow.open - 1.U
    when(refused) {
      after.blocked := true.B
      when(end.code === ReturnCode.badGeneration.U) {
        after.generation := end.generation
        after.atOnce := true.B
      }.elsewhen(!flow.blocked)(after.atOnce := false.B)
      append(after.refused, flow.refused, end.message)
    }.elsewhen(!end.lost) {
      after.alone := flow.alone && flow.blocked
      after.refusals := 0.U
    }
  }

  /** All that were sent are answered: what was refused is in front of what waits. */
  private def gather(): Unit = {
    stores := true.B
    after.rests := true.B
    after.refused.some := false.B
    when(flow.refused.some) {
      after.waits.some := true.B
      after.waits.head := flow.refused.head
      when(flow.waits.some) {
        links := true.B
        linksAt := flow.refused.tail
        linksTo := flow.waits.head
      }.otherwise(after.waits.tail := flow.refused.tail)
    }
    after.deadline := now + Mux(flow.atOnce, 0.U, io.patience << flow.refusals)
    when(flow.refusals < SendOrder.doublings.U)(after.refusals := flow.refusals + 1.U)
  }
}

object SendOrder {
  private val doublings = 4
}
