// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import tmu.DeviceSpec
import tmu.matching.{PlainAsk, PlainEntry, PlainKey, TableModel, TablePokes}
import tmu.params.{TableParams, TmuParams}

/** A filter table beside a list, for its specs. */
trait FilterTableBench extends DeviceSpec with TablePokes {
  val lanes = 4
  val p: TmuParams =
    TmuParams("rows", 2, 32, 32, 4, 2, lanes, 8, 4, 4, 4, 8, idBits = 6)
  val t = TableParams.posted(p)
  val table = device(new FilterTableHarness(p, t))

  /** The rows beside a list, and the store that is read for verification. */
  class Pair(dut: FilterTableHarness) {
    val law = new TableModel
    var answers = 0
    var candidates = 0
    var falsePositives = 0
    var passes = 0
    private var appends = 0
    private var read: Option[BigInt] = None
    private var stored = Map.empty[BigInt, PlainEntry]
    private var lifted = Vector.empty[BigInt]

    dut.io.request.valid.poke(false)
    dut.io.ahead.poke(false)
    dut.io.commit.poke(false)
    dut.io.append.valid.poke(false)
    dut.io.lift.valid.poke(false)
    dut.io.windows.source.poke(15)
    dut.io.windows.low.poke(0x0f)
    dut.io.windows.high.poke(0xf0)

    /** One clock; an entry that was asked for is there in the next. */
    def clock(): Unit = {
      read.foreach { slot =>
        val entry = stored(slot)
        val port = dut.io.read.entry
        port.endpoint.poke(entry.endpoint)
        pokeKey(port.key, entry.key)
        port.ignore.foreach(pokeKey(_, entry.ignore))
        port.id.foreach(_.poke(entry.id))
      }
      if (dut.io.lifted.valid.isOn) lifted :+= dut.io.lifted.bits.value
      if (dut.io.activity.candidate.isOn) candidates += 1
      if (dut.io.activity.falsePositive.isOn) falsePositives += 1
      if (dut.io.activity.pass.isOn) passes += 1
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
      check(position, takes)
      clocks
    }
    private def check(position: Option[Int], takes: Boolean): Unit = {
      assert(dut.io.reply.bits.found.isOn == position.isDefined, s"in ${law.entries}")
      position.foreach { at =>
        answers += 1
        assert(dut.io.reply.bits.slot.value == law.entries(at).handle, s"in ${law.entries}")
        if (takes) law.remove(at)
      }
    }

    /** A stream of turns: each one's request goes ahead during the turn before it if it can. Its
      * append comes with its commit, in any slot. Returns the clocks from each commit to the next.
      */
    def stream(turns: Seq[Turn]): Seq[Int] = {
      val (request, append) = (dut.io.request, dut.io.append)
      var sent = 0
      turns.indices.map { k =>
        val turn = turns(k)
        var answered = false
        var left = turn.rests
        var clocks = 0
        var ends = false
        while (!ends) {
          assert(clocks < 200, "it never came")
          dut.io.ahead.poke(sent > k)
          request.valid.poke(sent <= k + 1 && sent < turns.size)
          if (sent < turns.size) pokeAsk(request.bits, turns(sent).ask)
          if (dut.io.reply.valid.isOn) {
            assert(sent > k && !answered, "an answer that nobody waits for")
            check(law.find(turn.ask.endpoint, turn.ask.key, turn.ask.ignore), turn.ask.takes)
            answered = true
          }
          left = if (answered) left - 1 else left
          ends = answered && left < 0 && (turn.append.isEmpty || dut.io.settled.isOn)
          dut.io.commit.poke(ends)
          turn.append.filter(_ => ends).foreach { plain =>
            appends += 1
            val e = plain.copy(handle = law.freeSlot(t.slots, appends % t.slots))
            append.valid.poke(true)
            pokeLane(append.bits, e)
            stored += e.handle -> e
            law.append(e)
          }
          if (request.valid.isOn && request.ready.isOn) sent += 1
          clock()
          append.valid.poke(false)
          dut.io.commit.poke(false)
          request.valid.poke(false)
          clocks += 1
        }
        dut.io.ahead.poke(false)
        clocks
      }
    }
    def rest(): Int = until(dut.io.idle.isOn)

    /** Whether every position from 0 on shows the list. */
    def check(): Unit = {
      for (position <- 0 to law.size) {
        val port = dut.io.request
        port.bits.byPosition.poke(true)
        port.bits.position.poke(t.arrayEntries + position)
        port.bits.takes.poke(false)
        port.valid.poke(true)
        until(port.ready.isOn)
        clock()
        port.valid.poke(false)
        answered(Option.when(position < law.size)(position), takes = false)
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

  /** One operation of a stream: what it asks, what is appended with it, and how many clocks after
    * its answer.
    */
  case class Turn(ask: PlainAsk, append: Option[PlainEntry] = None, rests: Int = 0)
  def run(body: Pair => Unit): Unit = table.run(dut => body(new Pair(dut)))
  def key(n: Int): PlainKey = PlainKey(n, n % 16)
  def entry(n: Int, slot: BigInt): PlainEntry =
    PlainEntry(n % 2, key(n), PlainKey.zero, n % 64, slot)
  def ask(n: Int, takes: Boolean = true): PlainAsk =
    PlainAsk(n % 2, key(n), takes = takes)
  def filled(entries: Int)(body: Pair => Unit): Unit = run { pair =>
    for (n <- 0 until entries) pair.append(entry(n, n))
    body(pair)
  }
}
