// SPDX-License-Identifier: Apache-2.0
package tmu

import org.scalatest.funspec.AnyFunSpec
import tmu.params.{Presets, SpillLayout}

class TmuPortsSpec extends AnyFunSpec {
  describe("TmuPorts") {
    // The types alone, which TmuTop has as they are: to elaborate every preset takes long.
    for (p <- Presets.all)
      it(s"${p.name}: memory, completions and doorbells have 512 bits of data") {
        val ports = new TmuPorts(p)
        val memory = ports.m_axi_mem
        assert(memory.wdata.getWidth == 512 && memory.rdata.getWidth == 512)
        assert(memory.wstrb.getWidth == 64)
        assert(8 * SpillLayout.beatBytes == 512, "what lies in memory is made of such beats")
        assert(ports.m_axi.wdata.getWidth == 512)
        assert(ports.s_axi.wdata.getWidth == 512 && ports.s_axi.rdata.getWidth == 512)
      }
  }
}
