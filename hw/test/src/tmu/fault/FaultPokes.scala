// SPDX-License-Identifier: Apache-2.0
package tmu.fault

import chisel3.Module
import tmu.DeviceSpec
import tmu.layout.Code

/** Asks for flips on the fault port of a module. */
trait FaultPokes { this: DeviceSpec =>

  /** The next word that is written to a store loses a bit. Takes two clocks. */
  protected def flip(dut: Module, fault: FaultPort, store: Code, bit: Int): Unit = {
    fault.flip.bits.store.poke(store.value)
    fault.flip.bits.bit.poke(bit)
    fault.flip.valid.poke(true)
    dut.clock.step()
    fault.flip.valid.poke(false)
    dut.clock.step() // the bit is decoded
  }
}
