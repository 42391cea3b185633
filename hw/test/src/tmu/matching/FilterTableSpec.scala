// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import scala.util.Random
import tmu.{DeviceSpec, Seeds}
import tmu.params.TmuParams

class FilterTableSpec extends DeviceSpec with TablePokes {
  private val lanes = 4
  private val p: TmuParams =
    TmuParams("rows", 2, 32, 32, 4, 2, lanes, 8, 8, 4, 4, idBits = 6)
  private val t = TableParams.posted(p)
  private val table = device(new FilterTableHarness(p, t))

  /** The rows beside a list, and the store that is read for verification. */
  private class Pair(dut: FilterTableHarness) {
    val law = new TableModel
    var answers = 0
    var candidates = 0
    var falsePositives = 0
    private var read: Option[BigInt] = None
    private var stored = Map.empty[BigInt, PlainEntry]
    private var lifted = Vector.empty[BigInt]

    dut.io.request.valid.poke(false)
    dut.io.append.valid.poke(false)
    dut.io.lift.valid.poke(false)
    dut.io.windows.source.poke(15)
    dut.io.windows.low.poke(0x0f)
    dut.io.windows.high.poke(0xf0)

    /** One clock; an entry that was asked for is there in the next. */
    def clock(): Unit = {
      read.foreach { slot =>
        val entry = stored(slot)
        val port = dut.io.entry
        port.endpoint.poke(entry.endpoint)
        pokeKey(port.key, entry.key)
        port.ignore.foreach(pokeKey(_, entry.ignore))
        port.id.foreach(_.poke(entry.id))
      }
      if (dut.io.lifted.valid.isOn) lifted :+= dut.io.lifted.bits.value
      if (dut.io.activity.candidate.isOn) candidates += 1
      if (dut.io.activity.falsePositive.isOn) falsePositives += 1
      read = Option.when(dut.io.readSlot.valid.isOn)(dut.io.readSlot.bits.value)
      dut.clock.step()
    }
    private def until(done: => Boolean): Int = Iterator
      .from(0)
      .map { n => assert(n < 200, "it never came"); n }
      .find { _ =>
        val now = done; if (!now) clock(); now
      }
      .get

    /** Appends as soon as the rows are settled, whatever they close meanwhile. */
    def append(e: PlainEntry): Unit = {
      until(dut.io.settled.isOn)
      val port = dut.io.append
      port.valid.poke(true)
      pokeLane(port.bits, e)
      clock()
      port.valid.poke(false)
      stored += e.handle -> e
      law.append(e)
      assert(dut.io.count.value == law.size)
    }

    /** Searches; the clocks that it waited to be taken, and those to its answer. */
    def search(a: PlainAsk): (Int, Int) = {
      val port = dut.io.request
      pokeAsk(port.bits, a)
      port.valid.poke(true)
      val waited = until(port.ready.isOn)
      clock()
      port.valid.poke(false)
      val position =
        a.id.fold(law.find(a.endpoint, a.key, a.ignore))(law.findId(a.endpoint, _))
      (waited, 1 + answered(position, a.takes))
    }
    private def answered(position: Option[Int], takes: Boolean): Int = {
      val clocks = until(dut.io.reply.valid.isOn)
      assert(dut.io.reply.bits.found.isOn == position.isDefined, s"in ${law.entries}")
      position.foreach { at =>
        answers += 1
        assert(dut.io.reply.bits.slot.value == law.entries(at).handle, s"in ${law.entries}")
        if (takes) law.remove(at)
      }
      clocks
    }
    def rest(): Int = until(dut.io.idle.isOn)

    /** Whether every place from 0 on shows the list. */
    def check(): Unit = {
      for (place <- 0 to law.size) {
        val port = dut.io.request
        port.bits.byPlace.poke(true)
        port.bits.place.poke(t.arrayEntries + place)
        port.bits.takes.poke(false)
        port.valid.poke(true)
        until(port.ready.isOn)
        clock()
        port.valid.poke(false)
        answered(Option.when(place < law.size)(place), takes = false)
      }
      rest()
      ()
    }

