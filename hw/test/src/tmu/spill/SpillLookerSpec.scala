// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import tmu.Seeds
import tmu.registers.SpillLookRegisters

/** The spec is the engine: it takes a service, and reads both lists in the clocks behind it. */
class SpillLookerSpec extends SpillSpec {
  private val looker = device(new SpillLooker(s))
  private case class Told(count: Int, head: Int)

  private def quiet(dut: SpillLooker): Unit = {
    val io = dut.io
    Seq(io.changes, io.passes, io.failed, io.service.ready, io.port.ask.valid)
      .foreach(_.poke(false))
    io.listed.poke(p.endpoints)
    io.state.brokenNext.poke(false)
    io.state.brokenLive.poke(false)
  }
  private def test(body: SpillLooker => Unit): Unit = looker.run { dut =>
    quiet(dut)
    body(dut)
  }

  /** A round over all endpoints in which nothing moves; all of them have something in memory. */
  private def rest(dut: SpillLooker, endpoints: Int = p.endpoints): Unit = {
    dut.io.passes.poke(true)
    dut.clock.step(endpoints)
    dut.io.passes.poke(false)
  }

  private def ask(dut: SpillLooker, endpoint: Int, unexpected: Boolean, chunk: Int): Unit = {
    val ask = dut.io.port.ask
    assert(!dut.io.port.busy.isOn)
    ask.bits.endpoint.poke(endpoint)
    ask.bits.unexpected.poke(unexpected)
    ask.bits.chunk.poke(chunk)
    ask.valid.poke(true)
    dut.clock.step()
    ask.valid.poke(false)
    assert(dut.io.port.busy.isOn)
  }

  /** Answers a service as the engine, its lists and the chunk table do. */
  private def serve(dut: SpillLooker, lists: Seq[Told], chunk: Int, live: BigInt): Unit = {
    val io = dut.io
    io.service.ready.poke(true)
    assert(io.service.valid.isOn && !io.read.valid.isOn)
    dut.clock.step()
    io.service.ready.poke(false)
    for ((list, clock) <- lists.zipWithIndex) {
      assert(!io.service.valid.isOn && io.read.valid.isOn == (clock == 0))
      if (clock == 0) assert(io.read.bits.value == chunk)
      io.list.count.poke(list.count)
      io.list.head.poke(list.head)
      io.state.next.poke(if (clock == 1) chunk ^ 1 else 0)
      io.state.live.poke(if (clock == 1) live else BigInt(0))
      dut.clock.step()
    }
    io.list.count.poke(1)
    io.state.live.poke(1)
    dut.clock.step()
    assert(!io.port.busy.isOn)
  }

  describe("SpillLooker") {
    it("R11: shows the list that is meant and the chunk, once nothing moves") {
      val random = Seeds.random("SpillLooker")
      test { dut =>
        rest(dut)
        for (_ <- 0 until 50) {
          val lists = Seq.fill(2)(Told(random.nextInt(1000), random.nextInt(s.chunks)))
          val (chunk, live) = (random.nextInt(s.chunks), BigInt(chunkSlots, random))
          val queue = random.nextInt(2)
          val endpoint = random.nextInt(p.endpoints)
          ask(dut, endpoint, queue == 1, chunk)
          val busy = random.nextInt(SpillLookRegisters.clocks - 5)
          for (_ <- 0 until busy) { // the engine services somebody else
            assert(dut.io.service.valid.isOn && dut.io.service.bits.value == endpoint)
            dut.clock.step()
          }
          serve(dut, lists, chunk, live)
          val seen = dut.io.port.seen
          assert(seen.resting.isOn && !seen.failed.isOn)
          assert(seen.count.value == lists(queue).count && seen.head.value == lists(queue).head)
          assert(seen.chunk.next.value == (chunk ^ 1) && seen.chunk.live.value == live)
        }
      }
    }

    it("says at once that things move, and asks for no service then") {
      test { dut =>
        def refused(): Unit = {
          ask(dut, 1, unexpected = false, 0)
          assert(!dut.io.service.valid.isOn)
          dut.clock.step()
          assert(!dut.io.port.busy.isOn && !dut.io.port.seen.resting.isOn)
        }
        refused()
        rest(dut, p.endpoints - 1)
        refused()
        rest(dut, 1)
        ask(dut, 1, unexpected = false, 0)
        serve(dut, Seq(Told(5, 1), Told(6, 2)), 0, 3)
        assert(dut.io.port.seen.resting.isOn)
        dut.io.changes.poke(true)
        dut.io.passes.poke(true)
        dut.clock.step()
        dut.io.changes.poke(false)
        dut.io.passes.poke(false)
        refused()
        rest(dut, p.endpoints - 1)
        refused()
        rest(dut, 1)
        // Something changes while the look waits for the engine.
        ask(dut, 1, unexpected = false, 0)
        dut.io.changes.poke(true)
        dut.clock.step()
        dut.io.changes.poke(false)
        dut.clock.step()
        assert(!dut.io.port.busy.isOn && !dut.io.port.seen.resting.isOn)
      }
    }

    it("waits for as many services as endpoints have something in memory, and for none without") {
      test { dut =>
        for (listed <- Seq(1, 0)) {
          dut.io.listed.poke(listed)
          dut.io.changes.poke(true)
          dut.clock.step()
          dut.io.changes.poke(false)
          rest(dut, listed)
          dut.clock.step()
          ask(dut, 0, unexpected = false, 3)
          serve(dut, Seq(Told(0, 0), Told(0, 0)), 3, 0)
          assert(dut.io.port.seen.resting.isOn)
        }
      }
    }

    it("R13: tells that memory has failed, before a service and by it") {
      test { dut =>
        rest(dut)
        dut.io.failed.poke(true)
        ask(dut, 1, unexpected = true, 0)
        assert(!dut.io.service.valid.isOn)
        dut.clock.step()
        assert(!dut.io.port.busy.isOn)
        assert(dut.io.port.seen.failed.isOn && !dut.io.port.seen.resting.isOn)
        dut.io.failed.poke(false)
        ask(dut, 1, unexpected = true, 0)
        dut.io.service.ready.poke(true)
        dut.clock.step()
        dut.io.service.ready.poke(false)
        dut.clock.step()
        dut.io.failed.poke(true) // the list has lost a bit
        dut.clock.step(2)
        assert(!dut.io.port.busy.isOn)
        assert(dut.io.port.seen.failed.isOn && !dut.io.port.seen.resting.isOn)
      }
    }

    it("R13: a chunk that has lost a bit is told, and nothing more") {
      test { dut =>
        rest(dut)
        for (next <- Seq(false, true); live <- Seq(false, true)) {
          dut.io.state.brokenNext.poke(next)
          dut.io.state.brokenLive.poke(live)
          ask(dut, 0, unexpected = false, 7)
          serve(dut, Seq(Told(1, 7), Told(0, 0)), 7, 1)
          val seen = dut.io.port.seen
          assert(seen.resting.isOn && !seen.failed.isOn)
          assert(seen.chunk.brokenNext.isOn == next && seen.chunk.brokenLive.isOn == live)
        }
      }
    }
  }
}
