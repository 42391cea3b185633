// SPDX-License-Identifier: Apache-2.0
package tmu.matching.endpoints

import tmu.{DeviceSpec, Seeds}
import tmu.fault.FaultPokes
import tmu.params.TmuParams
import tmu.registers.FaultStores

class EndpointTableFaultSpec extends DeviceSpec with EndpointPokes with FaultPokes {
  private val p = TmuParams("endpoints", 4, 16, 16, 16, 4)
  private val table = device(new EndpointTable(p))

  describe("EndpointTable") {
    it(
      "R13: a lost bit of a queue's limits is seen by both streams, for a reserve is read by both"
    ) {
      table.run { dut =>
        swept(dut)
        val stores = Seq(FaultStores.postedQuotas, FaultStores.unexpectedQuotas)
        val random = Seeds.random("EndpointTable lost bits")
        for (round <- 0 until 20; (store, queue) <- stores.zipWithIndex) {
          val (lost, stream) = (random.nextInt(p.endpoints), round % 2)
          val whole = (lost + 1) % p.endpoints
          flip(dut, dut.io.fault, store, random.nextInt(2))
          setQuota(dut, lost, Seq(1, 1), Seq(1, 1))
          dut.io.read.foreach(_.poke(whole))
          dut.clock.step(2 * EndpointTable.lead)
          assert(!dut.io.broken.exists(_.isOn), s"round $round, queue $queue")
          dut.io.read(stream).poke(lost)
          dut.clock.step(EndpointTable.lead)
          assert(dut.io.broken(stream).isOn, s"round $round, queue $queue, stream $stream")
          assert(!dut.io.broken(1 - stream).isOn, s"round $round, queue $queue")
          assert(dut.io.fault.view.seen.peek().litValue == (BigInt(1) << store.value))
          setQuota(dut, lost, Seq(1, 1), Seq(1, 1))
        }
      }
    }

    it("R13: an endpoint whose limits have lost a bit has no reserve from then on, others have") {
      table.run { dut =>
        swept(dut)
        val (lost, whole) = (1, 2)
        def decide(there: Boolean = true): Unit = {
          dut.io.read.foreach(_.poke(lost))
          dut.clock.step()
          dut.io.read.foreach(_.poke(whole))
          dut.clock.step(EndpointTable.lead - 1)
          dut.io.there.foreach(_.poke(there))
        }
        def reserves(dut: EndpointTable) =
          dut.io.reserves.within ++ dut.io.reserves.restores
        setQuota(dut, lost, Seq(0, 0), Seq(3, 3))
        flip(dut, dut.io.fault, FaultStores.unexpectedQuotas, 0)
        setQuota(dut, lost, Seq(0, 0), Seq(3, 3))
        setQuota(dut, whole, Seq(0, 0), Seq(3, 3))

        // Nobody asks: what is read in passing is broken, and costs nothing.
        decide(there = false)
        assert(dut.io.broken.forall(_.isOn) && !reserves(dut).exists(_.isOn))
        dut.clock.step()
        assert(!dut.io.broken.exists(_.isOn) && reserves(dut).forall(_.isOn))
        setQuota(dut, lost, Seq(0, 0), Seq(3, 3))
        decide(there = false)
        assert(!dut.io.broken.exists(_.isOn) && reserves(dut).forall(_.isOn))

        flip(dut, dut.io.fault, FaultStores.postedQuotas, 0)
        setQuota(dut, lost, Seq(0, 0), Seq(3, 3))
        dut.io.read.foreach(_.poke(lost))
        dut.clock.step(EndpointTable.lead)
        dut.io.there.foreach(_.poke(true))
        dut.clock.step()
        // The reserve may be whole again: the next one, and all that come later, do without.
        setQuota(dut, lost, Seq(0, 0), Seq(7, 7))
        for (_ <- 0 until 2 * EndpointTable.lead) {
          assert(!reserves(dut).exists(_.isOn))
          for (queue <- 0 to 1) assert(released(dut, queue) == 0)
          dut.clock.step()
        }
        assert(!dut.io.broken.exists(_.isOn))
        decide()
        assert(!dut.io.broken.exists(_.isOn) && !reserves(dut).exists(_.isOn))
        dut.clock.step()
        assert(reserves(dut).forall(_.isOn))
      }
    }
  }
}
