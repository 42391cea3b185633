// SPDX-License-Identifier: Apache-2.0
package tmu.host

import scala.collection.mutable
import tmu.DeviceSpec
import tmu.params.TmuParams

/** Surroundings of submission queues: owners of pages, and a unit that answers their commands. */
trait SubmissionHost extends DeviceSpec {
  protected val p: TmuParams =
    TmuParams("queues", 4, 16, 16, 16, 4, queues = 70, commandSlots = 256)
  private val harness = device(new SubmissionHarness(p))
  protected def test(body: Host => Unit): Unit = harness.run(dut => body(new Host(dut)))

  /** A command as it came out. */
  protected case class Seen(page: Int, endpoint: Int, number: Int, clock: Int)

  protected class Host(val dut: SubmissionHarness) {
    private val io = dut.io
    private class Page(val ring: Int) {
      var producer = 0
      var finals = 0
    }
    private val pages = mutable.Map[Int, Page]()
    val seen = mutable.Buffer[Seen]()
    val sent = mutable.Map[Int, Int]().withDefaultValue(0)
    var clocks = 0
    var overruns = 0
    var drops = 0

    /** Whether the unit takes a command in this clock, and whether it answers one. */
    var takes: () => Boolean = () => true
    var answers: () => Boolean = () => true
    val unanswered = mutable.Queue[Int]()
    Seq(io.configure.valid, io.disable.valid, io.command.valid, io.consumer.valid, io.moved.valid)
      .foreach(_.poke(false))
    io.discard.poke(false)
    io.crowded.poke(false)
    io.scarce.poke(false)
    io.spilling.poke(0)
    io.held.poke(0)
    io.out.ready.poke(false)
    waitFor(dut, "the sweep")(io.ready.isOn)

    def tick(): Unit = {
      val take = takes()
      io.out.ready.poke(take)
      io.moved.valid.poke(false)
      if (unanswered.nonEmpty && !io.hold.isOn && answers()) {
        val page = unanswered.dequeue()
        val state = pages(page)
        state.producer += 1
        state.finals += 1
        move(page)
      }
      if (take && io.out.valid.isOn) {
        val bits = io.out.bits
        val page = bits.page.value.toInt
        seen += Seen(page, bits.endpoint.value.toInt, bits.record.value.toInt, clocks)
        assert(bits.stamp.value == bits.record.value + 7, "the stamp is the command's")
        unanswered.enqueue(page)
      }
      if (io.overrun.isOn) overruns += 1
      if (io.dropped.isOn) drops += 1
      dut.clock.step()
      clocks += 1
    }
    private def move(page: Int): Unit = {
      val modulus = 1 << RingIndex.bits
      io.moved.valid.poke(true)
      io.moved.bits.page.poke(page)
      io.moved.bits.position.producer.poke(pages(page).producer % modulus)
      io.moved.bits.position.finals.poke(pages(page).finals % modulus)
    }

    /** A flush of this page reports removed entries. */
    def extra(page: Int, count: Int): Unit = {
      pages(page).producer += count
      move(page)
      dut.clock.step()
      io.moved.valid.poke(false)
    }

    def offer(page: Int, endpoint: Int, ring: Int, first: Int, share: Int, on: Boolean): Unit = {
      val c = io.configure.bits
      c.page.poke(page)
      c.ring.enable.poke(on)
      c.ring.log2.poke(ring)
      c.ring.base.poke(0)
      c.queue.enable.poke(on)
      c.queue.endpoint.poke(endpoint)
      c.queue.first.poke(first)
      c.queue.log2.poke(share)
      io.configure.valid.poke(true)
    }
    def configure(
        page: Int,
        endpoint: Int,
        ring: Int,
        first: Int,
        share: Int,
        on: Boolean = true
    ): Unit = {
      offer(page, endpoint, ring, first, share, on)
      val start = clocks
      var done = false
      while (!done) {
        assert(clocks - start < 500, s"page $page is not configured")
        done = io.configure.ready.isOn
        tick()
      }
      io.configure.valid.poke(false)
      if (on) pages(page) = new Page(1 << ring)
    }

    /** One command of a page in this clock; commands are numbered page by page. */
    def send(page: Int): Unit = {
      val n = sent(page)
      sent(page) += 1
      io.command.valid.poke(true)
      io.command.bits.page.poke(page)
      io.command.bits.record.poke(n)
      io.command.bits.stamp.poke(n + 7)
      tick()
      io.command.valid.poke(false)
    }
    def consume(page: Int, index: Int): Unit = {
      while (io.hold.isOn) tick()
      io.consumer.valid.poke(true)
      io.consumer.bits.page.poke(page)
      io.consumer.bits.index.poke(index)
      tick()
      io.consumer.valid.poke(false)
    }
    def consumeAll(page: Int): Unit = consume(page, pages(page).producer)
    def produced(page: Int): Int = pages(page).producer
    def run(count: Int): Unit = for (_ <- 0 until count) tick()
    def settle(): Unit = {
      val start = clocks
      while (!io.idle.isOn || unanswered.nonEmpty) {
        assert(clocks - start < 5000, "the queues do not come to rest")
        tick()
      }
    }
    def numbers(page: Int): Seq[Int] = seen.filter(_.page == page).map(_.number).toSeq
  }
}
