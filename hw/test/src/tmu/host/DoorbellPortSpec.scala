// SPDX-License-Identifier: Apache-2.0
package tmu.host

import scala.collection.mutable
import tmu.{DeviceSpec, Seeds}
import tmu.bus.Axi
import tmu.params.TmuParams

class DoorbellPortSpec extends DeviceSpec with DoorbellDriver {
  private val p = TmuParams("bell", 4, 16, 16, 16, 4, queues = 4)
  private val port = device(new DoorbellPort(p))
  private val okay = 0
  private val slaveError = 2
  private val consumerStrobe = BigInt(15)

  private case class Command(page: Int, record: BigInt)
  private case class Update(page: Int, index: BigInt)

  /** The port with all that comes out of it, looked at in every clock. */
  private class Watched(dut: DoorbellPort, held: () => Boolean) {
    val commands = mutable.Buffer[Command]()
    val updates = mutable.Buffer[Update]()
    var errors = 0
    var asks = 0
    var clocks = 0

    /** Clocks at which beats were taken whose command has not come out. */
    private val taken = mutable.Queue[BigInt]()
    val axi: Axi = dut.io.axi
    quiet(axi)

    /** One clock; whether the handshake took place in it. */
    def tick(handshake: => Boolean): Boolean = {
      dut.io.hold.poke(held())
      dut.io.now.poke(clocks)
      val fired = handshake
      val c = dut.io.command
      if (c.valid.isOn) {
        commands += Command(c.bits.page.value.toInt, c.bits.record.value)
        // Beats before it that were no commands are passed over.
        taken.dropWhileInPlace(_ < c.bits.stamp.value)
        assert(taken.nonEmpty && taken.dequeue() == c.bits.stamp.value, "the stamp is the write's")
      }
      if (axi.wvalid.isOn && axi.wready.isOn) taken.enqueue(BigInt(clocks))
      if (dut.io.consumer.valid.isOn)
        updates += Update(dut.io.consumer.bits.page.value.toInt, dut.io.consumer.bits.index.value)
      if (dut.io.ask.isOn) asks += 1
      errors += dut.io.errors.count(_.isOn)
      dut.clock.step()
      clocks += 1
      fired
    }

    def until(what: String)(handshake: => Boolean): Unit = {
      var waited = 0
      while (!tick(handshake)) {
        waited += 1
        assert(waited < 200, s"$what does not happen")
      }
    }

    /** A write of one or more beats; its response. */
    def write(address: Int, beats: Seq[Beat], id: Int = 0): Int = {
      offerHead(axi, address, beats.size, id)
      until("address handshake")(axi.awready.isOn)
      axi.awvalid.poke(false)
      beats.zipWithIndex.foreach { case (beat, i) =>
        offerBeat(axi, beat, i == beats.size - 1)
        until("data handshake")(axi.wready.isOn)
      }
      axi.wvalid.poke(false)
      axi.bready.poke(true)
      var response = -1
      until("response") {
        if (axi.bvalid.isOn) {
          response = axi.bresp.value.toInt
          assert(axi.bid.value == id)
        }
        response >= 0
      }
      axi.bready.poke(false)
      response
    }
    def write(address: Int, beat: Beat): Int = write(address, Seq(beat))
  }

  private def test(held: () => Boolean)(body: Watched => Unit): Unit =
    port.run(dut => body(new Watched(dut, held)))
  private def test(body: Watched => Unit): Unit = test(() => false)(body)
  private def page(n: Int, offset: Int = 0): Int = 4096 * n + offset

