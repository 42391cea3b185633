// SPDX-License-Identifier: Apache-2.0
package tmu.host

import scala.collection.mutable
import tmu.DeviceSpec
import tmu.layout.{CompletionLayout, Statuses, WordField}
import tmu.params.TmuParams

/** Surroundings of a completion writer: memory, and software that sets rings up and reads them. */
trait CompletionWriterHost extends DeviceSpec {
  import CompletionLayout._
  protected val p: TmuParams = TmuParams("writer", 4, 16, 16, 16, 4, queues = 4)
  private val harness = device(new CompletionWriterHarness(p))
  protected def test(body: (CompletionWriterHarness, Host) => Unit): Unit =
    harness.run(dut => body(dut, new Host(dut)))

  protected def field(record: BigInt, f: WordField): BigInt =
    (record >> (64 * f.word + f.low)) & ((BigInt(1) << f.width) - 1)
  private val base = BigInt("123456789abcc0", 16)
  protected def baseOf(page: Int): BigInt = base + page * 0x100000

  /** Memory behind the writer: takes addresses and data at its own pace, answers later. */
  protected class Host(dut: CompletionWriterHarness) {
    val addresses = mutable.Buffer[BigInt]()
    val data = mutable.Buffer[BigInt]()
    var awReady: () => Boolean = () => true
    var wReady: () => Boolean = () => true
    var answers = true
    var clocks = 0
    var errors = 0
    var overruns = 0
    private var answered = 0
    private val axi = dut.io.axi
    Seq(dut.io.configure.valid, dut.io.consumer.valid, dut.io.verdict.valid, dut.io.discard)
      .foreach(_.poke(false))
    dut.io.patience.poke(0)
    Seq(axi.awready, axi.wready, axi.bvalid).foreach(_.poke(false))
    axi.bresp.poke(0)
    waitFor(dut, "the sweep")(dut.io.ready.isOn)

    def enable(page: Int, log2: Int): Unit = {
      dut.io.configure.bits.page.poke(page)
      dut.io.configure.bits.ring.enable.poke(true)
      dut.io.configure.bits.ring.log2.poke(log2)
      dut.io.configure.bits.ring.base.poke(baseOf(page) >> 6)
      dut.io.configure.valid.poke(true)
      var taken = false
      while (!taken) {
        taken = dut.io.configure.ready.isOn
        tick()
      }
      dut.io.configure.valid.poke(false)
    }
    def consume(page: Int, index: BigInt): Unit = {
      dut.io.consumer.bits.page.poke(page)
      dut.io.consumer.bits.index.poke(index)
      dut.io.consumer.valid.poke(true)
      tick()
      dut.io.consumer.valid.poke(false)
    }

    /** One clock of memory; whether the verdict on offer was taken. */
    def tick(): Boolean = {
      val (aw, w) = (awReady(), wReady())
      axi.awready.poke(aw)
      axi.wready.poke(w)
      val answer = answers && answered < addresses.size.min(data.size)
      axi.bvalid.poke(answer)
      dut.io.now.poke(clocks)
      val fired = dut.io.verdict.valid.isOn && dut.io.verdict.ready.isOn
      if (aw && axi.awvalid.isOn) addresses += axi.awaddr.value
      if (w && axi.wvalid.isOn) {
        assert(axi.wlast.isOn && axi.wstrb.value == (BigInt(1) << 64) - 1)
        data += axi.wdata.value
      }
      if (answer) answered += 1
      if (dut.io.error.isOn) errors += 1
      if (dut.io.overrun.isOn) overruns += 1
      dut.clock.step()
      axi.bvalid.poke(false)
      clocks += 1
      fired
    }
    def offer(page: Int, n: BigInt, stamp: Int = 0): Unit = {
      dut.io.verdict.bits.page.poke(page)
      dut.io.verdict.bits.status.poke(Statuses.queued.value)
      dut.io.verdict.bits.handle.poke(n)
      dut.io.verdict.bits.stamp.poke(stamp)
      dut.io.verdict.valid.poke(true)
    }
    def give(page: Int, n: BigInt): Unit = {
      offer(page, n)
      val start = clocks
      while (!tick()) assert(clocks - start < 500, s"verdict $n is not taken")
      dut.io.verdict.valid.poke(false)
    }
    def drain(): Unit = {
      val start = clocks
      dut.io.verdict.valid.poke(false)
      while (!dut.io.idle.isOn) {
        tick()
        assert(clocks - start < 500, "the writer does not come to rest")
      }
    }
    def handles: Seq[BigInt] = data.map(field(_, handle)).toSeq
    def phases: Seq[Int] = data.map(field(_, phase).toInt).toSeq
  }
}
