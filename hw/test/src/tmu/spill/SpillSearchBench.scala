// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import scala.collection.mutable
import scala.util.Random
import tmu.Seeds
import tmu.params.SpillLayout

/** Lists of chunks, what memory answers of them, and the hits that a search has to give. */
trait SpillSearchBench extends SpillSpec {
  protected val search = device(new SpillSearch(s))

  /** A chunk of a list: what lies in its slots, and which of them count. */
  protected case class Chunk(number: Int, entries: Seq[Plain], live: Seq[Boolean])
  protected case class Hit(chunk: Int, slot: Int, handle: Int)
  protected case class Ask(endpoint: Int, bits: Int, ignore: Int = 0, id: Option[Int] = None) {
    def wants(e: Plain): Boolean = e.endpoint == endpoint && id.fold(
      (e.bits & ~ignore) == (bits & ~ignore)
    )(_ == e.id)
  }

  protected def hits(list: Seq[Chunk], ask: Ask): Seq[Hit] = for {
    c <- list
    i <- 0 until chunkSlots if c.live(i) && ask.wants(c.entries(i))
  } yield Hit(c.number, i, c.entries(i).handle)

  /** Chunks of few keys in any numbers; dead slots hold what would match. */
  protected def make(random: Random, chunks: Int, keys: Int, density: Double): Seq[Chunk] =
    random.shuffle((0 until s.chunks).toList).take(chunks).map { number =>
      val entries = Seq.fill(chunkSlots)(
        Plain(
          random.nextInt(2),
          random.nextInt(keys),
          0,
          random.nextInt(1 << p.idBits),
          random.nextInt(1 << p.handleBits)
        )
      )
      val live = Seq.fill(chunkSlots)(random.nextDouble() < density)
      // A chunk without a live entry is in no list.
      Chunk(number, entries, if (live.contains(true)) live else live.updated(7, true))
    }

  protected class Bench(dut: SpillSearch, random: Random) {
    private val io = dut.io
    private var list = Seq.empty[Chunk]
    private def chunk(number: Int) = list
      .find(_.number == number)
      .getOrElse(
        fail(s"chunk $number is not in the list ${list.map(_.number)}")
      )

    /** Answers of memory, and the clock from which on each is given: the link takes a few. */
    private val words = mutable.Queue[(Int, BigInt)]()
    private val entries = mutable.Queue[(Int, BigInt)]()
    private var now = 0
    private def there(queue: mutable.Queue[(Int, BigInt)]) =
      queue.headOption.exists(_._1 <= now) && chance(slow)
    private var walked = Option.empty[Int]
    var (wordBeats, entryBeats, falsePositives) = (0, 0, 0)

    /** Bits that memory has lost of an entry, and of a word. */
    var lostEntry: (Int, Int) => BigInt = (_, _) => 0
    var lostWord: (Int, Int) => BigInt = (_, _) => 0
    var (errors, broken) = (0, 0)
    var slow = 1 // of so many clocks, memory answers in one
    io.stop.poke(false)
    io.range.valid.poke(false)
    io.hit.ready.poke(false)
    io.wordBeat.valid.poke(false)
    io.entryBeat.valid.poke(false)
    io.walkBlocked.poke(false)
    io.write.valid.poke(false)
    for (n <- Iterator.from(0).takeWhile(_ => !io.ready.isOn)) {
      assert(n < 2000, "the search is not ready after reset")
      dut.clock.step()
    }
    private def chance(of: Int) = random.nextInt(of) == 0

    /** A clock of chunk table and memory. */
    def tick(): Unit = {
      // The state of the chunk that was asked for, for this clock alone.
      walked match {
        case Some(number) =>
          val at = list.indexWhere(_.number == number)
          io.state.live.poke(list(at).live.zipWithIndex.collect { case (true, i) =>
            BigInt(1) << i
          }.sum)
          io.state.next.poke(list.lift(at + 1).fold(random.nextInt(s.chunks))(_.number))
        case None =>
          io.state.live.poke(BigInt(chunkSlots, random))
          io.state.next.poke(random.nextInt(s.chunks))
      }
      io.walkBlocked.poke(chance(8))
      io.words.ready.poke(!chance(5))
      io.entry.ready.poke(!chance(5))
      // One beat in a clock, of either kind.
      val ofEntry = there(entries) && (words.isEmpty || chance(2))
      val ofWord = !ofEntry && there(words)
      io.entryBeat.valid.poke(ofEntry)
      io.wordBeat.valid.poke(ofWord)
      if (ofEntry) io.entryBeat.bits.data.poke(entries.dequeue()._2)
      if (ofWord) io.wordBeat.bits.data.poke(words.dequeue()._2)
      io.entryBeat.bits.error.poke(false)
      io.wordBeat.bits.error.poke(false)
      entryBeats += (if (ofEntry) 1 else 0)
      wordBeats += (if (ofWord) 1 else 0)
      if (io.falsePositive.isOn) falsePositives += 1
      if (io.error.isOn) errors += 1
      if (io.hit.valid.isOn && io.hit.bits.found.isOn && io.hit.bits.broken.isOn) broken += 1
      walked = Option.when(io.walk.valid.isOn)(io.walk.bits.value.toInt)
      if (walked.isDefined) assert(!io.walkBlocked.isOn)
      val asksWords = io.words.valid.isOn && io.words.ready.isOn
      val asksEntry = io.entry.valid.isOn && io.entry.ready.isOn
      val wanted = Option.when(asksWords)(io.words.bits.value.toInt)
      val slot = Option.when(asksEntry)(
        (io.entry.bits.chunk.value.toInt, io.entry.bits.slot.value.toInt)
      )
      dut.clock.step()
      now += 1
      // A beat is there for one clock: the test may end here, and one more clock comes then.
      io.entryBeat.valid.poke(false)
      io.wordBeat.valid.poke(false)
      wanted.map(chunk).foreach { c =>
        val all = c.entries.zipWithIndex
          .map { case (e, i) => word(e) ^ lostWord(c.number, i) }
          .padTo(
            SpillLayout.wordBeats * SpillLayout.wordsPerBeat,
            BigInt(8 * SpillLayout.wordBytes, random) // never written
          )
        words ++= all
          .grouped(SpillLayout.wordsPerBeat)
          .map(
            _.zipWithIndex
              .map { case (w, i) =>
                w << (8 * SpillLayout.wordBytes * i)
              }
              .sum
          )
          .map(now + 2 -> _)
      }
      slot.foreach { case (c, i) =>
        entries += (now + 2 -> (beat(chunk(c).entries(i), c, i) ^ lostEntry(c, i)))
      }
    }

