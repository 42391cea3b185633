// SPDX-License-Identifier: Apache-2.0
package tmu.matching.endpoints

import tmu.{DeviceSpec, Seeds}
import tmu.params.TmuParams

class EndpointTableSpec extends DeviceSpec with EndpointPokes {
  private val p = TmuParams("endpoints", 4, 16, 16, 16, 4)
  private val table = device(new EndpointTable(p))

  /** Verdicts given, receives and messages queued: plain numbers. */
  private class Plain {
    var serial = 0
    val depth: Array[Int] = Array(0, 0)
    val quota: Array[BigInt] = Array(0, 0)
    val reserve: Array[Int] = Array(0, 0)
  }
  private def room(plain: Plain, stream: Int, left: Int): Boolean =
    plain.quota(stream) == 0 || plain.quota(stream) > p.postedEntries ||
      plain.depth(stream) - left < plain.quota(stream)

  /** Depths, read while nothing is under way. */
  private def checkDepths(dut: EndpointTable, plain: Int => Plain): Unit = {
    for (stream <- 0 to 1) poke(dut, stream, None)
    dut.clock.step(8)
    for (e <- 0 until p.endpoints) {
      dut.io.read.foreach(_.poke(e))
      dut.clock.step(2)
      for (stream <- 0 to 1)
        assert(dut.io.depth(stream).value == plain(e).depth(stream), s"endpoint $e, $stream")
    }
  }

  /** Both streams step at endpoints of their own choice, in every clock. */
  private def race(
      dut: EndpointTable,
      test: String,
      clocks: Int
  )(choose: (Int, Int) => Int): Unit = {
    val random = Seeds.random(test)
    swept(dut)
    val plain = Array.fill(p.endpoints)(new Plain)
    for (e <- 0 until p.endpoints) {
      val quota = Seq.fill(2)(BigInt(random.nextInt(4) match {
        case 0 if e % 2 == 1 => 0
        case 1 if e % 2 == 1 => 100
        case _               => 1 + random.nextInt(6)
      }))
      val reserve = Seq.fill(2)(random.nextInt(8))
      setQuota(dut, e, quota, reserve)
      quota.copyToArray(plain(e).quota)
      reserve.copyToArray(plain(e).reserve)
    }
    var under = Vector.fill(EndpointTable.lead)(Option.empty[Seq[Int]])
    var serials = Vector.fill(2)(Seq.fill(2)(Option.empty[Int]))
    val rooms = scala.collection.mutable.Map[Boolean, Int]().withDefaultValue(0)
    for (clock <- 0 until clocks) {
      val next = Seq(0, 1).map(choose(clock, _))
      for (stream <- 0 to 1) dut.io.read(stream).poke(next(stream))
      for ((expected, stream) <- serials.head.zipWithIndex; s <- expected)
        assert(dut.io.serial(stream).value == s, s"serial of stream $stream, clock $clock")
      val deciding = under.head
      under = under.tail :+ Some(next)
      // The post is decided first, then the arrival, as the law has it.
      val steps = for { at <- deciding.toSeq; stream <- 0 to 1 } yield {
        val state = plain(at(stream))
        val own = state.depth(stream)
        val postTook = stream == 1 && took
        val postTakesHere = postTook && at(0) == at(1)
        val postAppendsHere = appended && at(0) == at(1)
        val seen =
          if (postTakesHere) dut.io.roomAfterTake.isOn else dut.io.room(stream).isOn
        val expected = room(state, stream, 0)
        assert(seen == expected, s"room of stream $stream at ${at(stream)}, clock $clock, $own")
        rooms(seen) += 1
        // Of its own queue as of room; of the other one with the entry that it may take now.
        if (!postTakesHere) {
          val within = dut.io.reserves.within(stream).isOn
          assert(within == own < state.reserve(stream), s"reserve of stream $stream, clock $clock")
        }
        val others = state.depth(1 - stream) - (if (stream == 1 && postAppendsHere) 1 else 0)
        val restores = dut.io.reserves.restores(stream).isOn
        assert(restores == others - 1 < state.reserve(1 - stream), s"$stream, clock $clock")
        val append = seen && random.nextInt(3) > 0 && own < 8
        val take = !append && random.nextBoolean() && state.depth(1 - stream) > 0
        val step = PlainStep(at(stream), random.nextInt(4) > 0, append, take)
        val done = Option.when(random.nextInt(8) > 0)(step)
        due = due.updated(stream, done.filter(_.serial).map(_ => state.serial))
        done.foreach { s =>
          if (s.serial) state.serial += 1
          if (s.append) state.depth(stream) += 1
          if (s.take) state.depth(1 - stream) -= 1
        }
        took = stream == 0 && done.exists(_.take)
        appended = stream == 0 && done.exists(_.append)
        done
      }
      for (stream <- 0 to 1) poke(dut, stream, steps.lift(stream).flatten)
      serials = serials.tail :+ due
      due = Seq(None, None)
      dut.clock.step()
    }
    assert(plain.map(_.serial).sum > clocks / 2 && rooms(true) > 20 && rooms(false) > 5, rooms)
    checkDepths(dut, plain(_))
  }
  private var took = false
  private var appended = false
  private var due: Seq[Option[Int]] = Seq(None, None)

