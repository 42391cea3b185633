// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import tmu.{DeviceSpec, Seeds}

class SkidBufferSpec extends DeviceSpec {
  private val buffer = device(new SkidBuffer(UInt(16.W)))

  /** Offers and takes at random; returns what went in and what came out, with their clocks. */
  private def traffic(clocks: Int, offers: Int => Boolean, takes: Int => Boolean) = {
    var in = Vector.empty[(Int, BigInt)]
    var out = Vector.empty[(Int, BigInt)]
    buffer.run { dut =>
      for (now <- 0 until clocks) {
        val ready = takes(now)
        dut.io.enq.valid.poke(offers(now))
        dut.io.enq.bits.poke(in.size % 65536)
        dut.io.deq.ready.poke(ready)
        if (offers(now) && dut.io.enq.ready.isOn) in :+= now -> BigInt(in.size)
        if (ready && dut.io.deq.valid.isOn) out :+= now -> dut.io.deq.bits.value
        dut.clock.step()
      }
    }
    (in, out)
  }

  describe("SkidBuffer") {
    it("loses and invents nothing, in order, and holds two at most") {
      val r = Seeds.random("SkidBuffer")
      val (offers, takes) = (Array.fill(600)(r.nextInt(3) > 0), Array.fill(600)(r.nextInt(3) > 0))
      val (in, out) = traffic(600, offers, takes)
      assert(out.map(_._2) == in.map(_._2).take(out.size))
      assert(in.size - out.size <= 2 && out.size > 200)
    }

    it("passes one a clock, each a clock later") {
      val (in, out) = traffic(20, _ => true, _ => true)
      assert(in.map(_._1) == (0 until 20))
      assert(out.map(_._1) == (1 until 20))
    }

    it("takes two while nothing leaves, then no more") {
      val (in, out) = traffic(10, _ => true, _ >= 8)
      assert(in.map(_._1) == Seq(0, 1, 9) && out.map(_._1) == Seq(8, 9))
    }
  }
}
