// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import scala.collection.mutable
import tmu.Seeds
import tmu.params.SpillParams

class ServiceLineSpec extends SpillSpec {
  private val line = device(new ServiceLine(p))
  private val patience = 1 << SpillParams.patienceBits

  private def begin(dut: ServiceLine, refillDue: Boolean = false): Unit = {
    for (
      bit <- Seq(
        dut.io.deferred.valid,
        dut.io.released.valid,
        dut.io.answered.valid,
        dut.io.works,
        dut.io.moving,
        dut.io.waits,
        dut.io.begins
      )
    ) bit.poke(false)
    dut.io.refillDue.poke(refillDue)
    dut.io.service.ready.poke(true)
    waitFor(dut, "the sweep")(dut.io.ready.isOn)
    ()
  }
  private def defer(dut: ServiceLine, endpoint: Int): Unit = {
    dut.io.deferred.valid.poke(true)
    dut.io.deferred.bits.poke(endpoint)
    dut.clock.step()
    dut.io.deferred.valid.poke(false)
  }
  private def release(dut: ServiceLine, endpoint: Int): Unit = {
    dut.io.released.valid.poke(true)
    dut.io.released.bits.poke(endpoint)
    dut.clock.step()
    dut.io.released.valid.poke(false)
  }

  /** So many deferred commands of an endpoint have been answered. */
  private def answer(dut: ServiceLine, endpoint: Int, count: Int): Unit = {
    dut.io.worksFor.poke(endpoint)
    dut.io.answered.valid.poke(true)
    dut.io.answered.bits.poke(count)
    dut.clock.step()
    dut.io.answered.valid.poke(false)
  }

  /** The next endpoint that is served. */
  private def next(dut: ServiceLine): Int = {
    waitFor(dut, "a service")(dut.io.service.valid.isOn)
    val endpoint = dut.io.service.bits.value.toInt
    dut.clock.step()
    endpoint
  }
  private def silent(dut: ServiceLine, clocks: Int): Unit = for (_ <- 0 until clocks) {
    assert(!dut.io.service.valid.isOn, s"endpoint ${dut.io.service.bits.value} is served")
    dut.clock.step()
  }

  describe("ServiceLine") {
    it(
      "R13: serves one endpoint after the other, each once in a round, however many commands each defers"
    ) {
      line.run { dut =>
        begin(dut)
        silent(dut, 20)
        for (endpoint <- Seq(2, 0, 2, 2, 3)) defer(dut, endpoint)
        assert(dut.io.length.value == 3)
        assert(Seq.fill(6)(next(dut)) == Seq(2, 0, 3, 2, 0, 3))
        defer(dut, 1)
        val round = Seq.fill(4)(next(dut))
        assert(round.toSet == Set(0, 1, 2, 3), round)
      }
    }

    it(
      "R11: tells which endpoint has something in memory; a released one leaves the line at its turn"
    ) {
      line.run { dut =>
        begin(dut)
        Seq(0, 1).foreach(defer(dut, _))
        dut.io.service.ready.poke(false)
        dut.clock.step(4)
        release(dut, 0)
        for (endpoint <- 0 until p.endpoints) {
          dut.io.asked.poke(endpoint)
          assert(dut.io.spilling.isOn == (endpoint == 1), s"endpoint $endpoint")
        }
        dut.io.service.ready.poke(true)
        assert(Seq.fill(3)(next(dut)) == Seq(1, 1, 1))
        release(dut, 1)
        dut.clock.step(20)
        silent(dut, 20)
        assert(dut.io.length.value == 0)
      }
    }

    it("R7: while commands wait none is served, unless a refill is due: then they take turns") {
      line.run { dut =>
        begin(dut)
        defer(dut, 3)
        dut.io.waits.poke(true)
        silent(dut, 50)
        dut.io.refillDue.poke(true)
        silent(dut, 50) // its command has not been answered
        answer(dut, 3, 1)
        assert(next(dut) == 3)
        silent(dut, 50) // a command's turn
        dut.io.begins.poke(true)
        dut.clock.step()
        dut.io.begins.poke(false)
        assert(next(dut) == 3)
      }
    }

    it("R13: holds commands of the head of the line, but not for long while others' are answered") {
      line.run { dut =>
        begin(dut, refillDue = true)
        dut.io.service.ready.poke(false)
        dut.io.worksFor.poke(1)
        Seq(2, 0).foreach(defer(dut, _))
        def held = (0 until p.endpoints).filter { endpoint =>
          dut.io.asked.poke(endpoint)
          dut.io.held.isOn
        }
        dut.clock.step(6)
        assert(dut.io.holds.isOn && held == Seq(2))
        dut.clock.step(2 * patience)
        assert(held == Seq(2), "no other endpoint works")
        dut.io.works.poke(true)
        dut.clock.step(patience / 2)
        assert(held == Seq(2))
        val clocks = waitFor(dut, "another endpoint's turn", 2 * patience)(held == Seq(0))
        assert(clocks > patience / 4, s"$clocks clocks")
        dut.io.moving.poke(true)
        dut.clock.step(2)
        assert(held == Seq(0, 1), "and the endpoint that is moved")
        dut.io.refillDue.poke(false)
        dut.io.moving.poke(false)
        dut.clock.step(3)
        assert(!dut.io.holds.isOn && held.isEmpty)
      }
    }

    it("R13: at random: serves none that was released, and each other one once in every round") {
      val random = Seeds.random("ServiceLine")
      line.run { dut =>
        begin(dut)
        val there = mutable.Set[Int]()
        val since = mutable.Map[Int, mutable.Set[Int]]()
        var services = 0
        for (_ <- 0 until 4000) {
          dut.io.service.ready.poke(random.nextInt(3) > 0)
          val served = dut.io.service.valid.isOn && dut.io.service.ready.peekValue().asBigInt == 1
          val head = if (served) dut.io.service.bits.value.toInt else -1
          val defers = random.nextInt(12) == 0
          val releases = !defers && !dut.io.service.valid.isOn && there.nonEmpty &&
            random.nextInt(40) == 0
          val endpoint = random.nextInt(p.endpoints)
          val gone = if (releases) there.toSeq(random.nextInt(there.size)) else 0
          dut.io.deferred.valid.poke(defers)
          dut.io.deferred.bits.poke(endpoint)
          dut.io.released.valid.poke(releases)
          dut.io.released.bits.poke(gone)
          if (served && dut.io.service.valid.isOn) {
            services += 1
            assert(there(head), s"endpoint $head is served without anything in memory")
            val twice = since.collect { case (e, seen) if e != head && seen(head) => e }
            assert(twice.isEmpty, s"endpoint $head is served twice before $twice")
            since.values.foreach(_ += head)
            since(head) = mutable.Set()
          }
          dut.clock.step()
          if (defers) { there += endpoint; since.getOrElseUpdate(endpoint, mutable.Set()) }
          if (releases) { there -= gone; since -= gone }
        }
        assert(services > 100, s"$services services")
        dut.io.deferred.valid.poke(false)
        dut.io.released.valid.poke(false)
      }
    }
  }
}
