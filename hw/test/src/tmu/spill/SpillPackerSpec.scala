// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import scala.collection.mutable
import scala.util.Random
import tmu.Seeds
import tmu.layout.SpillEntryLayout

class SpillPackerSpec extends SpillSpec {
  private val packer = device(new SpillPackerHarness(s))

  /** A list's chunks in their order, each with its live entries and what lies there. */
  private class Plan(val chunks: Seq[(Int, Seq[(Int, Plain)])], val fill: Int) {
    def entries: Seq[Plain] = chunks.flatMap(_._2.map(_._2))
  }

  private class Bench(dut: SpillPackerHarness, random: Random) {
    private val io = dut.io
    private val memory = mutable.Map[(Int, Int, Boolean), BigInt]()
    private var lists = Map[(Int, Boolean), Plan]()
    private var kept = Map[(Int, Boolean), Seq[BigInt]]() // head, tail, fill, count
    var moves = 0
    Seq(io.start.valid, io.changes, io.entryBeat.valid, io.mark.valid, io.link.valid)
      .foreach(_.poke(false))
    io.entryBeat.bits.error.poke(false)
    io.allocate.ready.poke(false)
    io.memory.ready.poke(false)
    io.entry.ready.poke(false)

    private def chunk(): Int = {
      io.allocate.ready.poke(true)
      while (!io.allocate.valid.isOn) dut.clock.step()
      val number = io.allocate.bits.value.toInt
      dut.clock.step()
      io.allocate.ready.poke(false)
      number
    }

    private def wordOf(e: Plain): BigInt = {
      io.of.id.poke(e.id)
      io.of.key.bits.poke(e.bits)
      io.of.key.source.poke(e.source)
      io.of.ignore.bits.poke(0)
      io.of.ignore.source.poke(0)
      dut.clock.step(2)
      io.word.value
    }

    /** Lists of chunks with so many live entries each, in any slots; all chunks are in use. */
    def lay(sizes: Map[(Int, Boolean), Seq[Int]], full: Set[(Int, Boolean)]): Unit = {
      io.chunks.poke(sizes.values.map(_.size).sum)
      dut.clock.step(2)
      var handles = 0
      lists = sizes.map { case (at, lives) =>
        val laid = lives.zipWithIndex.map { case (n, i) =>
          // The youngest chunk may have slots that were never used.
          val last = i == lives.size - 1 && !full(at)
          val used = if (last && n < chunkSlots) n + random.nextInt(chunkSlots - n) else chunkSlots
          val number = chunk()
          val live = random.shuffle((0 until used).toList).take(n).sorted
          number -> live.map { slot =>
            handles += 1
            slot -> Plain(at._1, handles & 0xfff, handles & 15, handles & 0xff, handles & 0xffff)
          }
        }
        for ((number, live) <- laid) {
          io.mark.valid.poke(true)
          io.mark.bits.chunk.poke(number)
          io.mark.bits.live.poke(live.map(e => BigInt(1) << e._1).sum)
          dut.clock.step()
          io.mark.valid.poke(false)
          for ((slot, e) <- live) {
            memory((number, slot, false)) = beat(e, number, slot)
            memory((number, slot, true)) = wordOf(e)
          }
        }
        for ((from, to) <- laid.zip(laid.drop(1))) {
          io.link.valid.poke(true)
          io.link.bits.chunk.poke(from._1)
          io.link.bits.next.poke(to._1)
          dut.clock.step()
          io.link.valid.poke(false)
        }
        val fill = laid.lastOption.fold(0)(c => if (full(at)) chunkSlots else c._2.last._1 + 1)
        at -> new Plan(laid, fill)
      }
      kept = lists.map { case (at, plan) =>
        val ends = plan.chunks.map(c => BigInt(c._1))
        val none = BigInt(0)
        at -> Seq(
          ends.headOption.getOrElse(none),
          ends.lastOption.getOrElse(none),
          BigInt(plan.fill),
          BigInt(plan.entries.size)
        )
      }
      assert(io.spare.value == 0)
    }

    /** Every entry in memory loses a bit. */
    def break(): Unit =
      for (at <- memory.keys.toSeq if !at._3)
        memory(at) = memory(at).flipBit(lowest(SpillEntryLayout.handle))

    /** Packs for a queue; the clocks that it took. */
    def pack(endpoint: Int, unexpected: Boolean): Int = {
      io.start.bits.endpoint.poke(endpoint)
      io.start.bits.unexpected.poke(unexpected)
      io.start.valid.poke(true)
      dut.clock.step()
      io.start.valid.poke(false)
      var (clocks, done) = (0, false)
      val asked = mutable.Queue[BigInt]()
      while (!done) {
        assert(clocks < 40000, "it does not end")
        clocks += 1
        assert(!io.error.isOn, "nothing has lost a bit")
        done = io.done.isOn
        val at = (io.read.endpoint.value.toInt, io.read.unexpected.isOn)
        val read = kept.getOrElse(at, Seq.fill(4)(BigInt(0)))
        if (io.write.valid.isOn) {
          val l = io.write.bits
          kept += at -> Seq(l.head, l.tail, l.fill, l.count).map(_.value)
        }
        val (writes, reads) = (random.nextInt(3) > 0, random.nextInt(3) > 0)
        io.memory.ready.poke(writes)
        io.entry.ready.poke(reads)
        if (writes && io.memory.valid.isOn) {
          val to = io.memory.bits
          val key = (to.at.chunk.value.toInt, to.at.slot.value.toInt, to.isWord.isOn)
          memory(key) = to.data.value
          moves += 1
        }
        if (reads && io.entry.valid.isOn)
          asked += memory((io.entry.bits.chunk.value.toInt, io.entry.bits.slot.value.toInt, false))
        val answers = asked.nonEmpty && random.nextInt(3) == 0
        dut.clock.step()
        io.entryBeat.valid.poke(answers)
        if (answers) io.entryBeat.bits.data.poke(asked.dequeue())
        for (
          (field, value) <- Seq(io.list.head, io.list.tail, io.list.fill, io.list.count).zip(read)
        )
          field.poke(value)
      }
      io.entryBeat.valid.poke(false)
      dut.clock.step(4)
      clocks
    }

