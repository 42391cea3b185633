// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3.Bool
import tmu.DeviceSpec
import tmu.params.{Presets, TmuParams}
import tmu.registers.{RegisterMap, TmuRegisters}

/** The control registers alone, read and written by their names. */
trait ControlRegistersBench extends RegisterDriver { this: DeviceSpec =>
  protected val p: TmuParams = Presets.tiny.unit
  protected val map: RegisterMap = TmuRegisters.map(p)
  protected val registers: Device[ControlRegisters] = device(new ControlRegisters(p))

  /** Nothing is asked and nothing goes on. */
  protected def quiet(dut: ControlRegisters): Unit = {
    quietRegisters(dut.io.axi)
    val io = dut.io
    Seq[Bool](io.idle, io.page.ready, io.counting, io.look.busy).foreach(_.poke(false))
    Seq[Bool](io.endpoint.ready, io.endpointState.valid).foreach(_.poke(false))
    io.ready.poke(true)
    io.spareChunks.poke(513)
    (io.segments +: io.spilled).foreach(_.poke(0))
  }
  protected def offset(name: String): Int = map(name).offset
  protected def read(dut: ControlRegisters, name: String): BigInt =
    readRegister(dut, dut.io.axi, offset(name))
  protected def write(dut: ControlRegisters, name: String, data: BigInt): Unit =
    writeRegister(dut, dut.io.axi, offset(name), data)
}
