// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import chisel3.util.{log2Ceil, PopCount, Valid}
import tmu.card.wire.{PdcVerdict, Verdict}

/** Events of a card that sends, as many as there are in a clock. */
class SendEvents extends Bundle {

  /** Answers that were for nobody: as those of a card that does not send. */
  val ignored = Vec(2, Bool())

  /** Answers taken; frames sent; packets sent again; timeouts; messages that the unit took; those
    * without room or name; frames to the card itself that found no room.
    */
  val counted = Vec(SendEvents.counters, UInt(2.W))
}

object SendEvents {
  val counters: Int = 7
}

/** Counters of frames by their verdict, and of those that were accepted by what became of them
  * (W6); of beats of host memory by what they are for.
  */
class FrameCounters(sends: Boolean = false) extends Module {
  val io = IO(new Bundle {
    val frame = Flipped(Valid(UInt(Verdict.bits.W)))
    val packet = Flipped(Valid(UInt(PdcVerdict.bits.W)))

    /** Written: of completions, of payload, of what is moved from the pool; read from there. */
    val beats = Input(Vec(FrameCounters.beats, Bool()))

    /** A verdict; an outcome, behind them; a kind of beats, behind all of those. */
    val select = Input(UInt(FrameCounters.selectBits.W))
    val count = Output(UInt(32.W))

    /** Of a card that sends. */
    val send = Option.when(sends)(Input(new SendEvents))
  })
  import FrameCounters.{frames, outcomes}
  private val all = FrameCounters.all + (if (sends) SendEvents.counters else 0)
  private val counts = RegInit(VecInit.fill(all)(0.U(32.W)))
  // Frames that the parser has dropped are counted as frames alone.
  private val outcome = io.packet.valid && io.packet.bits =/= PdcVerdict.none.U
  for ((count, index) <- counts.take(FrameCounters.all).zipWithIndex) {
    val hit =
      if (index < frames) io.frame.valid && io.frame.bits === index.U
      else if (index < frames + outcomes) outcome && io.packet.bits === (index - frames).U
      else RegNext(io.beats(index - frames - outcomes), false.B)
    if (sends && index == frames + PdcVerdict.unasked)
      count := count + hit + PopCount(io.send.get.ignored)
    else when(hit)(count := count + 1.U)
  }
  for {
    send <- io.send
    (count, event) <- counts.drop(FrameCounters.all).zip(send.counted)
  } count := count + event
  io.count := RegNext(counts(io.select))
}

object FrameCounters {

  /** Verdicts, outcomes, and kinds of beats. */
  val frames: Int = 1 << Verdict.bits
  val outcomes: Int = 1 << PdcVerdict.bits
  val beats: Int = 4
  val all: Int = frames + outcomes + beats
  val selectBits: Int = log2Ceil(all)
}
