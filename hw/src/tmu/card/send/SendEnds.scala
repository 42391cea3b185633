// SPDX-License-Identifier: Apache-2.0
package tmu.card.send

import chisel3._
import chisel3.util._
import tmu.card.initiator.MessageEnd
import tmu.card.wire.ReturnCode
import tmu.layout.{SendLayout, Statuses}

/** From a message's end to its completion (W4): its peer and memory are free for the driver before
  * it is told, its number when it was.
  */
class SendEnds(p: SendParams) extends Module {
  val io = IO(new Bundle {
    val end = Flipped(Decoupled(new MessageEnd(p.initiator)))
    val ask = Output(UInt(p.initiator.messageBits.W))
    val record = Input(new SendRecord(p))
    val usePeer = Decoupled(new TableUse)
    val useMemory = Decoupled(new TableUse)
    val completion = Decoupled(new SendCompletion(p))
    val free = Valid(UInt(p.initiator.messageBits.W))
    val idle = Output(Bool())
  })
  private object State extends ChiselEnum {
    val idle, peer, memory, tell = Value
  }
  private val state = RegInit(State.idle)
  private val end = Reg(new MessageEnd(p.initiator))
  private val record = Reg(new SendRecord(p))
  private val number = Reg(UInt(log2Ceil(SendLayout.pieces).W))
  private val piece = record.piece(number)
  private val skips = piece.bytes === 0.U
  io.ask := io.end.bits.message
  io.end.ready := state === State.idle
  io.usePeer.valid := state === State.peer
  io.usePeer.bits.index := record.peer
  io.usePeer.bits.ends := true.B
  io.useMemory.valid := state === State.memory && !skips
  io.useMemory.bits.index := piece.memory
  io.useMemory.bits.ends := true.B
  io.completion.valid := state === State.tell
  io.free.valid := io.completion.fire
  io.free.bits := end.message
  io.idle := state === State.idle

  switch(state) {
    is(State.idle) {
      end := io.end.bits
      record := io.record
      number := 0.U
      when(io.end.valid)(state := State.peer)
    }
    is(State.peer)(
      when(io.usePeer.ready)(state := Mux(record.count === 0.U, State.tell, State.memory))
    )
    is(State.memory)(when(skips || io.useMemory.ready) {
      number := number + 1.U
      when(number +& 1.U === record.count)(state := State.tell)
    })
    is(State.tell)(when(io.completion.ready)(state := State.idle))
  }

  private val well = !end.lost && end.code === ReturnCode.ok.U
  private val told = io.completion.bits
  told.from := record.from
  told.starts := false.B
  told.owed := true.B
  told.status := Mux(well, Statuses.sent.value.U, Statuses.undelivered.value.U)
  told.handle := record.handle
  told.matchBits := record.matchBits
  told.peer := record.peer
  told.code := Mux(end.lost, ReturnCode.undeliverable.U, end.code)
  told.givenUp := end.lost
  told.messageLength := record.length
  told.receiveLength := Mux(well, end.modifiedLength, 0.U)
  told.truncated := well && end.modifiedLength < record.length
}
