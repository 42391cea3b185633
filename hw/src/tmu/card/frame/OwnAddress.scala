// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import chisel3.util.{Decoupled, Valid}
import tmu.buffer.PointerQueue
import tmu.card.wire.{PacketRecord, Verdict}

/** Frames to another address are foreign (W6). */
class OwnAddress extends Module {
  val io = IO(new Bundle {
    val in = Flipped(Decoupled(new PacketRecord))
    val ipv6 = Input(Bool())
    val address = Input(UInt(128.W))
    val out = Decoupled(new PacketRecord)

    /** The verdict on a frame, once each (W6). */
    val counted = Output(Valid(UInt(Verdict.bits.W)))
  })
  private val records = Module(new PointerQueue(new PacketRecord, 3))
  private val internet = io.in.bits.internet
  private val own = internet.ipv6 === io.ipv6 && internet.destination === io.address
  private val record = WireDefault(io.in.bits)
  when(io.in.bits.verdict === Verdict.accepted.U && !own)(record.verdict := Verdict.foreign.U)
  records.io.enq.valid := io.in.valid
  records.io.enq.bits := record
  io.in.ready := records.io.enq.ready
  io.out <> records.io.deq
  io.counted.valid := RegNext(io.in.fire, false.B)
  io.counted.bits := RegNext(record.verdict)
}
