// SPDX-License-Identifier: Apache-2.0
package tmu.card.fetch

import chisel3._
import chisel3.util.Decoupled
import tmu.buffer.PointerQueue
import tmu.bus.AxiRead
import tmu.card.request.FrameBeat

/** Payload of packets, from host memory or from their commands: pieces in, beats out, whose first
  * byte is the packet's first one.
  *
  * A packet is told when all of it has been read, and its beats come behind that: so what is said
  * in its header can depend on it.
  */
class PayloadFetch extends Module {
  val io = IO(new Bundle {
    val piece = Flipped(Decoupled(new FetchPiece))
    val read = new AxiRead(64, FrameBeat.bits, 1)
    val fetched = Decoupled(new FetchedPacket)
    val payload = Decoupled(UInt(FrameBeat.bits.W))
    val idle = Output(Bool())
  })
  private val bursts = Module(new ReadBursts)
  private val pieces = Module(new PointerQueue(new FetchPiece, PayloadFetch.pieces))
  private val packer = Module(new BytePacker)
  bursts.io.piece.valid := io.piece.valid && pieces.io.enq.ready
  bursts.io.piece.bits := io.piece.bits
  io.piece.ready := bursts.io.piece.ready && pieces.io.enq.ready
  pieces.io.enq.valid := io.piece.fire
  pieces.io.enq.bits := io.piece.bits
  packer.io.piece <> pieces.io.deq
  packer.io.beat <> bursts.io.beat
  io.read <> bursts.io.read
  io.fetched <> bursts.io.fetched
  io.payload <> packer.io.out
  io.idle := bursts.io.idle && !pieces.io.deq.valid && !io.payload.valid
}

object PayloadFetch {

  /** Pieces that are asked for and have not left: more than bursts, some need none. */
  private val pieces = 63
}
