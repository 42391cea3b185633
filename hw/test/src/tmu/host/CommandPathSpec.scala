// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.Decoupled
import tmu.DeviceSpec
import tmu.contract.{CommandLayout, Opcodes}
import tmu.matching.MatchCommand
import tmu.params.{Presets, TmuParams}

/** Doorbell, command queue and decoder, connected as in the whole unit. */
class CommandPathHarness(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val axi = Flipped(new Axi(p.doorbellAddressBits, 512, DoorbellPort.idBits))
    val out = Decoupled(new MatchCommand(p))
    val disabledPage = Input(UInt(p.pageBits.W))
    val dropped = Output(Bool())
  })
  private val doorbell = Module(new DoorbellPort(p))
  private val decoder = Module(new CommandDecoder(p))
  doorbell.io.axi <> io.axi
  doorbell.io.now := 0.U
  decoder.io.in <> CommandQueue(p, doorbell.io.command)
  decoder.io.enabled := RegNext(decoder.io.enableRead.bits =/= io.disabledPage)
  decoder.io.discard := false.B
  io.dropped := decoder.io.dropped
  io.out <> decoder.io.post
  decoder.io.arrival.ready := false.B
}

/** The command path is 512 bits wide and takes one command a clock. */
class CommandPathSpec extends DeviceSpec with DoorbellDriver {
  private val p = Presets.tiny
  private val path = device(new CommandPathHarness(p))
  private def probe(n: Int): BigInt =
    CommandRecord(Opcodes.probe, CommandLayout.handle -> BigInt(n))

  private def start(dut: CommandPathHarness): Unit = {
    quiet(dut.io.axi)
    dut.io.axi.bready.poke(true)
    dut.io.out.ready.poke(true)
    dut.io.disabledPage.poke(p.pages)
  }

  /** Offers `count` commands without a pause; clocks and order in which they come out. */
  private def stream(dut: CommandPathHarness, count: Int, burst: Int, page: Int => Int) = {
    var (heads, beats, clocks) = (0, 0, 0)
    var out = Vector.empty[Int]
    val firstOut = scala.collection.mutable.Buffer[Int]()
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
        firstOut += clocks
      }
      dut.clock.step()
      clocks += 1
    }
    (out, firstOut.toSeq)
  }

  describe("Command path") {
    for (burst <- Seq(1, 16))
      it(s"takes one command a clock in writes of $burst, without a pause between them") {
        path.run { dut =>
          start(dut)
          val count = 192
          val (out, clocks) = stream(dut, count, burst, _ % p.pages)
          assert(out == (0 until count))
          assert(clocks.last - clocks.head == count - 1, "one comes out in every clock")
          assert(clocks.head <= 5, "the first comes out within 5 clocks")
        }
      }

    it("R13: one command a clock also while those of a disabled page are dropped") {
      path.run { dut =>
        start(dut)
        dut.io.disabledPage.poke(2)
        var dropped = 0
        val count = 64
        offerHead(dut.io.axi, 4096 * 2, 1, 0)
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
