// SPDX-License-Identifier: Apache-2.0
package tmu.card.message

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, OHToUInt, PriorityEncoder, Valid}
import tmu.buffer.Sweep

/** Inserts a key with its value, or changes its value, or removes it. */
class TableChange(keyBits: Int, valueBits: Int) extends Bundle {
  val key = UInt(keyBits.W)
  val value = UInt(valueBits.W)
  val remove = Bool()
}

/** An exact-match table in memories: `ways` entries for each hash of a key, all compared.
  *
  * A look-up is answered in the next clock, one a clock. A change takes two clocks in which nothing
  * is looked up; it is refused when the set of its key is full, and nothing has changed then. A
  * change of a key that is there never fails.
  */
class HashTable(keyBits: Int, valueBits: Int, entries: Int, ways: Int = 4) extends Module {
  require(entries % ways == 0 && entries / ways >= 2, s"$entries entries in sets of $ways")
  private val sets = entries / ways
  private val setBits = log2Ceil(sets)
  require(1 << setBits == sets, s"$sets sets; they are a power of two")

  val io = IO(new Bundle {

    /** Not taken while a change is under way, and until the table is clear after reset. */
    val ready = Output(Bool())
    val ask = Input(Valid(UInt(keyBits.W)))

    /** One clock behind `ask`. */
    val found = Output(Bool())
    val value = Output(UInt(valueBits.W))
    val change = Flipped(Decoupled(new TableChange(keyBits, valueBits)))

    /** A change is done; whether it was carried out. */
    val changed = Output(Valid(Bool()))
  })
  private class Entry extends Bundle {
    val live = Bool()
    val key = UInt(keyBits.W)
    val value = UInt(valueBits.W)
  }
  private val memories = Seq.fill(ways)(Mem(sets, new Entry))
  private val sweep = Module(new Sweep(sets))

  // A change reads its set in the clock in which it is taken, and writes in the next one.
  private val changing = RegInit(false.B)
  io.ready := sweep.io.ready && !changing && !io.change.valid
  io.change.ready := sweep.io.ready && !changing
  changing := io.change.fire
  private val key = Mux(io.change.valid, io.change.bits.key, io.ask.bits)
  private val change = RegNext(io.change.bits)
  private val asked = RegNext(key)
  private val set = HashTable.hash(key, setBits)
  private val changedSet = RegNext(set)
  private val entry = memories.map(memory => RegNext(memory.read(set)))
  private val hits = VecInit(entry.map(e => e.live && e.key === asked)).asUInt
  io.found := hits.orR
  io.value := entry.zipWithIndex
    .map { case (e, way) => Mux(hits(way), e.value, 0.U) }
    .reduce(_ | _)

  private val free = VecInit(entry.map(!_.live)).asUInt
  private val way = Mux(io.found, OHToUInt(hits), PriorityEncoder(free))
  private val able = io.found || (!change.remove && free.orR)
  private val write = Wire(new Entry)
  write.live := sweep.io.ready && !change.remove
  write.key := change.key
  write.value := change.value
  for ((memory, index) <- memories.zipWithIndex)
    when(!sweep.io.ready || (changing && able && way === index.U))(
      memory.write(Mux(sweep.io.ready, changedSet, sweep.io.index), write)
    )
  io.changed.valid := changing
  io.changed.bits := able

  assert(!(io.ask.valid && !io.ready), "a look-up while the table changes")
  private val looks = RegNext(io.ask.valid, false.B) || changing
  assert(!looks || (hits & (hits - 1.U)) === 0.U, "a key is there twice")
}

object HashTable {

  /** All bits of a key take part: pieces of it, each turned by one more, are added without carry.
    */
  def hash(key: UInt, bits: Int): UInt = {
    val pieces = (0 until key.getWidth by bits).map { low =>
      key(math.min(low + bits, key.getWidth) - 1, low).pad(bits)
    }
    pieces.zipWithIndex
      .map { case (piece, index) =>
        val by = index % bits
        if (by == 0) piece else piece(bits - by - 1, 0) ## piece(bits - 1, bits - by)
      }
      .reduce(_ ^ _)
  }
}
