// SPDX-License-Identifier: Apache-2.0
package tmu.card.send

import chisel3._
import chisel3.util._
import tmu.bus.{AxiRead, AxiResponse}
import tmu.card.initiator.OutMessage
import tmu.layout.{SendLayout, Statuses}

/** From a command to a message: its peer and memory are its endpoint's, or it is refused and
  * nothing has changed (W8).
  *
  * One command after the other: 5 clocks for bytes at hand, 7 for a piece, and a read of memory
  * more for a list. A command waits while no number of a message is free.
  */
class SendStart(p: SendParams) extends Module {
  val io = IO(new Bundle {
    val command = Flipped(Decoupled(new SendCommand(p)))
    val number = Flipped(Decoupled(UInt(p.initiator.messageBits.W)))

    /** The network has been started. */
    val started = Input(Bool())

    /** Of IPv6 addresses. */
    val ipv6 = Input(Bool())
    val peerAsk = Output(UInt(16.W))
    val peerLive = Input(Bool())
    val peer = Input(new PeerEntry(p))
    val memoryAsk = Output(UInt(16.W))
    val memoryLive = Input(Bool())
    val memory = Input(new MemoryEntry(p))
    val usePeer = Decoupled(new TableUse)
    val useMemory = Decoupled(new TableUse)

    /** Reads lists of pieces. */
    val read = new AxiRead(64, 512, 1)

    /** The message's record, and the message, in the same clock. */
    val record = Output(new SendRecord(p))
    val message = Decoupled(new OutMessage(p.initiator))

    /** The command is refused, or, ahead of its message, that it starts. */
    val told = Decoupled(new SendCompletion(p))
    val idle = Output(Bool())

    /** Memory owes no answer. */
    val still = Output(Bool())
  })
  private object State extends ChiselEnum {
    val idle, peer, ask, list, check, hold, begin, start, refuse = Value
  }
  private val state = RegInit(State.idle)
  private val command = Reg(new SendCommand(p))
  private val pieces = Reg(Vec(SendLayout.pieces, new SendPiece))
  private val number = Reg(UInt(2.W))
  private val sum = Reg(UInt(34.W))
  private val wrong = Reg(Bool())
  private val status = Reg(UInt(8.W))
  private val holdsPeer = Reg(Bool())
  private val to = Reg(new PeerEntry(p))
  private def field(of: tmu.layout.WordField): UInt = of.of(command.record)
  private val count = field(SendFields.pieces)
  private val length = field(SendFields.length)
  private val piece = pieces(number)
  private val isLast = number +& 1.U >= count
  private def refuse(why: tmu.layout.Code): Unit = {
    status := why.value.U
    state := State.refuse
  }

  // A list is a piece of 64 bytes, its memory one look-up ahead.
  private val list = Wire(new SendPiece)
  list.address := field(SendFields.address)
  list.bytes := SendStart.listBytes.U
  list.memory := field(SendFields.memory)
  private val looked = Mux(state === State.check, piece, list)
  io.peerAsk := field(SendFields.peer)
  io.memoryAsk := looked.memory
  private val allowed = io.memoryLive && io.memory.read &&
    io.memory.holds(command.from.endpoint, looked.address, looked.bytes)

  io.command.ready := state === State.idle
  io.read.arvalid := state === State.ask && allowed && list.address(5, 0) === 0.U
  io.read.araddr := list.address
  io.read.arlen := 0.U
  io.read.arid := 0.U
  io.read.driveReadAttributes()
  io.read.rready := state === State.list
  io.usePeer.valid := state === State.hold && holdsPeer
  io.usePeer.bits.index := field(SendFields.peer)
  io.usePeer.bits.ends := false.B
  io.useMemory.valid := state === State.hold && !holdsPeer && piece.bytes =/= 0.U
  io.useMemory.bits.index := piece.memory
  io.useMemory.bits.ends := false.B
  private val held = Mux(
    holdsPeer,
    io.usePeer.ready,
    piece.bytes === 0.U || io.useMemory.ready
  )

  switch(state) {
    is(State.idle) {
      command := io.command.bits
      when(io.command.valid)(state := State.peer)
    }
    is(State.peer) {
      number := 0.U
      sum := 0.U
      wrong := false.B
      holdsPeer := true.B
      to := io.peer
      pieces := SendFields.inline(command.record).pad(pieces.getWidth).asTypeOf(pieces)
      when(!io.started || SendFields.malformed(command.record))(refuse(Statuses.malformed))
        .elsewhen(!io.peerLive || io.peer.owner =/= command.from.endpoint)(
          refuse(Statuses.refusedPeer)
        )
        .elsewhen(count === 0.U)(state := State.hold)
        .elsewhen(count === 1.U) {
          pieces(0) := list
          pieces(0).bytes := length
          state := State.check
        }
        .otherwise(state := State.ask)
    }
    is(State.ask) {
      when(!allowed || list.address(5, 0).orR)(refuse(Statuses.refusedMemory))
        .elsewhen(io.read.arready)(state := State.list)
    }
    is(State.list) {
      for (i <- 0 until SendLayout.pieces) pieces(i) := SendFields.piece(io.read.rdata, i)
      when(io.read.rvalid) {
        state := State.check
        when(io.read.rresp =/= AxiResponse.okay)(refuse(Statuses.refusedMemory))
      }
    }
    is(State.check) {
      val bad = wrong || piece.bytes =/= 0.U && !allowed
      val all = sum + piece.bytes
      wrong := bad
      sum := all
      number := Mux(isLast, 0.U, number + 1.U)
      when(isLast) {
        state := State.hold
        when(bad)(refuse(Statuses.refusedMemory))
          .elsewhen(all =/= length)(refuse(Statuses.malformed))
      }
    }
    is(State.hold) {
      when(held) {
        holdsPeer := false.B
        when(!holdsPeer)(number := number + 1.U)
        when(Mux(holdsPeer, count === 0.U, isLast))(state := State.begin)
      }
    }
    is(State.begin)(when(io.told.fire)(state := State.start))
    is(State.start)(when(io.message.fire)(state := State.idle))
    is(State.refuse)(when(io.told.fire)(state := State.idle))
  }

  io.message.valid := state === State.start && io.number.valid
  io.number.ready := state === State.start && io.message.ready
  io.message.bits.message := io.number.bits
  io.message.bits.key.ipv6 := io.ipv6
  io.message.bits.key.address := to.address
  io.message.bits.key.job := to.job
  io.message.bits.length := length
  io.record.from := command.from
  io.record.handle := field(SendFields.handle)
  io.record.peer := field(SendFields.peer)
  io.record.pid := to.pid
  io.record.index := to.index
  io.record.initiator := to.initiator
  io.record.matchBits := field(SendFields.matchBits)
  io.record.hasHeaderData := field(SendFields.header)
  io.record.headerData := field(SendFields.headerData)
  io.record.length := length
  io.record.count := count
  io.record.piece := pieces

  // A command starts when there is a number for its message, so pages' turns are bounded by numbers.
  io.told.valid := state === State.refuse || state === State.begin && io.number.valid
  io.told.bits := 0.U.asTypeOf(new SendCompletion(p))
  io.told.bits.from := command.from
  io.told.bits.starts := state === State.begin
  io.told.bits.status := status
  io.told.bits.handle := field(SendFields.handle)
  io.idle := state === State.idle
  io.still := state =/= State.ask && state =/= State.list
}

object SendStart {

  /** A list of pieces, at a multiple of its bytes. */
  private val listBytes = 64
}