  describe("DoorbellPort") {
    it("R13: takes a command from any slot of a page; the page comes from the address alone") {
      test { bell =>
        for (n <- 0 until p.pages; slot <- Seq(0, 64, 0x400, 0x7c0)) {
          val data = BigInt(n) << 500 | slot
          assert(bell.write(page(n, slot), Beat(data)) == okay)
          assert(bell.commands.last == Command(n, data))
        }
        assert(bell.commands.size == 4 * p.pages && bell.errors == 0 && bell.updates.isEmpty)
      }
    }

    it("takes four bytes at the consumer offset as the page's consumer index") {
      test { bell =>
        for (n <- 0 until p.pages) {
          val index = BigInt(0xfffffff0L) + n
          assert(bell.write(page(n, 0x800), Beat(index, consumerStrobe)) == okay)
          assert(bell.updates.last == Update(n, index))
        }
        assert(bell.updates.size == p.pages && bell.errors == 0 && bell.commands.isEmpty)
      }
    }

    it("takes four bytes at the address for it as a wish for a snapshot of the counters") {
      test { bell =>
        for (n <- 0 until p.pages) {
          assert(bell.write(page(n, 0x804), Beat(BigInt(n) << 32, BigInt(0xf0))) == okay)
          assert(bell.asks == n + 1)
        }
        assert(bell.write(page(p.pages, 0x804), Beat(0, BigInt(0xf0))) == slaveError)
        assert(bell.asks == p.pages && bell.errors == 1 && bell.commands.isEmpty)
      }
    }

    it("R13: drops and counts partial commands, one byte short or one byte alone") {
      test { bell =>
        val strobes = (0 until 64).map(Beat.whole.clearBit(_)) ++ Seq(0, 1, 15).map(BigInt(_))
        strobes.zipWithIndex.foreach { case (strobe, i) =>
          assert(bell.write(page(1), Beat(7, strobe)) == slaveError)
          assert(bell.errors == i + 1)
        }
        assert(bell.commands.isEmpty && bell.updates.isEmpty)
      }
    }

    it("R13: drops and counts writes of another shape at the addresses of words") {
      test { bell =>
        for (strobe <- Seq(Beat.whole, BigInt(7), BigInt(31), BigInt(240)))
          assert(bell.write(page(1, 0x800), Beat(7, strobe)) == slaveError)
        for (strobe <- Seq(Beat.whole, BigInt(15), BigInt(0x70), BigInt(0xff)))
          assert(bell.write(page(1, 0x804), Beat(7, strobe)) == slaveError)
        assert(bell.errors == 8 && bell.asks == 0 && bell.commands.isEmpty && bell.updates.isEmpty)
      }
    }

    it("R13: drops and counts writes to unknown offsets, unaligned slots and absent pages") {
      test { bell =>
        val wrong = Seq(0x840, 0xfc0, 0x804).map(page(0, _)) ++ Seq(1, 32).map(page(0, _)) ++
          Seq(5, 6, 7).map(page(_)) :+ page(5, 0x800)
        for (address <- wrong) assert(bell.write(address, Beat(7)) == slaveError, s"at $address")
        assert(bell.write(page(6, 0x800), Beat(7, consumerStrobe)) == slaveError)
        assert(bell.errors == wrong.size + 1 && bell.commands.isEmpty && bell.updates.isEmpty)
      }
    }

    it("takes each beat of a burst as a command of its own") {
      test { bell =>
        val beats = (1 to 8).map(i => Beat(BigInt(i) << 300))
        assert(bell.write(page(2, 0x100), beats, id = 9) == okay)
        assert(bell.commands == beats.map(b => Command(2, b.data)))
      }
    }

    it("answers a burst with SLVERR when one beat is wrong, and takes the right ones") {
      test { bell =>
        val beats = Seq(Beat(1), Beat(2, BigInt(1)), Beat(3))
        assert(bell.write(page(2), beats) == slaveError)
        assert(bell.commands.map(_.record.toInt) == Seq(1, 3) && bell.errors == 1)
        assert(bell.write(page(2), Beat(4)) == okay, "the next write is judged by itself")
      }
    }

    it("R13: a burst that runs out of the command window stops being commands there") {
      test { bell =>
        assert(bell.write(page(3, 0x780), Seq(Beat(1), Beat(2), Beat(3))) == slaveError)
        assert(bell.commands == Seq(Command(3, 1), Command(3, 2)) && bell.errors == 1)
      }
    }

    it("a fixed burst stays at its slot") {
      test { bell =>
        bell.axi.awburst.poke(0)
        assert(bell.write(page(1, 0x7c0), Seq(Beat(1), Beat(2), Beat(3))) == okay)
        assert(bell.commands == Seq(1, 2, 3).map(Command(1, _)))
      }
    }

    it("R13: refuses wrapping bursts, commands and consumer indices alike") {
      test { bell =>
        bell.axi.awburst.poke(2)
        assert(bell.write(page(1), Seq(Beat(1), Beat(2))) == slaveError)
        assert(bell.write(page(1, 0x800), Beat(7, consumerStrobe)) == slaveError)
        assert(bell.commands.isEmpty && bell.updates.isEmpty && bell.errors == 3)
        bell.axi.awburst.poke(1)
        assert(bell.write(page(1), Beat(4)) == okay, "the next write is judged by itself")
      }
    }

    it("R11: waits while a page is configured and loses no command, in order") {
      val random = Seeds.random("DoorbellPort held")
      test(() => random.nextInt(4) != 0) { bell =>
        var sent = Seq.empty[Command]
        for (_ <- 0 until 40) {
          val n = random.nextInt(p.pages)
          val beats = Seq.fill(1 + random.nextInt(3))(Beat(BigInt(512, random)))
          assert(bell.write(page(n, 64 * random.nextInt(8)), beats) == okay)
          sent ++= beats.map(b => Command(n, b.data))
        }
        assert(bell.commands == sent)
      }
    }

    it("waits for its responses to be taken before it takes more, and loses none") {
      test { bell =>
        val axi = bell.axi
        offerHead(axi, page(0), 1, 1)
        offerBeat(axi, Beat(5), last = true)
        for (_ <- 0 until 30) bell.tick(false)
        assert(bell.commands.size == 2, "as many as responses fit")
        axi.awvalid.poke(false)
        axi.wvalid.poke(false)
        axi.bready.poke(true)
        var responses = 0
        for (_ <- 0 until 20) if (bell.tick(axi.bvalid.isOn)) responses += 1
        assert(responses == 4 && bell.commands.size == 4, "two more waited at the port")
      }
    }
  }
}
