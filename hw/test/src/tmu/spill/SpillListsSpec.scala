// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import scala.collection.mutable
import tmu.Seeds
import tmu.params.SpillParams

class SpillListsSpec extends SpillSpec {
  private val lists = device(new SpillLists(s))

  private def swept(dut: SpillLists): Unit = {
    dut.io.access.write.valid.poke(false)
    dut.io.access.writeDone.valid.poke(false)
    dut.io.access.moved.poke(false)
    assert(waitFor(dut, "the sweep")(dut.io.ready.isOn) <= 2 * p.endpoints)
  }
  private def fields(list: SpillList) = Seq(list.head, list.tail, list.fill, list.count)

  describe("SpillLists") {
    it("R14: every queue in memory is empty after reset, whatever was there before") {
      lists.run { dut =>
        for (round <- 0 to 1) {
          swept(dut)
          for (endpoint <- 0 until p.endpoints; unexpected <- Seq(false, true)) {
            dut.io.access.read.endpoint.poke(endpoint)
            dut.io.access.read.unexpected.poke(unexpected)
            dut.io.endpoint.poke(endpoint)
            dut.clock.step()
            assert(dut.io.access.list.count.value == 0, s"round $round")
            assert(dut.io.access.done.value == 0 && dut.io.counts.forall(_.value == 0))
          }
          for (endpoint <- 0 until p.endpoints; unexpected <- Seq(false, true)) {
            dut.io.access.write.bits.at.endpoint.poke(endpoint)
            dut.io.access.write.bits.at.unexpected.poke(unexpected)
            dut.io.access.write.bits.list.count.poke(7)
            dut.io.access.at.endpoint.poke(endpoint)
            dut.io.access.writeDone.bits.poke(9)
            dut.io.access.write.valid.poke(true)
            dut.io.access.writeDone.valid.poke(true)
            dut.clock.step()
            dut.io.access.write.valid.poke(false)
            dut.io.access.writeDone.valid.poke(false)
          }
          dut.reset.poke(true)
          dut.clock.step()
          dut.reset.poke(false)
        }
        swept(dut)
      }
    }

    it("counts an entry that is in its table again there alone, until its list is written") {
      lists.run { dut =>
        swept(dut)
        val access = dut.io.access
        def write(unexpected: Boolean, count: Int): Unit = {
          access.write.bits.at.endpoint.poke(1)
          access.write.bits.at.unexpected.poke(unexpected)
          access.write.bits.list.count.poke(count)
          access.write.valid.poke(true)
          dut.clock.step()
          access.write.valid.poke(false)
        }
        def depths(endpoint: Int): Seq[BigInt] = {
          dut.io.endpoint.poke(endpoint)
          dut.clock.step(2)
          dut.io.counts.map(_.value)
        }
        write(unexpected = false, 50)
        write(unexpected = true, 70)
        for (unexpected <- Seq(true, false)) {
          access.at.endpoint.poke(1)
          access.at.unexpected.poke(unexpected)
          access.moved.poke(true)
          dut.clock.step(3)
          access.moved.poke(false)
          assert(depths(1) == (if (unexpected) Seq(50, 67) else Seq(47, 67)))
          assert(depths(0) == Seq(0, 0), "R13: of another endpoint")
          write(unexpected, if (unexpected) 67 else 47)
          assert(depths(1) == (if (unexpected) Seq(50, 67) else Seq(47, 67)))
        }
      }
    }

    it("R13: keeps the two lists of each endpoint apart, their counts and what is done") {
      val random = Seeds.random("SpillLists")
      lists.run { dut =>
        swept(dut)
        val kept = mutable.Map[(Int, Boolean), Seq[BigInt]]().withDefaultValue(Seq.fill(4)(0))
        val done = mutable.Map[Int, Int]().withDefaultValue(0)
        val access = dut.io.access
        for (_ <- 0 until 300) {
          val at = (random.nextInt(p.endpoints), random.nextBoolean())
          val port = access.write.bits
          port.at.endpoint.poke(at._1)
          port.at.unexpected.poke(at._2)
          val values = fields(port.list).map(f => BigInt(f.getWidth, random))
          fields(port.list).zip(values).foreach { case (f, v) => f.poke(v) }
          access.write.valid.poke(true)
          kept(at) = values
          val (who, count) =
            (random.nextInt(p.endpoints), random.nextInt(1 << SpillParams(p).deferralBits))
          access.at.endpoint.poke(who)
          access.writeDone.bits.poke(count)
          access.writeDone.valid.poke(random.nextBoolean())
          if (access.writeDone.valid.isOn) done(who) = count
          dut.clock.step()
          access.write.valid.poke(false)
          access.writeDone.valid.poke(false)
          val (endpoint, unexpected) = (random.nextInt(p.endpoints), random.nextBoolean())
          access.read.endpoint.poke(endpoint)
          access.read.unexpected.poke(unexpected)
          dut.io.endpoint.poke(endpoint)
          dut.clock.step()
          assert(fields(access.list).map(_.value) == kept((endpoint, unexpected)))
          assert(access.done.value == done(endpoint))
          for (q <- 0 to 1)
            assert(dut.io.counts(q).value == kept((endpoint, q == 1)).last, s"queue $q")
        }
      }
    }
  }
}
