// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{Decoupled, Valid}
import scala.collection.mutable
import scala.util.Random
import tmu.Seeds
import tmu.params.{SpillLayout, SpillParams}

/** The editor with the chunks that it changes, connected as in the whole. */
class SpillEditorHarness(s: SpillParams) extends Module {
  private val editor = Module(new SpillEditor(s))
  private val chunks = Module(new ChunkTable(s))
  val io = IO(new Bundle {
    val list = Input(new SpillList(s))
    val update = Valid(new SpillList(s))
    val begins = Input(Bool())
    val remove = Flipped(Decoupled(new FoundSlot(s)))
    val append = Flipped(Decoupled(new Addition(s)))
    val refused = Output(Bool())
    val write = Decoupled(new SpillWrite(s))

    /** Chunks that there are, those that are free, and the state of one while nobody edits. */
    val chunks = Input(UInt(s.freeBits.W))
    val spare = Output(UInt(s.freeBits.W))
    val look = Input(UInt(s.chunkBits.W))
    val state = Output(new ChunkState(s))
  })
  editor.io.fault.flip := 0.U.asTypeOf(editor.io.fault.flip)
  chunks.io.fault.flip := 0.U.asTypeOf(chunks.io.fault.flip)
  editor.io.list := io.list
  editor.io.opens := io.list.count === 0.U || io.list.fill === SpillLayout.entries.U
  io.update := editor.io.update
  editor.io.begins := io.begins
  editor.io.remove <> io.remove
  editor.io.append <> io.append
  io.refused := editor.io.refused
  io.write <> editor.io.write
  chunks.io.read := Mux(editor.io.look.valid, editor.io.look.bits, io.look)
  editor.io.state := chunks.io.state
  io.state := chunks.io.state
  chunks.io.link := editor.io.link
  chunks.io.mark := editor.io.mark
  editor.io.allocate <> chunks.io.allocate
  editor.io.exhausted := chunks.io.exhausted
  chunks.io.free := editor.io.free
  chunks.io.chunks := io.chunks
  io.spare := chunks.io.spare
}

class SpillEditorSpec extends SpillSpec {
  private val editor = device(new SpillEditorHarness(s))
  private val chunks = 9

  /** A list as it should be: its chunks in their order, each with its live entries by handle. */
  private class Model {
    val chunks = mutable.Buffer[(Int, mutable.SortedMap[Int, Int])]()
    var (head, tail, fill, count) = (BigInt(0), BigInt(0), BigInt(0), BigInt(0))
    def entries: Seq[(Int, Int, Int)] =
      for { (c, live) <- chunks.toSeq; (slot, handle) <- live } yield (c, slot, handle)
  }

  private class Bench(dut: SpillEditorHarness, random: Random) {
    private val io = dut.io
    val lists = Seq.fill(3)(new Model)
    private val memory = mutable.Map[(Int, Int, Boolean), BigInt]()
    private var handles = 0
    var refusals = 0
    Seq(io.begins, io.remove.valid, io.append.valid).foreach(_.poke(false))
    io.chunks.poke(chunks)
    io.look.poke(0)

    private def edit(m: Model): Unit = {
      io.list.head.poke(m.head)
      io.list.tail.poke(m.tail)
      io.list.fill.poke(m.fill)
      io.list.count.poke(m.count)
    }

    /** A clock; the list follows its updates, and memory its writes. Whether an append or a removal
      * ended in it, and whether that was refused.
      */
    private def tick(m: Model): (Boolean, Boolean) = {
      val ready = random.nextInt(3) > 0
      io.write.ready.poke(ready)
      val ends = (io.append.valid.isOn && io.append.ready.isOn) ||
        (io.remove.valid.isOn && io.remove.ready.isOn)
      val refused = io.refused.isOn
      if (ready && io.write.valid.isOn) {
        val at = io.write.bits.at
        memory((at.chunk.value.toInt, at.slot.value.toInt, io.write.bits.isWord.isOn)) =
          io.write.bits.data.value
      }
      val update = Option.when(io.update.valid.isOn)(
        Seq(io.update.bits.head, io.update.bits.tail, io.update.bits.fill, io.update.bits.count)
          .map(_.value)
      )
      dut.clock.step()
      update.foreach { u =>
        m.head = u(0)
        m.tail = u(1)
        m.fill = u(2)
        m.count = u(3)
      }
      edit(m)
      (ends, refused)
    }

    /** Clocks until what is offered is done; whether it was refused. */
    private def finish(m: Model, what: String, limit: Int): Boolean = {
      var last = tick(m)
      for (n <- Iterator.from(0).takeWhile(_ => !last._1)) {
        assert(n < limit, s"$what does not end")
        last = tick(m)
      }
      last._2
    }

    /** Appends an entry; whether there was a chunk for it. */
    def append(m: Model): Boolean = {
      handles += 1
      val e = Plain(1, handles & 0xfff, 3, handles & 0xff, handles & 0xffff)
      val entry = io.append.bits.entry
      entry.endpoint.poke(e.endpoint)
      entry.id.poke(e.id)
      entry.key.bits.poke(e.bits)
      entry.key.source.poke(e.source)
      entry.handle.poke(e.handle)
      val filter = io.append.bits.word.filter
      io.append.bits.word.parity.poke(word(e) & 1)
      io.append.bits.word.id.poke(e.id & ((1 << s.idBits) - 1))
      filter.low.poke(e.bits & 3)
      io.append.valid.poke(true)
      edit(m)
      val refused = finish(m, "an append", limit = 100)
      io.append.valid.poke(false)
      if (refused) refusals += 1
      else {
        val fresh = m.chunks.lastOption.forall(_._1 != m.tail.toInt)
        if (fresh) m.chunks += (m.tail.toInt -> mutable.SortedMap())
        val slot = m.fill.toInt - 1
        m.chunks.last._2(slot) = e.handle
        assert(memory((m.tail.toInt, slot, false)) == beat(e, m.tail.toInt, slot), "the entry")
        val words = memory((m.tail.toInt, slot, true))
        assert(words == everywhere(word(e)), "its word")
      }
      !refused
    }