    /** Contents of chunks; another entry in a slot is one that was written there. */
    private val contents = mutable.Map[(Int, Int), Plain]()
    private def write(c: Chunk): Unit =
      for ((e, i) <- c.entries.zipWithIndex if contents.put((c.number, i), e).exists(_ != e)) {
        io.write.valid.poke(true)
        io.write.bits.at.chunk.poke(c.number)
        io.write.bits.at.slot.poke(i)
        io.write.bits.isWord.poke(false)
        io.write.bits.data.poke(beat(e, c.number, i))
        tick()
        io.write.bits.isWord.poke(true)
        io.write.bits.data.poke(everywhere(word(e)))
        tick()
        io.write.valid.poke(false)
      }

    /** Waits until nothing of the last search is on its way. */
    private def settle(): Unit =
      for (n <- Iterator.from(0).takeWhile(_ => !io.range.ready.isOn)) {
        assert(n < 3000, "the last search does not end")
        tick()
      }

    /** Begins a search as soon as nothing of the last one is on its way. */
    def begin(in: Seq[Chunk], ask: Ask, sweeps: Boolean): Unit = {
      settle()
      assert(words.isEmpty && entries.isEmpty, "something is on its way still")
      list = in
      list.foreach(write)
      wordBeats = 0
      entryBeats = 0
      falsePositives = 0
      io.range.valid.poke(true)
      val range = io.range.bits
      range.head.poke(in.head.number)
      range.tail.poke(in.last.number)
      range.sweeps.poke(sweeps)
      range.ask.endpoint.poke(ask.endpoint)
      range.ask.byId.poke(ask.id.isDefined)
      range.ask.id.poke(ask.id.getOrElse(0))
      range.ask.key.bits.poke(ask.bits)
      range.ask.key.source.poke(0)
      range.ask.ignore.bits.poke(ask.ignore)
      range.ask.ignore.source.poke(0)
      range.ask.word.id.poke(ask.id.getOrElse(0) & ((1 << s.idBits) - 1))
      range.ask.word.filter.source.poke(0)
      range.ask.word.filter.low.poke(ask.bits & 3)
      range.ask.word.filter.high.poke(0)
      range.ask.word.filter.wild.poke(if (ask.ignore == 0) 0 else 2)
      tick()
      io.range.valid.poke(false)
    }

    /** The next hit, or none at the end. */
    def next(pauses: Int): Option[Hit] = {
      var seen = Option.empty[Option[Hit]]
      for (n <- Iterator.from(0).takeWhile(_ => seen.isEmpty)) {
        assert(n < 9000, "the search does not end")
        val ready = chance(pauses)
        io.hit.ready.poke(ready)
        if (ready && io.hit.valid.isOn) {
          val h = io.hit.bits
          val number = h.at.chunk.chunk.value.toInt
          seen = Some(Option.when(h.found.isOn) {
            val at = list.indexWhere(_.number == number)
            assert(h.at.chunk.isHead.isOn == (at == 0))
            if (at > 0) assert(h.at.chunk.previous.value == list(at - 1).number)
            Hit(number, h.at.slot.value.toInt, h.entry.handle.value.toInt)
          })
        }
        tick()
      }
      io.hit.ready.poke(false)
      seen.get
    }
    def stop(): Unit = {
      io.stop.poke(true)
      tick()
      io.stop.poke(false)
    }
    def rest(): Unit = for (n <- Iterator.from(0).takeWhile(_ => !io.idle.isOn)) {
      assert(n < 3000, "the search does not come to rest")
      tick()
    }
  }
  protected def run(test: String)(body: (Bench, Random) => Unit): Unit = {
    val random = Seeds.random(test)
    search.run(dut => body(new Bench(dut, random), random))
  }
}
