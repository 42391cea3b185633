// SPDX-License-Identifier: Apache-2.0
package tmu.counters

import chisel3._
import chisel3.util.{log2Ceil, Cat, UIntToOH}
import tmu.layout.DoorbellLayout
import tmu.registers.Counters

/** Port by which the pages read the snapshot; directions are the reader's. */
class SnapshotLook extends Bundle {

  /** Bit 0: the snapshot is not whole. */
  val number = Input(UInt(32.W))

  /** A line of 64 bytes of the window, a clock later. */
  val line = Output(UInt(PageCounters.lineBits.W))
  val words = Input(Vec(PageCounters.lineWords, UInt(64.W)))
}

/** The snapshot of all counters that every doorbell page shows.
  *
  * A page asks for a new one, and it is taken when the last one is old enough. So a snapshot stands
  * long enough to be read, and a page that asks waits no longer than that, whatever other pages ask
  * for (R13). Its number changes when a snapshot begins and when it is whole: words between two
  * readings of the same even number are of one clock.
  *
  * After a reset of the counters a snapshot is taken unasked; until it is whole there is none.
  *
  * @param clocks
  *   least age of a snapshot that is replaced
  */
class PageCounters(clocks: Int) extends Module {
  import PageCounters.lineWords
  require(clocks > 2 * Counters.all.size, s"a snapshot stands $clocks clocks, less than two rounds")

  val io = IO(new Bundle {
    val round = Input(new CounterRound)

    /** The counters are reset in this clock. */
    val clear = Input(Bool())
    val ask = Input(Bool())
    val look = Flipped(new SnapshotLook)
  })
  private def cleared[T <: Data](start: T): T = withReset(reset.asBool || io.clear)(RegInit(start))

  private val wanted = cleared(false.B)
  private val age = cleared(clocks.U(log2Ceil(clocks + 1).W))
  private val takes = io.round.turn && wanted && age === clocks.U
  when(takes)(age := 0.U).elsewhen(age =/= clocks.U)(age := age + 1.U)
  // A page that asks in the clock of the turn may have seen more than the round has.
  when(io.ask)(wanted := true.B).elsewhen(takes)(wanted := false.B)

  // Sums lie behind their turn by so much, and so does the end of their round.
  require(CounterBank.sumDelay == 2)
  private val taking = cleared(true.B)
  private val writes = cleared(false.B)
  when(io.round.turn)(taking := takes)
  writes := taking
  private val ends = writes && !taking && RegNext(io.round.turn, false.B)

  private val partial = cleared(true.B)
  private val count = RegInit(0.U(31.W))
  when(takes)(partial := true.B)
  // The sum of this clock is the last one.
  when(ends) {
    partial := false.B
    count := count + 1.U
  }
  io.look.number := Cat(count, partial)

  private val stored = (Counters.all.size + lineWords - 1) / lineWords
  private val block = Mem(stored, Vec(lineWords, UInt(CounterBank.width.W)))
  private val wordBits = log2Ceil(lineWords)
  private val word = io.round.index(wordBits - 1, 0)
  when(writes) {
    val words = VecInit.fill(lineWords)(io.round.sum)
    block.write(io.round.index >> wordBits, words, UIntToOH(word, lineWords).asBools)
  }
  // A line that is written while it is read is no part of a whole snapshot, so nobody believes it.
  private val line = RegNext(io.look.line)
  for ((word, i) <- RegNext(block.read(io.look.line)).zipWithIndex)
    io.look.words(i) := Mux(Cat(line, i.U(wordBits.W)) < Counters.all.size.U, word, 0.U)
}

object PageCounters {
  val lineBytes: Int = 64
  val lineWords: Int = lineBytes / DoorbellLayout.counterBytes
  private val lines = (DoorbellLayout.pageBytes - DoorbellLayout.countersOffset) / lineBytes
  val lineBits: Int = log2Ceil(lines)
}
