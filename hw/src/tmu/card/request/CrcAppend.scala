// SPDX-License-Identifier: Apache-2.0
package tmu.card.request

import chisel3._
import chisel3.util.{Cat, Valid}
import tmu.buffer.PointerQueue
import tmu.bus.AxiStream
import tmu.card.wire.{CrcCoverage, CrcSum, FrameHeaders, WireSettings}

/** Holds beats until the CRC of their frame is known, and puts it behind the last byte.
  *
  * A frame is padded to the least size of Ethernet behind its CRC.
  */
class CrcAppend extends Module {
  import CrcAppend._
  import FrameBeat.size
  val io = IO(new Bundle {
    val in = Input(Valid(new CoveredBeat))

    /** Beats that come `PayloadJoin.clocks` later have room. */
    val open = Output(Bool())

    /** Change while no frame is inside. */
    val settings = Input(new WireSettings)
    val stream = new AxiStream(FrameBeat.bits, 1)
  })
  private val withCrc = io.settings.crc =/= CrcCoverage.none.U
  private val sum = Module(new CrcSum(size))
  private val beat = io.in.bits.beat
  sum.io.in.valid := io.in.valid
  sum.io.in.bits.data := beat.data
  sum.io.in.bits.first := beat.first
  sum.io.in.bits.last := beat.last
  sum.io.in.bits.begins := io.in.bits.crcBegins
  sum.io.in.bits.end := io.in.bits.end.zext

  private val beats = Module(new PointerQueue(new FrameBeat, entries))
  private val crcs = Module(new PointerQueue(UInt(32.W), entries))
  beats.io.enq.valid := io.in.valid
  beats.io.enq.bits := beat
  crcs.io.enq.valid := sum.io.crc.valid
  crcs.io.enq.bits := sum.io.crc.bits
  io.open := RegNext(beats.io.count <= (entries - PayloadJoin.clocks - 2).U, false.B)
  assert(beats.io.enq.ready || !io.in.valid, "a beat without room")
  assert(crcs.io.enq.ready || !sum.io.crc.valid, "a CRC without room")

  // The last beat with its CRC, which may need a beat more.
  private val head = beats.io.deq.bits
  private val tail =
    Mux(withCrc, FrameHeaders.crcOctets(io.settings, crcs.io.deq.bits), 0.U)
  private val wide = head.data.pad(FrameBeat.bits + 32) |
    Mux(head.last, (tail << (head.bytes << 3))(FrameBeat.bits + 31, 0), 0.U)
  private val total = head.bytes +& Mux(head.last && withCrc, FrameHeaders.crcBytes.U, 0.U)
  private val least = FrameHeaders.leastBytes.U
  private val padded = Mux(head.first && head.last && total < least, least, total)

  private val stream = Module(new PointerQueue(new FrameBeat, 2))
  private val rests = RegInit(false.B)
  private val rest = Reg(UInt(32.W))
  private val restBytes = Reg(UInt(3.W))
  private val known = beats.io.deq.valid && (!head.last || crcs.io.deq.valid)
  private val over = padded > size.U
  private val out = stream.io.enq
  out.valid := rests || known
  out.bits.first := head.first && !rests
  out.bits.data := Mux(rests, rest, wide(FrameBeat.bits - 1, 0))
  out.bits.bytes := Mux(rests, restBytes, Mux(over, size.U, padded))
  out.bits.last := rests || head.last && !over
  beats.io.deq.ready := out.ready && !rests && known
  crcs.io.deq.ready := out.ready && !rests && known && head.last
  when(out.fire) {
    rests := !rests && over
    rest := wide(FrameBeat.bits + 31, FrameBeat.bits)
    restBytes := padded - size.U
  }

  io.stream.tvalid := stream.io.deq.valid
  stream.io.deq.ready := io.stream.tready
  io.stream.tdata := stream.io.deq.bits.data
  io.stream.tlast := stream.io.deq.bits.last
  io.stream.tkeep := Cat((size - 1 to 0 by -1).map(_.U < stream.io.deq.bits.bytes))
  io.stream.tuser := 0.U
}

object CrcAppend {

  /** Beats and CRCs: more than a CRC takes clocks, so that a beat leaves in every one. */
  private val entries = 31
  require(entries > CrcSum.latency(FrameBeat.size) + PayloadJoin.clocks + 8)
}
