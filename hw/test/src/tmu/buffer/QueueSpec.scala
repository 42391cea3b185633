// SPDX-License-Identifier: Apache-2.0
package tmu.buffer

import chisel3._
import chisel3.util.DecoupledIO
import tmu.{DeviceSpec, Seeds}

/** PointerQueue and BlockQueue: the same promises, but for the clocks from end to end. */
class QueueSpec extends DeviceSpec {
  private case class Ports(enq: DecoupledIO[UInt], deq: DecoupledIO[UInt], count: UInt)

  /** A queue, how many it holds, and the clocks from its entrance to its exit. */
  private class Kind[Q <: Module](val name: String, make: => Q, ports: Q => Ports)(
      val entries: Int,
      val clocks: Int
  ) {
    private val queue = device(make)
    def run(body: (Ports, Clock) => Unit): Unit = queue.run(dut => body(ports(dut), dut.clock))
  }
  private def pointer(entries: Int) = new Kind[PointerQueue[UInt]](
    "PointerQueue",
    new PointerQueue(UInt(16.W), entries),
    q => Ports(q.io.enq, q.io.deq, q.io.count)
  )(entries, 1)
  private def block(entries: Int, inBlock: Boolean = true) = new Kind[BlockQueue[UInt]](
    if (inBlock) "BlockQueue" else "BlockQueue in a small memory",
    new BlockQueue(UInt(16.W), entries, inBlock),
    q => Ports(q.io.enq, q.io.deq, q.io.count)
  )(entries, 2)

  /** Offers and takes; returns what went in and what came out, with their clocks. */
  private def traffic(
      kind: Kind[_],
      clocks: Int,
      offers: Int => Boolean,
      takes: Int => Boolean
  ) = {
    var in = Vector.empty[(Int, BigInt)]
    var out = Vector.empty[(Int, BigInt)]
    kind.run { (io, clock) =>
      for (now <- 0 until clocks) {
        assert(io.count.value == in.size - out.size)
        val ready = takes(now)
        io.enq.valid.poke(offers(now))
        io.enq.bits.poke(if (offers(now)) in.size % 65536 else 0xdead)
        io.deq.ready.poke(ready)
        val (comes, goes) = (offers(now) && io.enq.ready.isOn, ready && io.deq.valid.isOn)
        if (goes) out :+= now -> io.deq.bits.value
        if (comes) in :+= now -> BigInt(in.size)
        clock.step()
      }
    }
    (in, out)
  }

  for (kind <- Seq(pointer(2), pointer(7), block(3), block(15), block(15, inBlock = false)))
    describe(s"${kind.name} with ${kind.entries} entries") {
      it("loses and invents nothing, in order, and holds no more") {
        val r = Seeds.random(s"${kind.name} ${kind.entries}")
        val (offers, takes) =
          (Array.fill(900)(r.nextInt(3) > 0), Array.fill(900)(r.nextInt(3) > 0))
        val (in, out) = traffic(kind, 900, offers, takes)
        assert(out.map(_._2) == in.map(_._2).take(out.size))
        assert(in.size - out.size <= kind.entries && out.size > 300)
      }

      it("passes one a clock") {
        val (in, out) = traffic(kind, 20, _ => true, _ => true)
        assert(in.map(_._1) == (0 until 20))
        assert(out.map(_._1) == (kind.clocks until 20))
      }

      it("takes that many while nothing leaves, then no more") {
        val (in, out) = traffic(kind, 24, _ => true, _ >= 20)
        assert(in.map(_._1) == (0 until kind.entries) ++ (21 to 23))
        assert(out.map(_._1) == (20 to 23))
      }
    }
}
