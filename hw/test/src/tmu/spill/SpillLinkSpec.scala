// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import scala.collection.mutable
import scala.util.Random
import tmu.{Seeds, Traffic}
import tmu.params.SpillLayout

class SpillLinkSpec extends SpillSpec {
  private val link = device(new SpillLink(s))
  private val beatBytes = SpillLayout.beatBytes

  /** Bits 63..12 of the segments, which lie anywhere and in any order. */
  private val bases = Seq(BigInt("ff00000012345", 16), BigInt("0000000007bcd", 16))
  private def chunkAt(chunk: Int): BigInt =
    (bases(chunk / SpillLayout.chunksPerSegment) + chunk % SpillLayout.chunksPerSegment) << 12

  private class Bench(dut: SpillLink, random: Random) {
    private val io = dut.io
    private val axi = io.axi
    private case class Read(id: Int, address: BigInt, beats: Int)
    private val reads = Seq.fill(2)(mutable.Queue[Read]())
    private val words = mutable.Queue[BigInt]()
    private val entries = mutable.Queue[BigInt]()

    /** Writes that are due: address, data, strobes; and those that memory has taken. */
    private val due = mutable.Queue[(BigInt, BigInt, BigInt)]()
    private val addresses = mutable.Queue[BigInt]()
    private val beats = mutable.Queue[(BigInt, BigInt)]()

    /** Chunks of writes that memory has not answered, in their order. */
    private val open = mutable.Queue[Int]()
    private var taken = 0
    private var left = 0 // beats of the burst that is being answered
    var (errors, wordBursts, held) = (0, 0, 0)
    var lateWrites = 3
    var errorsIn = 0 // of so many answers, one is an error; 0 none
    Seq(io.register.valid, io.words.valid, io.entry.valid, io.write.valid).foreach(_.poke(false))
    Seq(axi.arready, axi.awready, axi.wready, axi.rvalid, axi.bvalid).foreach(_.poke(false))
    axi.bid.poke(0)
    private def chance(of: Int) = random.nextInt(of) == 0
    private def response() = if (errorsIn > 0 && chance(errorsIn)) 2 else 0

    for ((base, i) <- bases.zipWithIndex) {
      assert(io.segments.value == i)
      io.register.bits.poke(base)
      io.register.valid.poke(true)
      dut.clock.step()
      io.register.valid.poke(false)
    }
    assert(io.segments.value == bases.size)
    private val data = mutable.Map[BigInt, BigInt]()
    private def at(address: BigInt) = data.getOrElseUpdate(address, BigInt(512, random))

    /** A clock in which these are asked for; which of them were taken. */
    def clock(
        words: Option[Int],
        entry: Option[(Int, Int)],
        write: Option[(Int, Int, Boolean)]
    ): Seq[Boolean] = {
      io.words.valid.poke(words.isDefined)
      words.foreach(io.words.bits.poke(_))
      io.entry.valid.poke(entry.isDefined)
      entry.foreach { case (chunk, slot) =>
        io.entry.bits.chunk.poke(chunk)
        io.entry.bits.slot.poke(slot)
      }
      io.write.valid.poke(write.isDefined)
      val isWord = write.exists(_._3)
      val value = if (isWord) everywhere(BigInt(32, random)) else BigInt(512, random)
      write.foreach { case (chunk, slot, isWord) =>
        io.write.bits.at.chunk.poke(chunk)
        io.write.bits.at.slot.poke(slot)
        io.write.bits.isWord.poke(isWord)
        io.write.bits.data.poke(value)
      }
      axi.arready.poke(!chance(3))
      axi.awready.poke(!chance(3))
      axi.wready.poke(!chance(3))
      answerReads()
      val answersWrite = taken > 0 && addresses.isEmpty && beats.isEmpty && chance(lateWrites)
      val bad = answersWrite && response() != 0
      axi.bvalid.poke(answersWrite)
      axi.bresp.poke(if (bad) 2 else 0)
      assert(io.writeError.isOn == bad)
      val done = Seq(io.words.ready, io.entry.ready, io.write.ready)
        .zip(Seq(words, entry, write))
        .map { case (ready, asked) => asked.isDefined && ready.isOn }
      if (words.isDefined && !done.head && open.contains(words.get)) held += 1
      if (done.head) {
        assert(!open.contains(words.get), "words of a chunk that is being written")
        wordBursts += 1
        for (i <- 0 until SpillLayout.wordBeats)
          this.words.enqueue(at(chunkAt(words.get) + beatBytes * i))
      }
      if (done(1)) {
        val (chunk, slot) = entry.get
        entries.enqueue(at(entryAt(chunk, slot)))
      }
      if (done(2)) expect(write.get, value)
      takeAsks()
      checkBeats()
      if (bad) errors += 1
      dut.clock.step()
      if (answersWrite) {
        taken -= 1
        open.dequeue()
      }
      done
    }
    private def entryAt(chunk: Int, slot: Int): BigInt =
      chunkAt(chunk) + beatBytes * (SpillLayout.wordBeats + slot)

