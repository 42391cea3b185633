// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import scala.collection.mutable
import scala.util.Random
import tmu.Seeds
import tmu.params.SpillLayout

class SpillVerifySpec extends SpillSpec {
  private val verify = device(new SpillVerify(s))
  private val lanes = SpillLayout.wordsPerBeat

  /** Entries of a beat of words that may be what is wanted: chunk, beat, lanes. */
  private type Beat = (Int, Int, Seq[Int])
  private type Location = (Int, Int)

  private class Bench(dut: SpillVerify, random: Random) {
    private val io = dut.io
    private val memory = mutable.Map[Location, Plain]()
    private val asked = mutable.Queue[(Int, Location)]()
    private var now = 0
    var (reads, falsePositives) = (0, 0)
    Seq(io.searching, io.candidates.valid, io.entryBeat.valid, io.write.valid, io.hit.ready)
      .foreach(_.poke(false))

    private def at(location: Location): Plain = memory.getOrElseUpdate(
      location,
      Plain(random.nextInt(2), random.nextInt(3), 0, random.nextInt(4), random.nextInt(1 << 16))
    )

    private def coin = random.nextBoolean()

    /** A clock; the hit that was taken in it. */
    private def tick(): Option[(Location, Int)] = {
      io.entry.ready.poke(coin)
      val answer = Option.when(asked.headOption.exists(_._1 <= now) && coin)(asked.dequeue()._2)
      io.entryBeat.valid.poke(answer.isDefined)
      answer.foreach(l => io.entryBeat.bits.data.poke(beat(at(l), l._1, l._2)))
      io.hit.ready.poke(coin)
      if (io.falsePositive.isOn) falsePositives += 1
      if (io.entry.valid.isOn && io.entry.ready.isOn) {
        reads += 1
        val slot = io.entry.bits
        asked.enqueue((now + 2, (slot.chunk.value.toInt, slot.slot.value.toInt)))
      }
      val hit = Option.when(io.hit.valid.isOn && io.hit.ready.isOn) {
        val bits = io.hit.bits
        assert(bits.found.isOn && !bits.broken.isOn)
        val location = (bits.at.chunk.chunk.value.toInt, bits.at.slot.value.toInt)
        (location, bits.entry.handle.value.toInt)
      }
      dut.clock.step()
      now += 1
      io.entryBeat.valid.poke(false)
      hit
    }

    /** The entries of a chunk that begins are written one after the other. */
    def write(chunk: Int, slots: Int): Unit = {
      for (slot <- 0 until slots) {
        io.write.valid.poke(true)
        io.write.bits.chunk.poke(chunk)
        io.write.bits.slot.poke(slot)
        val e = at((chunk, slot))
        io.written.endpoint.poke(e.endpoint)
        io.written.id.poke(e.id)
        io.written.handle.poke(e.handle)
        io.written.key.bits.poke(e.bits)
        io.written.key.source.poke(0)
        val ones = BigInt(e.endpoint).bitCount + BigInt(e.id).bitCount + BigInt(e.handle).bitCount +
          BigInt(e.bits).bitCount + BigInt(chunk).bitCount + BigInt(slot).bitCount
        io.written.parity.poke(ones % 2)
        dut.clock.step()
      }
      io.write.valid.poke(false)
    }

    /** Hits among all entries that the beats name, and those that there should be. */
    def search(beats: Seq[Beat], wants: Plain => Boolean): (Seq[Any], Seq[Any]) = {
      val named = for ((chunk, b, hits) <- beats; lane <- hits) yield (chunk, b * lanes + lane)
      val expected = named.filter(l => wants(at(l))).map(l => (l, at(l).handle))
      io.searching.poke(true)
      dut.clock.step()
      val left = mutable.Queue.from(beats)
      val seen = mutable.Buffer[Any]()
      var clocks = 0
      while (left.nonEmpty || io.some.isOn) {
        assert(clocks < 5000, s"${left.size} beats are not verified")
        clocks += 1
        io.candidates.valid.poke(left.nonEmpty)
        left.headOption.foreach { case (chunk, b, hits) =>
          io.candidates.bits.chunk.chunk.poke(chunk)
          io.candidates.bits.beat.poke(b)
          io.candidates.bits.hits.poke(hits.map(BigInt(1) << _).sum)
        }
        val takes = left.nonEmpty && io.candidates.ready.isOn
        seen ++= tick()
        if (takes) left.dequeue()
      }
      io.candidates.valid.poke(false)
      io.searching.poke(false)
      dut.clock.step()
      (seen.toSeq, expected)
    }

    /** A search ends with entries in flight: memory still answers, and nothing comes of it. */
    def drain(): Unit = while (io.some.isOn || asked.nonEmpty) assert(tick().isEmpty)
    def wants(endpoint: Int, bits: Int): Unit = {
      io.ask.endpoint.poke(endpoint)
      io.ask.byId.poke(false)
      io.ask.key.bits.poke(bits)
      Seq(io.ask.key.source, io.ask.ignore.bits, io.ask.ignore.source).foreach(_.poke(0))
    }
  }

  private def beats(random: Random, chunks: Seq[Int]): Seq[Beat] = for {
    chunk <- chunks
    b <- 0 until SpillLayout.entries / lanes if random.nextInt(3) == 0
  } yield (chunk, b, (0 until lanes).filter(lane => lane == 0 || random.nextBoolean()))

  describe("SpillVerify") {
    it("R1, R2, R3, R4: of the candidates in their order, exactly those that match are hits") {
      val random = Seeds.random("SpillVerify")
      verify.run { dut =>
        val bench = new Bench(dut, random)
        for (round <- 0 until 20) {
          val (endpoint, bits) = (random.nextInt(2), random.nextInt(3))
          bench.wants(endpoint, bits)
          bench.falsePositives = 0
          val found = beats(random, Seq.fill(3)(random.nextInt(s.chunks)).distinct)
          val (seen, expected) =
            bench.search(found, e => e.endpoint == endpoint && e.bits == bits)
          assert(seen == expected, s"round $round")
          assert(bench.falsePositives == found.map(_._3.size).sum - expected.size)
        }
        assert(bench.reads > 0)
      }
    }

    it("R3: entries of a chunk that was begun on chip are verified without a read of memory") {
      val random = Seeds.random("SpillVerify recent")
      verify.run { dut =>
        val bench = new Bench(dut, random)
        bench.write(chunk = 5, slots = SpillLayout.entries)
        bench.wants(1, 2)
        val found = beats(random, Seq(5))
        val (seen, expected) = bench.search(found, e => e.endpoint == 1 && e.bits == 2)
        assert(seen == expected && bench.reads == 0)
      }
    }

    it("R14: what is under way when a search ends is forgotten") {
      val random = Seeds.random("SpillVerify end")
      verify.run { dut =>
        val bench = new Bench(dut, random)
        for (_ <- 0 until 10) {
          dut.io.searching.poke(true)
          dut.clock.step()
          dut.io.candidates.valid.poke(true)
          dut.io.candidates.bits.chunk.chunk.poke(random.nextInt(s.chunks))
          dut.io.candidates.bits.beat.poke(0)
          dut.io.candidates.bits.hits.poke(3)
          dut.clock.step()
          dut.io.candidates.valid.poke(false)
          dut.io.searching.poke(false)
          dut.clock.step()
          bench.drain()
          bench.wants(0, 1)
          val (seen, expected) =
            bench.search(beats(random, Seq(9, 3)), e => e.endpoint == 0 && e.bits == 1)
          assert(seen == expected)
        }
      }
    }
  }
}
