// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import chisel3.util.{log2Ceil, Valid}
import tmu.mutant.Mutant

/** Takes bytes off the front of each frame, so that what follows begins at byte 0.
  *
  * A beat goes out when the next one is there to fill it, or when it is the frame's last. No frame
  * gets longer, so a beat can come in every clock, whatever the frames; and each keeps at least one
  * beat, be it empty.
  *
  * @param drops
  *   the numbers of bytes that there are to choose from, less than a beat
  */
class DropFront[T <: Data](mark: => T, drops: Seq[Int]) extends Module {
  override def desiredName: String = s"DropFront${drops.mkString("_")}"
  require(drops.size > 1 && drops.forall(n => n >= 0 && n < Beat.size), s"drops $drops")
  val io = IO(new Bundle {
    val in = Input(Valid(new Marked(mark)))

    /** With a frame's first beat: which of `drops`. */
    val choice = Input(UInt(log2Ceil(drops.size).W))
    val out = Output(Valid(new Marked(mark)))
  })
  private def beat = io.in.bits.beat

  private val waits = RegInit(false.B)
  private val held = Reg(new Marked(mark))
  private val choice = Reg(chiselTypeOf(io.choice))
  private def of[D <: Data](make: Int => D): D = VecInit(drops.map(make))(choice)
  private val drop = of(_.U(Beat.countBits.W))

  // The held beat is filled from the next one of its frame, or goes as it is.
  private val filled = waits && !held.beat.last && io.in.valid
  private val ends = waits && held.beat.last
  private val spent =
    filled && beat.last && Mutant("just_fits", beat.bytes <= drop)(_ => beat.bytes < drop)
  when(io.in.valid) {
    held := io.in.bits
    waits := Mutant("beat_twice", !spent)(_ => true.B)
  }.elsewhen(ends)(waits := false.B)
  when(io.in.valid && beat.first)(choice := io.choice)

  private val out = Reg(new Marked(mark))
  out := held
  private val both = beat.data ## held.beat.data
  out.beat.data := of(n => both(8 * n + Beat.dataBits - 1, 8 * n))
  private val left = Mux(held.beat.bytes > drop, held.beat.bytes - drop, 0.U)
  private val gained = Mux(beat.bytes < drop, beat.bytes, drop)
  out.beat.bytes := Mux(filled, left + gained, left)
  out.beat.last := ends || spent
  out.beat.bad := Mux(ends, held.beat.bad, beat.bad)
  io.out.valid := RegNext(filled || ends, false.B)
  io.out.bits := out

  assert(!(io.in.valid && waits && beat.first =/= held.beat.last), "a frame without its last beat")
}