    /** Every list has its entries in their order, each with its word; the live entries of chunks.
      */
    def check(): Map[(Int, Boolean), Seq[Int]] = lists.map { case (at, plan) =>
      val l = kept(at)
      val (head, tail, fill, count) = (l(0), l(1), l(2), l(3))
      assert(count == plan.entries.size)
      val chunks = mutable.Buffer[(Int, Seq[Int])]()
      var next = head.toInt
      while (chunks.map(_._2.size).sum < count) {
        io.look.poke(next)
        dut.clock.step()
        val live = io.state.live.value
        chunks += next -> (0 until chunkSlots).filter(live.testBit)
        assert(chunks.last._2.nonEmpty, s"R11: chunk $next of $at has no entry")
        next = io.state.next.value.toInt
      }
      if (count > 0) {
        assert(chunks.last._1 == tail.toInt && chunks.last._2.last < fill.toInt)
      }
      val found = for { (c, live) <- chunks.toSeq; slot <- live } yield (c, slot)
      for (((c, slot), e) <- found.zip(plan.entries)) {
        assert(memory((c, slot, false)) == beat(e, c, slot), s"R3: $e of $at")
        assert(memory((c, slot, true)) == wordOf(e), s"the word of $e")
      }
      at -> chunks.map(_._2.size).toSeq
    }
  }

  private def canBeFewer(lives: Seq[Int]): Boolean =
    lives.zip(lives.drop(1)).exists { case (a, b) => a + b <= chunkSlots }

  describe("SpillPacker") {
    it("R3, R11: at random, a chunk comes free or no neighbours fit in one, in the order of age") {
      val random = Seeds.random("SpillPacker")
      for (round <- 0 until 12) packer.run { dut =>
        val bench = new Bench(dut, random)
        val queues = for { e <- 0 until p.endpoints; u <- Seq(false, true) } yield (e, u)
        val most = if (round % 3 == 0) 6 else chunkSlots
        val sizes = queues.map { at =>
          at -> Seq.fill(random.nextInt(5))(
            if (round % 3 == 1) 31 + random.nextInt(chunkSlots - 30) else 1 + random.nextInt(most)
          )
        }.toMap
        val full = queues.filter(_ => random.nextBoolean()).toSet
        bench.lay(sizes, full)
        val own = queues(random.nextInt(queues.size))
        val could = sizes.values.exists(canBeFewer)
        bench.pack(own._1, own._2)
        val after = bench.check()
        assert((dut.io.spare.value > 0) == could, s"round $round, $sizes")
        assert(dut.io.spare.value == sizes.values.flatten.size - after.values.flatten.size)
        assert(round % 3 == 0 || could || after == sizes)
      }
    }

    it("R11: where nothing can be fewer it says so at once, until something leaves") {
      val random = Seeds.random("SpillPacker tight")
      packer.run { dut =>
        val bench = new Bench(dut, random)
        val own = (1, true)
        bench.lay(Map((0, false) -> Seq(40, 50, 30), own -> Seq(60, 20)), Set(own))
        val first = bench.pack(1, true)
        // Its youngest chunk has slots now, though no chunk is free.
        assert(bench.check() == Map((0, false) -> Seq(40, 50, 30), own -> Seq(60, 20)))
        assert(dut.io.spare.value == 0 && bench.moves > 0)
        val moved = bench.moves
        val second = bench.pack(0, false)
        assert(second < 12 && second < first, s"$second and $first clocks")
        dut.io.changes.poke(true)
        dut.clock.step()
        dut.io.changes.poke(false)
        assert(bench.pack(0, false) > second)
        bench.check()
        assert(bench.moves == moved)
      }
    }

    it("R11: sixty chunks of one entry each become one") {
      val random = Seeds.random("SpillPacker thin")
      packer.run { dut =>
        val bench = new Bench(dut, random)
        bench.lay(Map((2, true) -> Seq.fill(61)(1)), Set((2, true)))
        bench.pack(0, false)
        assert(bench.check() == Map((2, true) -> Seq(60, 1)) && dut.io.spare.value == 59)
      }
    }

    it("R13: an entry that has lost a bit is an error, and nobody gets it") {
      val random = Seeds.random("SpillPacker broken")
      packer.run { dut =>
        val bench = new Bench(dut, random)
        bench.lay(Map((0, false) -> Seq(2, 2)), Set((0, false)))
        bench.break()
        val error = intercept[Exception](bench.pack(0, false))
        assert(error.getMessage.contains("nothing has lost a bit"), error)
      }
    }
  }
}
