// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import tmu.{DeviceSpec, Seeds}
import tmu.bus.Axi
import tmu.layout.DoorbellLayout
import tmu.params.TmuParams
import tmu.registers.Counters

class DoorbellReadsSpec extends DeviceSpec with DoorbellDriver {
  private val p = TmuParams("bell", 4, 16, 16, 16, 4, queues = 4)
  private val number = 0x1234567
  private val okay = 0
  private val slaveError = 2
  private val (fixed, increment, wrap) = (0, 1, 2)

  /** The port with a snapshot whose words tell their address. */
  private class SnapshotPorts extends Module {
    val axi = IO(Flipped(new Axi(p.doorbellAddressBits, 512, DoorbellPort.idBits)))
    val errors = IO(Output(Vec(2, Bool())))
    private val port = Module(new DoorbellPort(p))
    port.io.axi <> axi
    port.io.now := 0.U
    port.io.hold := false.B
    port.io.look.number := number.U
    for ((word, i) <- port.io.look.words.zipWithIndex)
      word := (RegNext(port.io.look.line) ## i.U(3.W)) +& 1000.U
    errors := port.io.errors
  }
  private val port = device(new SnapshotPorts)

  private case class Answer(data: BigInt, response: Int) {

    /** The 64-bit word in the lanes of an address. */
    def at(address: Int): BigInt = (data >> (8 * (address & 0x38))) & ((BigInt(1) << 64) - 1)
  }

  private class Reader(dut: SnapshotPorts) {
    quiet(dut.axi)
    var errors = 0
    private val random = Seeds.random("DoorbellReads")

    private def step(): Unit = {
      errors += dut.errors.count(_.isOn)
      dut.clock.step()
    }

    private def until(what: String)(condition: => Boolean): Unit = {
      var waited = 0
      while (!condition) {
        assert(waited < 100, s"$what does not happen")
        waited += 1
        step()
      }
    }

    def read(address: Int, beats: Int = 1, size: Int = 3, burst: Int = increment): Seq[Answer] = {
      val axi = dut.axi
      val id = random.nextInt(16)
      axi.araddr.poke(address)
      axi.arlen.poke(beats - 1)
      axi.arsize.poke(size)
      axi.arburst.poke(burst)
      axi.arid.poke(id)
      axi.arvalid.poke(true)
      until("the address's handshake")(axi.arready.isOn)
      step()
      axi.arvalid.poke(false)
      val answers = (1 to beats).map { beat =>
        axi.rready.poke(false)
        (0 until random.nextInt(3)).foreach(_ => step())
        axi.rready.poke(true)
        until("a beat")(axi.rvalid.isOn)
        assert(axi.rid.value == id && axi.rlast.isOn == (beat == beats), s"beat $beat of $beats")
        val answer = Answer(axi.rdata.value, axi.rresp.value.toInt)
        step()
        answer
      }
      assert(!axi.rvalid.isOn, "no more than was asked for")
      answers
    }
  }
  private def test(body: Reader => Unit): Unit = port.run(dut => body(new Reader(dut)))
  private def page(n: Int, offset: Int): Int = 4096 * n + offset

  describe("DoorbellPort") {
    it("shows the snapshot of the counters on every page, and its number") {
      test { reader =>
        for (n <- 0 until p.pages) {
          val address = page(n, DoorbellLayout.snapshotOffset)
          val seen = reader.read(address).head
          assert(seen.response == okay && seen.at(address) == number)
          for (i <- Counters.all.indices) {
            val address = page(n, DoorbellLayout.countersOffset + DoorbellLayout.counterBytes * i)
            val counter = reader.read(address).head
            assert(counter.response == okay && counter.at(address) == 1000 + i, s"counter $i")
          }
        }
        assert(reader.errors == 0)
      }
    }

    it("shows it to reads of any size, and to bursts") {
      test { reader =>
        val start = page(2, DoorbellLayout.countersOffset)
        val lines = reader.read(start, beats = 4, size = 6)
        for (i <- 0 until 32) assert(lines(i / 8).at(8 * i) == 1000 + i)
        val words = reader.read(start + 48, beats = 4, size = 3)
        for (i <- 0 until 4) assert(words(i).at(48 + 8 * i) == 1006 + i)
        val same = reader.read(start + 72, beats = 3, size = 3, burst = fixed)
        assert(same.forall(_.at(72) == 1009))
        assert((lines ++ words ++ same).forall(_.response == okay) && reader.errors == 0)
      }
    }

    it("R13: answers every beat of another read with SLVERR and nothing, and counts it") {
      test { reader =>
        val wrong = Seq(page(0, 0), page(1, 0x7c0), page(1, 0x840), page(2, 0xbc0)) ++
          Seq(DoorbellLayout.snapshotOffset, DoorbellLayout.countersOffset).map(page(p.pages, _))
        for ((address, i) <- wrong.zipWithIndex) {
          val seen = reader.read(address).head
          assert(seen == Answer(0, slaveError), f"at $address%x")
          assert(reader.errors == i + 1)
        }
        val before = reader.errors
        val wrapping = reader.read(page(0, DoorbellLayout.countersOffset), 4, 6, wrap)
        assert(wrapping == Seq.fill(4)(Answer(0, slaveError)) && reader.errors == before + 4)
        val leaves = reader.read(page(0, 0xb80), beats = 3, size = 6)
        assert(leaves.map(_.response) == Seq(slaveError, slaveError, okay))
        assert(reader.errors == before + 6)
      }
    }
  }
}
