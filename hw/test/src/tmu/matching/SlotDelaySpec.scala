// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import tmu.{DeviceSpec, Seeds}
import tmu.params.Presets

class SlotDelaySpec extends DeviceSpec {
  private val p = Presets.formal
  private val delays = Seq(2, 3, 5)
  private val devices = delays.map(n => n -> device(new SlotDelay(p, n)))

  describe("SlotDelay") {
    for ((clocks, made) <- devices)
      it(s"R7: gives every slot back after $clocks clocks, empty ones as empty") {
        val random = Seeds.random(s"SlotDelay $clocks")
        made.run { dut =>
          var sent = Vector.empty[Seq[Option[BigInt]]]
          for (now <- 0 until 80) {
            val slot = Seq.fill(2)(Option.when(random.nextInt(3) > 0)(BigInt(32, random)))
            Seq(dut.io.in.post, dut.io.in.arrival).zip(slot).foreach { case (port, value) =>
              port.valid.poke(value.isDefined)
              port.bits.accepted.poke(value.getOrElse(BigInt(0)))
              port.bits.command.handle.poke(value.getOrElse(BigInt(0)))
            }
            sent :+= slot
            if (now >= clocks)
              Seq(dut.io.out.post, dut.io.out.arrival).zip(sent(now - clocks)).foreach {
                case (port, expected) =>
                  assert(port.valid.isOn == expected.isDefined, s"clock $now")
                  expected.foreach { v =>
                    assert(port.bits.accepted.value == v && port.bits.command.handle.value == v)
                  }
              }
            dut.clock.step()
          }
        }
      }

    it("refuses a delay that its registers cannot make") {
      val error = intercept[IllegalArgumentException] {
        chisel3.stage.ChiselGeneratorAnnotation(() => new SlotDelay(p, 1)).elaborate
      }
      assert(error.getMessage.contains("a delay of 1 clocks; its registers need at least 2"))
    }
  }
}
