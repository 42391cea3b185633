// SPDX-License-Identifier: Apache-2.0
package tmu.matching.endpoints

import tmu.{DeviceSpec, Seeds}
import tmu.params.TmuParams

class LostReservesSpec extends DeviceSpec {
  private val p = TmuParams("lost", 4, 16, 16, 16, 4)
  private val reserves = device(new LostReserves(p))

  describe("LostReserves") {
    it("R13: of two streams, each sees in the next clock what both have told, until a reset") {
      reserves.run { dut =>
        val random = Seeds.random("LostReserves")
        dut.io.loses.foreach(_.valid.poke(false))
        for (_ <- 0 until 20) {
          dut.reset.poke(true)
          dut.clock.step()
          dut.reset.poke(false)
          dut.clock.step(p.endpoints)
          var lost = Set.empty[Int]
          for (_ <- 0 until 12) {
            for (loses <- dut.io.loses) {
              val endpoint = random.nextInt(p.endpoints)
              val now = random.nextInt(4) == 0
              loses.valid.poke(now)
              loses.bits.poke(endpoint)
              if (now) lost += endpoint
            }
            // An endpoint told in this clock counts for the operations decided in the next.
            for (s <- 0 to 1) {
              val endpoint = random.nextInt(p.endpoints)
              dut.io.at(s).poke(endpoint)
              assert(dut.io.lost(s).isOn == lost(endpoint), s"endpoint $endpoint of $lost")
            }
            dut.clock.step()
          }
          dut.io.loses.foreach(_.valid.poke(false))
        }
      }
    }
  }
}
