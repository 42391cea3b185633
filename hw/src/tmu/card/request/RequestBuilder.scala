// SPDX-License-Identifier: Apache-2.0
package tmu.card.request

import chisel3._
import chisel3.util.Decoupled
import tmu.bus.AxiStream
import tmu.card.wire.WireSettings

/** Turns packets with their payload into frames, one after the other, a beat in every clock.
  *
  * A packet's payload comes in beats of 64 bytes, its first byte in the lowest bits; what lies
  * behind its last byte means nothing. A packet without payload has no beat.
  */
class RequestBuilder extends Module {
  val io = IO(new Bundle {
    val request = Flipped(Decoupled(new PacketRequest))
    val payload = Flipped(Decoupled(UInt(FrameBeat.bits.W)))

    /** Change while no packet is inside. */
    val settings = Input(new WireSettings)
    val stream = new AxiStream(FrameBeat.bits, 1)
  })
  private val headers = Module(new HeaderStep)
  private val join = Module(new PayloadJoin)
  private val append = Module(new CrcAppend)
  headers.io.request <> io.request
  headers.io.settings := io.settings
  join.io.front <> headers.io.front
  join.io.payload <> io.payload
  join.io.open := append.io.open
  append.io.in := join.io.out
  append.io.settings := io.settings
  io.stream <> append.io.stream
}