    private def expect(write: (Int, Int, Boolean), value: BigInt): Unit = {
      val (chunk, slot, isWord) = write
      open.enqueue(chunk)
      if (!isWord) due.enqueue((entryAt(chunk, slot), value, (BigInt(1) << 64) - 1))
      else {
        val byte = SpillLayout.wordBytes * slot
        val mask = BigInt(15) << (byte % beatBytes)
        val word = value & ((BigInt(1) << 32) - 1)
        due.enqueue(
          (chunkAt(chunk) + byte / beatBytes * beatBytes, word << (8 * (byte % beatBytes)), mask)
        )
      }
    }

    /** Address and data come in any order, each once. */
    private def takeAsks(): Unit = {
      if (axi.arvalid.isOn && axi.arready.isOn) {
        val id = axi.arid.value.toInt
        val count = axi.arlen.value.toInt + 1
        assert(axi.arsize.value == 6 && axi.arburst.value == 1)
        assert(count == (if (id == 0) SpillLayout.wordBeats else 1))
        reads(id).enqueue(Read(id, axi.araddr.value, count))
      }
      if (axi.awvalid.isOn && axi.awready.isOn) {
        assert(axi.awlen.value == 0 && axi.awsize.value == 6 && axi.awid.value == 0)
        addresses.enqueue(axi.awaddr.value)
      }
      if (axi.wvalid.isOn && axi.wready.isOn) {
        assert(axi.wlast.isOn)
        beats.enqueue(axi.wdata.value -> axi.wstrb.value)
      }
      if (addresses.nonEmpty && beats.nonEmpty) {
        val (address, value, strobes) = due.dequeue()
        assert(addresses.dequeue() == address, "R13: a write to another address")
        val (found, mask) = beats.dequeue()
        val bits = (0 until beatBytes)
          .map(i => if (strobes.testBit(i)) BigInt(255) << (8 * i) else BigInt(0))
          .sum
        assert(mask == strobes && (found & bits) == (value & bits))
        taken += 1
      }
    }

    /** Reads of one id in their order, of two in any; a burst is not torn. */
    private def answerReads(): Unit = {
      val torn = left > 0
      val id = if (torn) 0 else if (reads(1).nonEmpty && (reads(0).isEmpty || chance(2))) 1 else 0
      val comes = reads(id).nonEmpty && !chance(3)
      axi.rvalid.poke(comes)
      if (comes) {
        val read = reads(id).head
        val n = if (torn) read.beats - left else 0
        val bad = response() != 0
        axi.rid.poke(id)
        axi.rdata.poke(at(read.address + beatBytes * n))
        axi.rresp.poke(if (bad) 2 else 0)
        axi.rlast.poke(n == read.beats - 1)
        left = read.beats - 1 - n
        if (left == 0) reads(id).dequeue()
        if (bad) expectedErrors(id) += 1
      }
    }
    private val expectedErrors = mutable.Buffer(0, 0)
    private val seenErrors = mutable.Buffer(0, 0)
    def badBeats: Int = seenErrors.sum
    private def checkBeats(): Unit =
      for ((port, queue, i) <- Seq((io.wordBeat, words, 0), (io.entryBeat, entries, 1)))
        if (port.valid.isOn) {
          assert(queue.nonEmpty, "nobody has asked")
          assert(port.bits.data.value == queue.dequeue(), s"R15: beat of kind $i")
          if (port.bits.error.isOn) seenErrors(i) += 1
        }

