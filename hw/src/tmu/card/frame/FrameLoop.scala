// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import chisel3.util.Decoupled
import tmu.buffer.BlockQueue
import tmu.bus.AxiStream

/** Beat of a frame. */
class StreamBeat extends Bundle {
  val data = UInt(Beat.dataBits.W)
  val keep = UInt((Beat.dataBits / 8).W)
  val last = Bool()
}

/** Frames of a stream that are for the card itself, which no switch sends back to where they come
  * from, apart from the others. Frame by frame: what begins to go one path goes it to its end.
  */
class FrameSplit extends Module {
  val io = IO(new Bundle {
    val in = Flipped(new AxiStream(Beat.dataBits, 1))
    val out = new AxiStream(Beat.dataBits, 1)

    /** Beats of the card's own; not stable before they are taken. */
    val own = Decoupled(new StreamBeat)

    /** Own frames that begin now are dropped. */
    val full = Input(Bool())
    val dropped = Output(Bool())
    val ended = Output(Bool())
  })
  private object Path extends ChiselEnum {
    val out, own, nowhere = Value
  }
  private val begins = RegInit(true.B)
  private val held = Reg(Path())
  private def mac(byte: Int): UInt = io.in.tdata(8 * (byte + FrameSplit.macBytes) - 1, 8 * byte)
  private val isOwn = mac(0) === mac(FrameSplit.macBytes)
  private val path = Mux(
    begins,
    Mux(isOwn, Mux(io.full, Path.nowhere, Path.own), Path.out),
    held
  )
  io.out.tdata := io.in.tdata
  io.out.tkeep := io.in.tkeep
  io.out.tlast := io.in.tlast
  io.out.tuser := io.in.tuser
  io.out.tvalid := io.in.tvalid && path === Path.out
  io.own.valid := io.in.tvalid && path === Path.own
  io.own.bits.data := io.in.tdata
  io.own.bits.keep := io.in.tkeep
  io.own.bits.last := io.in.tlast
  io.in.tready := Mux(path === Path.out, io.out.tready, path === Path.nowhere || io.own.ready)
  private val fires = io.in.tvalid && io.in.tready
  when(fires) {
    begins := io.in.tlast
    held := path
  }
  io.ended := fires && io.in.tlast
  io.dropped := io.ended && path === Path.nowhere
}

object FrameSplit {
  private val macBytes = 6
}

/** The card's frames to itself, from both of its streams to one, and the others on one port.
  *
  * Neither stream ever waits for it, because what reads frames waits for both: a frame that finds
  * no room is lost, as on a wire, and comes again.
  */
class FrameLoop extends Module {
  val io = IO(new Bundle {
    val answers = Flipped(new AxiStream(Beat.dataBits, 1))
    val requests = Flipped(new AxiStream(Beat.dataBits, 1))
    val out = new AxiStream(Beat.dataBits, 1)
    val own = new AxiStream(Beat.dataBits, 1)

    /** Own frames are dropped: nobody reads them. */
    val stop = Input(Bool())

    /** Frames that were dropped, and all that have come; a pulse for each stream. */
    val dropped = Output(Vec(2, Bool()))
    val ended = Output(Vec(2, Bool()))
    val idle = Output(Bool())
  })
  private val splits = Seq.fill(2)(Module(new FrameSplit))
  private val others, own = Module(new FrameMerge)
  private val queues = FrameLoop.beats.map(beats => Module(new BlockQueue(new StreamBeat, beats)))
  splits(0).io.in <> io.answers
  splits(1).io.in <> io.requests
  for (
    (((split, queue), longest), index) <- splits.zip(queues).zip(FrameLoop.longest).zipWithIndex
  ) {
    others.io.in(index) <> split.io.out
    queue.io.enq <> split.io.own
    split.io.full := io.stop || queue.io.count > (FrameLoop.beats(index) - longest).U
    assert(!split.io.own.valid || split.io.own.ready, "no room for a frame that was let in")
    val (in, beat) = (own.io.in(index), queue.io.deq)
    in.tvalid := beat.valid
    in.tdata := beat.bits.data
    in.tkeep := beat.bits.keep
    in.tlast := beat.bits.last
    in.tuser := 0.U
    beat.ready := in.tready
    io.ended(index) := split.io.ended
  }
  io.out <> others.io.out
  io.own <> own.io.out
  io.dropped := VecInit(splits.map(_.io.dropped))
  io.idle := queues.map(_.io.count === 0.U).reduce(_ && _)
}

object FrameLoop {

  /** Of answers and of requests, beats that wait, and those of the longest frame. */
  private val beats = Seq(127, 511)
  private val longest = Seq(2, 132)
}
