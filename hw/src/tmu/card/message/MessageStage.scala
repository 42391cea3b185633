// SPDX-License-Identifier: Apache-2.0
package tmu.card.message

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, Valid}
import tmu.card.pdc.HandledPacket
import tmu.card.placement.{PlacementOrder, PlacementParams}

/** Packets of connections become messages: an arrival for the unit with the first packet of each
  * (W1), an order for the payload of each packet, and an answer.
  */
class MessageStage(m: MessageParams, p: PlacementParams) extends Module {
  require(m.messages == p.messages, s"${m.messages} messages, and ${p.messages} to be placed")
  val io = IO(new Bundle {
    val packet = Flipped(Decoupled(new MessagePacket))
    val settings = Input(new MessageSettings)
    val change = Flipped(Decoupled(new EndpointChange(m)))
    val changed = Output(Valid(Bool()))

    /** An endpoint gets a pool. */
    val pool = Flipped(Valid(UInt(m.endpointBits.W)))
    val order = Decoupled(new PlacementOrder(p))
    val arrival = Decoupled(new Arrival(m))

    /** Answer of the unit to each arrival. */
    val say = Flipped(Valid(new ArrivalAnswer(m)))

    /** The host has been told of a message, and nothing of it is needed any more. */
    val told = Flipped(Decoupled(UInt(m.messageBits.W)))
    val answer = Decoupled(new HandledPacket)

    /** A message that nobody takes was refused. */
    val refuses = Output(Bool())

    /** A message may begin. */
    val room = Output(Bool())
    val idle = Output(Bool())
  })
  private val endpoints = Module(new EndpointStep(m))
  private val contexts = Module(new ContextStep(m, p))
  private val answers = Module(new AnswerStep(m))
  private val numbers = Module(new MessageNumbers(m))

  endpoints.io.packet <> io.packet
  endpoints.io.packet.valid := io.packet.valid && numbers.io.ready
  io.packet.ready := endpoints.io.packet.ready && numbers.io.ready
  endpoints.io.settings := io.settings
  endpoints.io.change <> io.change
  io.changed := endpoints.io.changed
  contexts.io.packet <> endpoints.io.out
  contexts.io.idlePeriod := io.settings.idle
  contexts.io.number <> numbers.io.next
  numbers.io.endpoint := contexts.io.endpoint
  contexts.io.share := numbers.io.share
  numbers.io.full := contexts.io.full
  numbers.io.pool := io.pool
  io.refuses := contexts.io.refuses
  io.order <> contexts.io.order
  io.arrival <> contexts.io.arrival
  answers.io.intent <> contexts.io.intent
  answers.io.begun.valid := numbers.io.next.fire
  answers.io.begun.bits := numbers.io.next.bits
  answers.io.say := io.say
  io.answer <> answers.io.answer
  numbers.io.answered := answers.io.answered
  numbers.io.told <> io.told

  // Packets in the first two steps: each may begin a message that stays open.
  private val inside = RegInit(0.U(log2Ceil(MessageStage.most + 1).W))
  private val taken = io.packet.fire
  private val done = contexts.io.done
  inside := inside + taken - done
  assert(!(inside === MessageStage.most.U && taken && !done), "too many packets inside")
  private val needed = inside +& MessageParams.ahead.U
  // An endpoint without generations cannot refuse: none of its messages is let in without a number.
  private val plain = RegInit(false.B)
  private val change = io.change.bits
  when(
    io.change.fire && change.level === EndpointLevel.endpoint.U && !change.remove &&
      !change.entry.usesGeneration
  )(plain := true.B)
  private val numbered = !plain || numbers.io.free > needed
  io.room := RegNext(numbered && contexts.io.free > needed, false.B)
  io.idle := inside === 0.U && endpoints.io.idle && contexts.io.idle && answers.io.idle
}

object MessageStage {

  /** Packets between this stage's entry and the end of the second step at most. */
  val most: Int = 7
}
