// SPDX-License-Identifier: Apache-2.0
package tmu.host

import tmu.{DeviceSpec, Seeds}

class AxiLitePortSpec extends DeviceSpec {
  private val port = device(new AxiLitePort(8))

  /** Plays the register file: takes the access at hand and answers after some clocks. */
  private def serve(dut: AxiLitePort, data: BigInt, error: Boolean, clocks: Int): Unit = {
    dut.io.access.ready.poke(true)
    dut.clock.step()
    dut.io.access.ready.poke(false)
    dut.clock.step(clocks)
    dut.io.answer.bits.data.poke(data)
    dut.io.answer.bits.error.poke(error)
    dut.io.answer.valid.poke(true)
    dut.clock.step()
    dut.io.answer.valid.poke(false)
  }

  private def quiet(dut: AxiLitePort): Unit = {
    val signals = Seq(dut.io.axi.awvalid, dut.io.axi.wvalid, dut.io.axi.arvalid, dut.io.axi.bready)
    (signals ++ Seq(dut.io.axi.rready, dut.io.access.ready, dut.io.answer.valid))
      .foreach(_.poke(false))
  }

  private def offerAddress(dut: AxiLitePort, address: Int): Unit = {
    dut.io.axi.awaddr.poke(address)
    dut.io.axi.awvalid.poke(true)
  }

  private def offerData(dut: AxiLitePort, data: BigInt, strobe: Int): Unit = {
    dut.io.axi.wdata.poke(data)
    dut.io.axi.wstrb.poke(strobe)
    dut.io.axi.wvalid.poke(true)
  }

  private def offerRead(dut: AxiLitePort, address: Int): Unit = {
    dut.io.axi.araddr.poke(address)
    dut.io.axi.arvalid.poke(true)
  }

  /** One clock in which each channel that is offered is taken; nothing is offered afterwards. */
  private def hand(dut: AxiLitePort): Unit = {
    val axi = dut.io.axi
    for ((valid, ready) <- channels(dut)) assert(!valid.isOn || ready.isOn)
    dut.clock.step()
    Seq(axi.awvalid, axi.wvalid, axi.arvalid).foreach(_.poke(false))
  }

  private def channels(dut: AxiLitePort) = {
    val axi = dut.io.axi
    Seq(axi.awvalid -> axi.awready, axi.wvalid -> axi.wready, axi.arvalid -> axi.arready)
  }

  private def handWrite(dut: AxiLitePort, address: Int, data: BigInt, strobe: Int): Unit = {
    offerAddress(dut, address)
    offerData(dut, data, strobe)
    hand(dut)
  }

  private def handRead(dut: AxiLitePort, address: Int): Unit = {
    offerRead(dut, address)
    hand(dut)
  }

  describe("AxiLitePort") {
    it("hands a write on once address and data are both there, in either order") {
      port.run { dut =>
        for (addressFirst <- Seq(true, false)) {
          quiet(dut)
          if (addressFirst) offerAddress(dut, 0x24) else offerData(dut, 77, 15)
          hand(dut)
          dut.clock.step(3)
          assert(!dut.io.access.valid.isOn)
          if (addressFirst) offerData(dut, 77, 15) else offerAddress(dut, 0x24)
          hand(dut)
          assert(dut.io.access.valid.isOn && dut.io.access.bits.write.isOn)
          assert(dut.io.access.bits.address.value == 0x24)
          assert(dut.io.access.bits.data.value == 77)
          assert(!dut.io.access.bits.partial.isOn)
          serve(dut, 0, error = false, clocks = 0)
          assert(dut.io.axi.bvalid.isOn && dut.io.axi.bresp.value == 0)
          dut.io.axi.bready.poke(true)
          dut.clock.step()
          assert(!dut.io.axi.bvalid.isOn)
        }
      }
    }

    it("marks every write of fewer than four bytes as partial") {
      port.run { dut =>
        quiet(dut)
        dut.io.axi.bready.poke(true)
        for (strobe <- 0 to 15) {
          handWrite(dut, 0, 0, strobe)
          assert(dut.io.access.bits.partial.isOn == (strobe != 15), s"strobe $strobe")
          serve(dut, 0, error = false, clocks = 0)
          dut.clock.step()
        }
      }
    }

    it("answers SLVERR where the register file says error, OKAY otherwise") {
      port.run { dut =>
        for (error <- Seq(true, false); write <- Seq(true, false)) {
          quiet(dut)
          if (write) handWrite(dut, 4, 0, 15) else handRead(dut, 4)
          serve(dut, 0, error, clocks = 1)
          val response = if (write) dut.io.axi.bresp else dut.io.axi.rresp
          assert((if (write) dut.io.axi.bvalid else dut.io.axi.rvalid).isOn)
          assert(response.value == (if (error) 2 else 0))
          dut.io.axi.bready.poke(true)
          dut.io.axi.rready.poke(true)
          dut.clock.step()
        }
      }
    }

    it("keeps an answer until it is taken, and hands on no other access meanwhile") {
      port.run { dut =>
        quiet(dut)
        handRead(dut, 0x10)
        serve(dut, 1234, error = false, clocks = 2)
        dut.io.access.ready.poke(true)
        handWrite(dut, 4, 0, 15)
        for (_ <- 0 until 6) {
          assert(dut.io.axi.rvalid.isOn && dut.io.axi.rdata.value == 1234)
          assert(!dut.io.access.valid.isOn)
          assert(!dut.io.axi.awready.isOn && !dut.io.axi.wready.isOn, "one register a channel")
          dut.clock.step()
        }
        dut.io.axi.rready.poke(true)
        dut.clock.step()
        assert(!dut.io.axi.rvalid.isOn && dut.io.access.valid.isOn)
      }
    }

    it("takes a write before a read that is offered at the same time, and loses neither") {
      port.run { dut =>
        quiet(dut)
        offerRead(dut, 12)
        dut.io.axi.bready.poke(true)
        handWrite(dut, 8, 5, 15)
        assert(dut.io.access.bits.write.isOn && dut.io.access.bits.address.value == 8)
        serve(dut, 0, error = false, clocks = 0)
        dut.clock.step()
        assert(dut.io.access.valid.isOn && !dut.io.access.bits.write.isOn)
        assert(dut.io.access.bits.address.value == 12)
        serve(dut, 99, error = false, clocks = 0)
        assert(dut.io.axi.rvalid.isOn && dut.io.axi.rdata.value == 99)
      }
    }

    it("lets no ready follow a valid in the same clock") {
      port.run { dut =>
        quiet(dut)
        val before = channels(dut).map(_._2.isOn)
        channels(dut).foreach(_._1.poke(true))
        assert(channels(dut).map(_._2.isOn) == before)
      }
    }

    it("reads what the register file answers, whatever the pauses") {
      val random = Seeds.random("AxiLitePort")
      port.run { dut =>
        for (_ <- 0 until 60) {
          quiet(dut)
          val (address, data) = (4 * random.nextInt(64), BigInt(32, random))
          dut.clock.step(random.nextInt(3))
          handRead(dut, address)
          assert(dut.io.access.bits.address.value == address)
          serve(dut, data, error = false, clocks = random.nextInt(4))
          dut.clock.step(random.nextInt(3))
          assert(dut.io.axi.rvalid.isOn && dut.io.axi.rdata.value == data)
          dut.io.axi.rready.poke(true)
          dut.clock.step()
        }
      }
    }
  }
}