  describe("EndpointTable") {
    it("R14: is ready after a clock an endpoint, all cleared, whatever was there before") {
      table.run { dut =>
        swept(dut)
        for (e <- 0 until p.endpoints) {
          setQuota(dut, e, Seq(1, 1))
          dut.io.read.foreach(_.poke(e))
          dut.clock.step(EndpointTable.lead)
          for (stream <- 0 to 1) poke(dut, stream, Some(PlainStep(e, true, true, false)))
          dut.clock.step()
          for (stream <- 0 to 1) poke(dut, stream, None)
        }
        dut.reset.poke(true)
        dut.clock.step()
        dut.reset.poke(false)
        assert(!dut.io.ready.isOn)
        assert(swept(dut) == p.endpoints)
        checkDepths(dut, _ => new Plain)
        for (e <- 0 until p.endpoints) {
          dut.io.read.foreach(_.poke(e))
          dut.clock.step(EndpointTable.lead)
          assert(dut.io.room.forall(_.isOn))
          for (stream <- 0 to 1) poke(dut, stream, Some(PlainStep(e, true, false, false)))
          dut.clock.step()
          for (stream <- 0 to 1) poke(dut, stream, None)
          dut.clock.step()
          for (stream <- 0 to 1) assert(dut.io.serial(stream).value == stream)
        }
      }
    }

    it("R7, R11: both streams at one endpoint in every clock count as one after another") {
      table.run(race(_, "EndpointTable one", 300)((_, _) => 2))
    }

    it("R7, R13: each endpoint keeps its own state, whichever two the streams are at") {
      val random = Seeds.random("EndpointTable endpoints")
      table.run(race(_, "EndpointTable many", 300)((_, _) => random.nextInt(p.endpoints)))
    }

    it("R7: two endpoints that alternate see every step, however close before") {
      table.run(race(_, "EndpointTable two", 150)((clock, stream) => (clock + stream) % 2))
    }

    it("R13: a changed reserve tells how many slots it leaves to others") {
      table.run { dut =>
        val random = Seeds.random("EndpointTable reserves")
        swept(dut)
        val stands = Seq(3, 5)
        dut.io.read.foreach(_.poke(1))
        dut.clock.step(2 * EndpointTable.lead)
        for (i <- 0 until stands.max) {
          for (stream <- 0 to 1)
            poke(dut, stream, Option.when(i < stands(stream))(PlainStep(1, true, true, false)))
          dut.clock.step()
        }
        checkDepths(dut, e => new Plain { if (e == 1) stands.copyToArray(depth) })
        var before = Seq(0, 0)
        for (_ <- 0 until 30) {
          val after = Seq.fill(2)(random.nextInt(20))
          dut.io.read.foreach(_.poke(1))
          dut.clock.step()
          setQuota(dut, 1, Seq(0, 0), after)
          for (_ <- 0 to 1) {
            for (stream <- 0 to 1) assert(released(dut, stream) == 0)
            dut.clock.step()
          }
          for (stream <- 0 to 1) {
            def unmet(reserve: Seq[Int]) =
              math.max(0, math.min(reserve(stream), 16) - stands(stream))
            assert(released(dut, stream) == unmet(before) - unmet(after))
          }
          before = after
          dut.clock.step()
        }
      }
    }

    it("R14: a step without its endpoint's state stops the simulation") {
      val error = intercept[Exception] {
        table.run { dut =>
          swept(dut)
          dut.io.read.foreach(_.poke(1))
          dut.clock.step(EndpointTable.lead)
          poke(dut, 0, Some(PlainStep(3, true, false, false)))
          dut.clock.step()
        }
      }
      assert(error.getMessage.contains("R14: endpoint 3 stepped without its state"), error)
    }
  }
}
