// SPDX-License-Identifier: Apache-2.0
package tmu.card.send

import chisel3._
import chisel3.util.Decoupled
import tmu.buffer.Sweep

/** Change of an entry; refused while a message uses it. */
class TableEdit[T <: Data](entry: => T) extends Bundle {
  val index = UInt(16.W)
  val remove = Bool()
  val value = entry
}

/** A message begins or ends to use an entry. */
class TableUse extends Bundle {
  val index = UInt(16.W)
  val ends = Bool()
}

/** A table that the privileged driver writes, by number, with the uses of each entry (W8). */
class OwnedTable[T <: Data](entry: => T, log2: Int, useBits: Int, askers: Int = 1) extends Module {
  override def desiredName: String = s"OwnedTable${1 << log2}_${entry.typeName}"
  val io = IO(new Bundle {
    val edit = Flipped(Decoupled(new TableEdit(entry)))

    /** With an edit that is taken. */
    val refused = Output(Bool())
    val ask = Input(Vec(askers, UInt(16.W)))
    val live = Output(Vec(askers, Bool()))
    val found = Output(Vec(askers, entry))
    val use = Flipped(Decoupled(new TableUse))

    /** Cleared after reset. */
    val ready = Output(Bool())
  })
  private val size = 1 << log2
  private val entries = Mem(size, entry)
  private val lives = RegInit(0.U(size.W))
  private val uses = Mem(size, UInt(useBits.W))
  private val sweep = Module(new Sweep(size))
  io.ready := sweep.io.ready
  private def within(index: UInt): Bool = (index >> log2) === 0.U
  private def low(index: UInt): UInt = index(log2 - 1, 0)

  for (((ask, live), found) <- io.ask.zip(io.live).zip(io.found)) {
    live := within(ask) && (lives >> low(ask))(0)
    found := entries.read(low(ask))
  }

  private val edit = io.edit.bits
  private val used = uses.read(low(edit.index)) =/= 0.U
  private val isLive = (lives >> low(edit.index))(0)
  io.edit.ready := sweep.io.ready && !io.use.valid
  io.refused := !within(edit.index) || isLive && used
  private val bit = 1.U(size.W) << low(edit.index)
  when(io.edit.fire && !io.refused) {
    lives := Mux(edit.remove, lives & ~bit, lives | bit)
    when(!edit.remove)(entries.write(low(edit.index), edit.value))
  }

  private val use = io.use.bits
  private val now = uses.read(low(use.index))
  io.use.ready := sweep.io.ready
  when(!sweep.io.ready || io.use.fire)(
    uses.write(
      Mux(sweep.io.ready, low(use.index), sweep.io.index),
      Mux(sweep.io.ready, Mux(use.ends, now - 1.U, now + 1.U), 0.U)
    )
  )
  assert(!(io.use.fire && use.ends) || now =/= 0.U, "entry %d is used by nobody", use.index)
}