    def lift(most: Int): Unit = {
      rest()
      lifted = Vector.empty
      dut.io.lift.bits.poke(most)
      dut.io.lift.valid.poke(true)
      until(dut.io.lift.ready.isOn)
      clock()
      dut.io.lift.valid.poke(false)
      rest()
      // Not more than are in the oldest row.
      assert(lifted.nonEmpty && lifted.size <= most.min(lanes))
      assert(lifted == law.entries.take(lifted.size).map(_.handle))
      for (_ <- lifted) law.remove(0)
      assert(dut.io.count.value == law.size)
    }
  }
  private def run(body: Pair => Unit): Unit = table.run(dut => body(new Pair(dut)))
  private def key(n: Int): PlainKey = PlainKey(n, n % 16)
  private def entry(n: Int, slot: BigInt): PlainEntry =
    PlainEntry(n % 2, key(n), PlainKey.zero, n % 64, slot)
  private def ask(n: Int, takes: Boolean = true): PlainAsk =
    PlainAsk(n % 2, key(n), takes = takes)
  private def filled(entries: Int)(body: Pair => Unit): Unit = run { pair =>
    for (n <- 0 until entries) pair.append(entry(n, n))
    body(pair)
  }

  private def step(r: Random, pair: Pair, name: Int): Unit = {
    def anyKey = PlainKey.random(r, p.matchBits, p.sourceBits, 3)
    def mask =
      if (r.nextInt(3) == 0) PlainKey.mask(r, p.matchBits, p.sourceBits) else PlainKey.zero
    val grows = name / 60 % 2 == 0
    if (r.nextInt(10) < (if (grows) 7 else 3) && pair.law.size < t.filterEntries) {
      pair.append(
        PlainEntry(
          r.nextInt(2),
          anyKey,
          mask,
          name % 64,
          pair.law.freeSlot(t.slots, r.nextInt(t.slots))
        )
      )
    } else if (r.nextInt(12) == 0 && pair.law.size > 0) pair.lift(1 + r.nextInt(lanes))
    else {
      val ids = pair.law.entries.map(_.id)
      val id = Option.when(r.nextInt(5) == 0 && ids.nonEmpty)(ids(r.nextInt(ids.size)))
      pair.search(PlainAsk(r.nextInt(2), anyKey, mask, r.nextInt(5) > 0, id))
    }
    for (_ <- 0 until r.nextInt(8) - 4) pair.clock()
  }

  describe("FilterTable") {
    it("R1, R3, R8, R10, R13: equals a list, whatever comes while a hole is closed") {
      val r = Seeds.random("FilterTable")
      run { pair =>
        for (name <- 0 until 1500) {
          step(r, pair, name)
          if (name % 100 == 99) pair.check()
        }
        assert(pair.answers > 300, s"${pair.answers} hits")
        assert(pair.falsePositives > 10 && pair.candidates > pair.falsePositives)
      }
    }

    it("answers a hit in row h after h + 6 clocks, a miss with n rows after n + 2") {
      filled(3 * lanes) { pair =>
        for (n <- 0 until 3 * lanes)
          assert(pair.search(ask(n, takes = false))._2 == n / lanes + 6, s"entry $n")
        assert(pair.search(ask(3 * lanes))._2 == 3 + 2)
      }
    }

    it("closes a hole in n - h + 1 clocks, and takes a search in the last when the head rests") {
      for (rows <- 1 to 5; at <- 0 until rows * lanes) {
        val row = at / lanes
        filled(rows * lanes) { pair =>
          pair.search(ask(at))
          assert(pair.rest() == rows - row + 1, s"$rows rows, entry $at")
        }
        filled(rows * lanes) { pair =>
          pair.search(ask(at))
          // The head is the last row, or the one before, in tables of fewer than three.
          val waits = if (rows > 2) rows - row else rows - row + 1
          assert(pair.search(ask(rows * lanes))._1 == waits, s"$rows rows, entry $at")
          for (n <- 0 until rows * lanes if n != at) pair.search(ask(n))
          pair.rest()
          assert(pair.law.size == 0)
        }
      }
    }

    it("R7: an entry appended while the last row closes is the youngest, and found") {
      for (entries <- 1 to 3 * lanes; at <- 0 until entries; wait <- 0 to 2) filled(entries) {
        pair =>
          pair.search(ask(at))
          for (_ <- 0 until wait) pair.clock()
          pair.append(entry(40, entries))
          pair.search(ask(40, takes = false))
          pair.check()
      }
    }

    it("R11: an entry appended while several rows close stops the simulation") {
      val error = intercept[Exception] {
        table.run { dut =>
          val pair = new Pair(dut)
          for (n <- 0 until 3 * lanes) pair.append(entry(n, n))
          pair.search(ask(0))
          dut.io.append.valid.poke(true)
          pair.clock()
          pair.clock()
        }
      }
      assert(error.getMessage.contains("appended to memory rows that are at work"), error)
    }
  }
}
