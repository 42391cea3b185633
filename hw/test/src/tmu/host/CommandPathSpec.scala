// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.Decoupled
import tmu.DeviceSpec
import tmu.bus.Axi
import tmu.layout.{CommandLayout, Opcodes}
import tmu.params.{Presets, TmuParams}
import tmu.types.MatchCommand

/** Doorbell, submission queues and decoder, connected as in the whole unit. */
class CommandPathHarness(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val axi = Flipped(new Axi(p.doorbellAddressBits, 512, DoorbellPort.idBits))
    val out = Decoupled(new MatchCommand(p))
    val ready = Output(Bool())
    val configure = Flipped(Decoupled(new PageConfig(p)))
    val dropped = Output(Bool())
  })
  private val doorbell = Module(new DoorbellPort(p))
  private val queues = Module(new SubmissionHarness(p))
  private val decoder = Module(new CommandDecoder(p))
  doorbell.io.axi <> io.axi
  doorbell.io.now := 0.U
  doorbell.io.hold := queues.io.hold
  doorbell.io.look.number := 0.U
  doorbell.io.look.words := 0.U.asTypeOf(doorbell.io.look.words)
  io.ready := queues.io.ready
  queues.io.configure <> io.configure
  queues.io.disable.valid := false.B
  queues.io.disable.bits := 0.U
  queues.io.command := doorbell.io.command
  queues.io.consumer.valid := RegNext(doorbell.io.consumer.valid, false.B)
  queues.io.consumer.bits := RegNext(doorbell.io.consumer.bits)
  queues.io.moved.valid := false.B
  queues.io.moved.bits := 0.U.asTypeOf(queues.io.moved.bits)
  queues.io.discard := false.B
  queues.io.crowded := false.B
  queues.io.scarce := false.B
  queues.io.held := 0.U
  queues.io.spilling := 0.U
  decoder.io.in <> queues.io.out
  decoder.io.discard := false.B
  io.dropped := queues.io.dropped
  io.out <> decoder.io.post
  decoder.io.arrival.ready := false.B
}

/** The command path is 512 bits wide and takes one command a clock. */
class CommandPathSpec extends DeviceSpec with DoorbellDriver {
  private val p = Presets.tiny.unit
  private val pages = 0 until 5
  private val path = device(new CommandPathHarness(p))
  private def probe(n: Int): BigInt =
    CommandRecord(Opcodes.probe, CommandLayout.handle -> BigInt(n))

  private def start(dut: CommandPathHarness): Unit = {
    quiet(dut.io.axi)
    dut.io.axi.bready.poke(true)
    dut.io.out.ready.poke(true)
    dut.io.configure.valid.poke(false)
    waitFor(dut, "the sweep")(dut.io.ready.isOn)
    val c = dut.io.configure
    for (page <- pages) {
      c.bits.page.poke(page)
      c.bits.ring.enable.poke(true)
      c.bits.ring.log2.poke(16)
      c.bits.queue.enable.poke(true)
      c.bits.queue.first.poke(64 * page)
      c.bits.queue.log2.poke(6)
      c.valid.poke(true)
      waitFor(dut, "the page")(c.ready.isOn)
      dut.clock.step()
      c.valid.poke(false)
    }
  }

  /** Offers `count` commands without a pause; clocks and order in which they come out. */
  private def stream(dut: CommandPathHarness, count: Int, burst: Int, page: Int => Int) = {
    var (heads, beats, clocks) = (0, 0, 0)
    var out = Vector.empty[Int]
    val times = scala.collection.mutable.Buffer[Int]()
    while (out.size < count && clocks < 4 * count) {
      val axi = dut.io.axi
      if (heads * burst < count) offerHead(axi, 4096 * page(heads), burst, 0)
      else axi.awvalid.poke(false)
      if (beats < count) offerBeat(axi, Beat(probe(beats)), beats % burst == burst - 1)
      else axi.wvalid.poke(false)
      if (axi.awvalid.isOn && axi.awready.isOn) heads += 1
      if (axi.wvalid.isOn && axi.wready.isOn) beats += 1
      if (dut.io.out.valid.isOn) {
        out :+= dut.io.out.bits.handle.value.toInt
        assert(dut.io.out.bits.page.value == page(out.last / burst))
        times += clocks
      }
      dut.clock.step()
      clocks += 1
    }
    (out, times.toSeq)
  }

  describe("Command path") {
    for (burst <- Seq(1, 16))
      it(s"takes one command a clock in writes of $burst, without a pause between them") {
        path.run { dut =>
          start(dut)
          val count = 192
          val (out, clocks) = stream(dut, count, burst, _ % pages.size)
          assert(out.sorted == (0 until count))
          for (page <- pages) {
            val own = out.filter(_ / burst % pages.size == page)
            assert(own == own.sorted, "R7: each page's commands keep their order")
          }
          assert(clocks.last - clocks.head <= count + 16, "one comes out in every clock")
          assert(clocks.head <= 11, s"the first comes out after ${clocks.head} clocks")
        }
      }

    it("R13: one command a clock also while those of a disabled page are dropped") {
      path.run { dut =>
        start(dut)
        var dropped = 0
        val count = 64
        offerHead(dut.io.axi, 4096 * 7, 1, 0)
        offerBeat(dut.io.axi, Beat(probe(1)), last = true)
        dut.clock.step(8)
        for (_ <- 0 until count) {
          assert(dut.io.axi.wready.isOn && !dut.io.out.valid.isOn)
          if (dut.io.dropped.isOn) dropped += 1
          dut.clock.step()
        }
        assert(dropped == count)
      }
    }
  }
}
