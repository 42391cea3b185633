// SPDX-License-Identifier: Apache-2.0
package tmu.buffer

import chisel3._
import tmu.{DeviceSpec, Seeds}

class PointerQueueSpec extends DeviceSpec {
  private val two = device(new PointerQueue(UInt(16.W), 2))
  private val seven = device(new PointerQueue(UInt(16.W), 7))

  /** Offers and takes; returns what went in and what came out, with their clocks. */
  private def traffic(
      queue: Device[PointerQueue[UInt]],
      clocks: Int,
      offers: Int => Boolean,
      takes: Int => Boolean
  ) = {
    var in = Vector.empty[(Int, BigInt)]
    var out = Vector.empty[(Int, BigInt)]
    queue.run { dut =>
      for (now <- 0 until clocks) {
        assert(dut.io.count.value == in.size - out.size)
        val ready = takes(now)
        dut.io.enq.valid.poke(offers(now))
        dut.io.enq.bits.poke(if (offers(now)) in.size % 65536 else 0xdead)
        dut.io.deq.ready.poke(ready)
        val (comes, goes) = (offers(now) && dut.io.enq.ready.isOn, ready && dut.io.deq.valid.isOn)
        if (goes) out :+= now -> dut.io.deq.bits.value
        if (comes) in :+= now -> BigInt(in.size)
        dut.clock.step()
      }
    }
    (in, out)
  }

  describe("PointerQueue") {
    for ((queue, entries) <- Seq(two -> 2, seven -> 7)) {
      it(s"with $entries entries: loses and invents nothing, in order, and holds no more") {
        val r = Seeds.random(s"PointerQueue $entries")
        val (offers, takes) =
          (Array.fill(900)(r.nextInt(3) > 0), Array.fill(900)(r.nextInt(3) > 0))
        val (in, out) = traffic(queue, 900, offers, takes)
        assert(out.map(_._2) == in.map(_._2).take(out.size))
        assert(in.size - out.size <= entries && out.size > 300)
      }

      it(s"with $entries entries: passes one a clock, each a clock later") {
        val (in, out) = traffic(queue, 20, _ => true, _ => true)
        assert(in.map(_._1) == (0 until 20))
        assert(out.map(_._1) == (1 until 20))
      }

      it(s"with $entries entries: takes that many while nothing leaves, then no more") {
        val (in, out) = traffic(queue, 16, _ => true, _ >= 12)
        assert(in.map(_._1) == (0 until entries) ++ (13 to 15))
        assert(out.map(_._1) == (12 to 15))
      }
    }
  }
}