    /** Removes some entries as a sweep would: in age order, with chunks as the search saw them. */
    def sweep(m: Model, picks: Seq[(Int, Int, Int)]): Unit = {
      val seen = m.chunks.map(_._1).toSeq
      edit(m)
      io.begins.poke(true)
      tick(m)
      io.begins.poke(false)
      for ((chunk, slot, _) <- picks) {
        val at = seen.indexOf(chunk)
        io.remove.bits.chunk.chunk.poke(chunk)
        io.remove.bits.chunk.isHead.poke(at == 0)
        io.remove.bits.chunk.previous.poke(if (at == 0) random.nextInt(s.chunks) else seen(at - 1))
        io.remove.bits.slot.poke(slot)
        io.remove.valid.poke(true)
        finish(m, "a removal", limit = 4)
        io.remove.valid.poke(false)
        val i = m.chunks.indexWhere(_._1 == chunk)
        m.chunks(i)._2 -= slot
        if (m.chunks(i)._2.isEmpty) m.chunks.remove(i)
      }
      tick(m) // the list changes in the clock after the last one
    }

    /** Follows the links of every list from its head on. */
    def check(): Unit = {
      for (m <- lists) {
        assert(m.count == m.entries.size)
        if (m.count > 0) assert((m.head, m.tail) == ((m.chunks.head._1, m.chunks.last._1)))
        var at = m.head.toInt
        for (((chunk, live), i) <- m.chunks.zipWithIndex) {
          assert(at == chunk, s"chunk $i of ${m.chunks.map(_._1)}")
          io.look.poke(chunk)
          dut.clock.step()
          assert(io.state.live.value == live.keys.map(BigInt(1) << _).sum, s"chunk $chunk")
          at = io.state.next.value.toInt
        }
      }
      dut.clock.step(3)
      assert(io.spare.value == chunks - lists.map(_.chunks.size).sum, "R11: chunks got lost")
    }
  }

  describe("SpillEditor") {
    it("R3, R4: lists keep their order under appends and sweeps at random, and lose no chunk") {
      val random = Seeds.random("SpillEditor")
      editor.run { dut =>
        val bench = new Bench(dut, random)
        for (round <- 0 until 60) {
          val m = bench.lists(random.nextInt(bench.lists.size))
          for (_ <- 0 until random.nextInt(60)) bench.append(m)
          val other = bench.lists(random.nextInt(bench.lists.size))
          val all = other.entries
          val share = random.nextInt(5) match {
            case 0 => all.headOption.toSeq
            case 1 => all.lastOption.toSeq
            case 2 => all.filter(_ => random.nextInt(3) == 0)
            // Whole chunks, several of them in a sweep, others between.
            case 3 =>
              val gone = other.chunks.map(_._1).filter(_ => random.nextInt(3) > 0).toSet
              all.filter(e => gone(e._1) || random.nextInt(20) == 0)
            case _ => if (random.nextInt(3) == 0) all else all.drop(random.nextInt(60)).take(80)
          }
          bench.sweep(other, share)
          bench.check()
        }
        for (m <- bench.lists) bench.sweep(m, m.entries)
        bench.check()
        assert(dut.io.spare.value == chunks)
      }
    }

    it("R11: refuses an append when no chunk is free, changes nothing, and goes on when one is") {
      val random = Seeds.random("SpillEditor full")
      editor.run { dut =>
        val bench = new Bench(dut, random)
        val (long, short, none) = (bench.lists(0), bench.lists(1), bench.lists(2))
        assert(bench.append(short))
        while (bench.append(long)) {}
        assert(long.entries.size == (chunks - 1) * chunkSlots)
        assert(!bench.append(none) && bench.append(short), "a chunk that has room has room")
        bench.check()
        // All of a chunk but one entry: still no room. That one: room.
        val middle = long.entries.filter(_._1 == long.chunks(3)._1)
        bench.sweep(long, middle.tail)
        assert(!bench.append(long) && !bench.append(none))
        bench.sweep(long, middle.take(1))
        assert(bench.append(none) && !bench.append(long))
        bench.check()
        assert(bench.refusals == 5)
      }
    }

    it("R3: the tail's last entry leaves, and the next append opens a chunk behind the new tail") {
      val random = Seeds.random("SpillEditor tail")
      editor.run { dut =>
        val bench = new Bench(dut, random)
        val m = bench.lists.head
        for (_ <- 0 to chunkSlots) bench.append(m)
        bench.sweep(m, m.entries.takeRight(1))
        bench.check()
        for (_ <- 0 until 3) bench.append(m)
        assert(m.chunks.map(_._2.size) == Seq(chunkSlots, 3))
        bench.sweep(m, m.entries.takeRight(3))
        bench.sweep(m, m.entries)
        assert(m.chunks.isEmpty && m.count == 0)
        bench.append(m)
        bench.check()
      }
    }

    it("R3: taking an entry that is not queued stops the simulation") {
      val error = intercept[Exception] {
        editor.run { dut =>
          val bench = new Bench(dut, Seeds.random("SpillEditor twice"))
          val m = bench.lists.head
          for (_ <- 0 until 4) bench.append(m)
          val one = m.entries(1)
          bench.sweep(m, Seq(one))
          m.chunks.head._2(one._2) = one._3
          bench.sweep(m, Seq(one))
        }
      }
      assert(error.getMessage.contains("R3: an entry taken from memory that was not queued"), error)
    }
  }
}
