// SPDX-License-Identifier: Apache-2.0
package tmu.host

import tmu.{DeviceSpec, Seeds, Traffic}
import tmu.params.Presets

class VerdictOrderSpec extends DeviceSpec {
  private val p = Presets.formal
  private val order = device(new VerdictOrder(p))

  private def offer(dut: VerdictOrder, post: Option[Int], arrival: Option[Int]): Unit = {
    dut.io.in.valid.poke(post.isDefined || arrival.isDefined)
    for ((port, value) <- Seq(dut.io.in.bits.post -> post, dut.io.in.bits.arrival -> arrival)) {
      port.valid.poke(value.isDefined)
      port.bits.handle.poke(value.getOrElse(0))
    }
  }

  describe("VerdictOrder") {
    it("R7: gives a slot's post before its arrival, slot by slot, however its taker pauses") {
      val random = Seeds.random("VerdictOrder")
      for (share <- Seq(1, 2, 4)) order.run { dut =>
        var (given, seen) = (Vector.empty[Int], Vector.empty[Int])
        var number = 0
        def slot(): (Option[Int], Option[Int]) = random.nextInt(4) match {
          case 0 => (Some({ number += 1; number }), None)
          case 1 => (None, Some({ number += 1; number }))
          case _ => (Some(number + 1), Some({ number += 2; number }))
        }
        var now = slot()
        def enough = given.size > 30
        for (_ <- Traffic.until(200)(enough)) {
          offer(dut, now._1, now._2)
          dut.io.out.ready.poke(random.nextInt(share) == 0)
          assert(dut.io.out.valid.isOn)
          if (random.nextInt(share) >= 0 && dut.io.out.ready.isOn)
            seen :+= dut.io.out.bits.handle.value.toInt
          if (dut.io.in.ready.isOn) {
            given ++= now._1.toSeq ++ now._2
            now = slot()
          }
          dut.clock.step()
        }
        assert(enough && seen.take(given.size) == given)
        assert(seen.size <= given.size + 1)
      }
    }

    it("costs one clock a verdict: a slot of one is taken in the clock in which it is offered") {
      order.run { dut =>
        dut.io.out.ready.poke(true)
        offer(dut, Some(1), None)
        assert(dut.io.in.ready.isOn && dut.io.out.bits.handle.value == 1)
        dut.clock.step()
        offer(dut, Some(2), Some(3))
        assert(!dut.io.in.ready.isOn && dut.io.out.bits.handle.value == 2)
        dut.clock.step()
        assert(dut.io.in.ready.isOn && dut.io.out.bits.handle.value == 3)
      }
    }

    it("gives nothing while no slot is offered") {
      order.run { dut =>
        offer(dut, None, None)
        assert(!dut.io.out.valid.isOn)
      }
    }

    it("R7: a slot without a verdict stops the simulation") {
      val error = intercept[Exception] {
        order.run { dut =>
          offer(dut, None, None)
          dut.io.in.valid.poke(true)
          dut.clock.step()
        }
      }
      assert(error.getMessage.contains("R7: a slot was answered without a verdict"), error)
    }
  }
}
