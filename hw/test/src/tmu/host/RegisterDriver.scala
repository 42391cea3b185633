// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3.Module
import tmu.DeviceSpec
import tmu.bus.AxiLite

/** Drives an AXI4-Lite register slave. */
trait RegisterDriver { this: DeviceSpec =>

  protected def quietRegisters(axi: AxiLite): Unit =
    Seq(axi.awvalid, axi.wvalid, axi.arvalid, axi.bready, axi.rready).foreach(_.poke(false))

  /** A write; its response. `watch` looks at the device in every clock of it. */
  protected def tryWrite(dut: Module, axi: AxiLite, address: Int, data: BigInt, strobe: Int)(
      watch: => Unit
  ): Int = {
    axi.awaddr.poke(address)
    axi.awvalid.poke(true)
    axi.wdata.poke(data)
    axi.wstrb.poke(strobe)
    axi.wvalid.poke(true)
    axi.bready.poke(true)
    waitFor(dut, "the write's acceptance")(axi.awready.isOn && axi.wready.isOn)
    watch
    dut.clock.step()
    axi.awvalid.poke(false)
    axi.wvalid.poke(false)
    waitFor(dut, "the write's response") {
      watch
      axi.bvalid.isOn
    }
    val response = axi.bresp.value.toInt
    dut.clock.step()
    axi.bready.poke(false)
    response
  }

  /** A read; its data and response. */
  protected def tryRead(dut: Module, axi: AxiLite, address: Int): (BigInt, Int) = {
    axi.araddr.poke(address)
    axi.arvalid.poke(true)
    axi.rready.poke(true)
    waitFor(dut, "the read's acceptance")(axi.arready.isOn)
    dut.clock.step()
    axi.arvalid.poke(false)
    waitFor(dut, "the read's response")(axi.rvalid.isOn)
    val answer = (axi.rdata.value, axi.rresp.value.toInt)
    dut.clock.step()
    axi.rready.poke(false)
    answer
  }

  protected def writeRegister(dut: Module, axi: AxiLite, address: Int, data: BigInt): Unit =
    assert(tryWrite(dut, axi, address, data, 15)(()) == 0, f"write to 0x$address%x")

  protected def readRegister(dut: Module, axi: AxiLite, address: Int): BigInt = {
    val (data, response) = tryRead(dut, axi, address)
    assert(response == 0, f"read of 0x$address%x")
    data
  }
}
