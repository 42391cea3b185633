// SPDX-License-Identifier: Apache-2.0
package tmu.fault

import chisel3._
import chisel3.util.{RegEnable, UIntToOH, Valid}
import tmu.layout.Code
import tmu.params.TmuParams

/** Flips a bit of the next word that is written to a store, when software has asked for it. */
class FaultFlip(store: Code, width: Int) extends Module {
  override def desiredName: String = s"FaultFlip${store.value}"
  val io = IO(new Bundle {
    val request = Flipped(Valid(new FaultRequest))

    /** A word is written in this clock; its bits that are to be flipped, known before. */
    val writes = Input(Bool())
    val flips = Output(UInt(width.W))
    val view = Output(new FaultView)
  })
  private val armed = RegInit(false.B)
  private val bit = Reg(UInt(io.request.bits.bit.getWidth.W))
  private val asked = io.request.valid && io.request.bits.store === store.value.U
  private val selected = RegNext(asked, false.B)
  when(asked)(bit := io.request.bits.bit)
  require(width < (1 << bit.getWidth), s"a word of $width bits in ${store.name}")

  // Decoded ahead: a word is on its way to what compares it, and so is this.
  private val mask = RegEnable(UIntToOH(bit, 1 << bit.getWidth)(width - 1, 0), selected)
  when(io.request.valid)(armed := false.B)
    .elsewhen(selected)(armed := true.B)
    .elsewhen(io.writes)(armed := false.B)
  io.flips := Mux(armed && !io.request.valid, mask, 0.U)
  io.view := FaultView.none
  io.view.flipped := io.writes && io.flips.orR
  io.view.bits := Mux(selected, width.U, 0.U)
}

object FaultFlip {

  /** @param writes
    *   the word is written in this clock
    * @return
    *   the word as it is to be written, and what software sees of it; a unit without parity flips
    *   nothing
    */
  def apply[T <: Data](
      p: TmuParams,
      store: Code,
      word: T,
      request: Valid[FaultRequest],
      writes: Bool
  ): (T, FaultView) =
    if (!p.parity) (word, FaultView.none)
    else {
      val flip = Module(new FaultFlip(store, word.getWidth))
      flip.io.request := request
      flip.io.writes := writes
      ((word.asUInt ^ flip.io.flips).asTypeOf(chiselTypeOf(word)), flip.io.view)
    }
}