    /** As many reads are in flight as the unit ever has, or more. */
    def isCrowded: Boolean = reads.map(_.size).sum > 100

    /** All is answered, and every error was told. */
    def rest(): Unit = {
      for (n <- Iterator.from(0).takeWhile(_ => !io.idle.isOn)) {
        assert(n < 6000, "the link does not come to rest")
        clock(None, None, None)
      }
      axi.rvalid.poke(false)
      axi.bvalid.poke(false)
      assert(words.isEmpty && entries.isEmpty && due.isEmpty && open.isEmpty)
      assert(seenErrors == expectedErrors)
    }
  }

  private def traffic(
      bench: Bench,
      random: Random,
      clocks: Int,
      chunks: Int,
      writesIn: Int = 6
  )(enough: => Boolean): Unit = {
    def chunk() = random.nextInt(2) * (s.chunks - chunks) + random.nextInt(chunks)
    var (words, entry, write) =
      (Option.empty[Int], Option.empty[(Int, Int)], Option.empty[(Int, Int, Boolean)])
    for (_ <- Traffic.until(clocks)(enough)) {
      val asks = !bench.isCrowded
      if (asks && words.isEmpty && random.nextInt(3) == 0) words = Some(chunk())
      if (asks && entry.isEmpty && random.nextInt(3) == 0)
        entry = Some((chunk(), random.nextInt(chunkSlots)))
      if (write.isEmpty && random.nextInt(writesIn) == 0)
        write = Some((chunk(), random.nextInt(chunkSlots), random.nextBoolean()))
      val done = bench.clock(words, entry, write)
      if (done(0)) words = None
      if (done(1)) entry = None
      if (done(2)) write = None
    }
    bench.rest()
  }

  describe("SpillLink") {
    it("R13: reads and writes every slot where it is, in any segment, and nowhere else") {
      val random = Seeds.random("SpillLink")
      link.run { dut =>
        val bench = new Bench(dut, random)
        def enough = bench.wordBursts > 60
        traffic(bench, random, 900, chunks = 500)(enough)
        assert(enough, bench.wordBursts)
        assert(bench.errors == 0 && bench.badBeats == 0)
        // Each slot of a chunk, once.
        for (slot <- 0 until chunkSlots; isWord <- Seq(false, true)) {
          var ask = Option((s.chunks - 1, slot, isWord))
          while (ask.isDefined) if (bench.clock(None, None, ask)(2)) ask = None
        }
        bench.rest()
      }
    }

    it("R3: words of a chunk are not read before memory has answered what is written there") {
      val random = Seeds.random("SpillLink late")
      link.run { dut =>
        val bench = new Bench(dut, random)
        bench.lateWrites = 20
        def enough = bench.held > 50 && bench.wordBursts > 20
        traffic(bench, random, 1200, chunks = 2, writesIn = 30)(enough)
        assert(enough, s"${bench.held}, ${bench.wordBursts}")
      }
    }

    it("tells every error of memory, with the beat that it came with") {
      val random = Seeds.random("SpillLink errors")
      link.run { dut =>
        val bench = new Bench(dut, random)
        bench.errorsIn = 6
        def enough = bench.errors > 3 && bench.badBeats > 10
        traffic(bench, random, 600, chunks = 20)(enough)
        assert(enough, s"${bench.errors}, ${bench.badBeats}")
      }
    }

    it("one segment too many stops the simulation") {
      val error = intercept[Exception] {
        link.run { dut =>
          new Bench(dut, Seeds.random("SpillLink segments"))
          dut.io.register.valid.poke(true)
          dut.clock.step()
          dut.io.register.valid.poke(false)
        }
      }
      assert(error.getMessage.contains("one segment too many"), error)
    }

    it("more reads in flight than are counted stop the simulation") {
      val error = intercept[Exception] {
        link.run { dut =>
          new Bench(dut, Seeds.random("SpillLink reads"))
          dut.io.axi.arready.poke(true)
          dut.io.entry.valid.poke(true)
          dut.io.entry.bits.chunk.poke(0)
          dut.io.entry.bits.slot.poke(0)
          dut.clock.step(300)
        }
      }
      assert(error.getMessage.contains("more spill reads in flight than can be counted"), error)
    }
  }
}
