// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import tmu.{DeviceSpec, Seeds}
import tmu.layout.Opcodes
import tmu.matching.endpoints.EndpointTable
import tmu.params.{Presets, TmuParams}

class DecideStageSpec extends DeviceSpec with StagePokes {
  private val p = Presets.formal
  private val stage = device(new DecideStage(p))
  private val deep = TmuParams("deep", 4, 16, 16, arrayEntries = 4, lanes = 2, filterLanes = 4)
  private val parking = device(new DecideStage(deep))

  private def start(dut: DecideStage): Unit = {
    dut.io.parks.poke(false)
    dut.io.spills.poke(false)
    dut.io.setQuota.valid.poke(false)
    dut.io.read.foreach(_.poke(0))
    (Seq(dut.io.walked) ++ dut.io.parked).foreach { searched =>
      pokeSlot(searched.slot, None, None)
      searched.found.foreach(_.poke(false))
      searched.pairs.poke(false)
    }
    waitFor(dut, "the sweep")(dut.io.ready.isOn)
    dut.clock.step(EndpointTable.lead)
  }

  /** State of the law beside the stage: depths of both queues of each endpoint, and verdicts. */
  private class Plain(endpoints: Int) {
    val receives: Array[Int] = Array.fill(endpoints)(0)
    val messages: Array[Int] = Array.fill(endpoints)(0)
    val serial: Array[Int] = Array.fill(endpoints)(0)
  }

  describe("DecideStage") {
    it("R5, R6, R7, R11: decides slot by slot, the post first, by what all slots before left") {
      val r = Seeds.random("DecideStage")
      stage.run { dut =>
        start(dut)
        val law = new Plain(p.endpoints)
        var coming = Vector.fill(EndpointTable.lead)(Seq(0, 0))
        var told = Vector.fill(2)(Seq(Option.empty[Int], Option.empty[Int]))
        var full, pairs = 0
        for (n <- 0 until 500) {
          val next = Seq.fill(2)(r.nextInt(p.endpoints))
          for (s <- 0 to 1) dut.io.read(s).poke(next(s))
          coming :+= next
          val at = coming.head
          coming = coming.tail
          for ((serial, s) <- told.head.zipWithIndex; expected <- serial)
            assert(dut.io.serials(s).value == expected, s"R7: clock $n, stream $s")
          assert(dut.io.counts(0).value == law.receives.sum, s"clock $n")
          assert(dut.io.counts(1).value == law.messages.sum, s"clock $n")

          val there = Seq.fill(2)(r.nextInt(4) > 0)
          val postFound = there.head && law.messages(at.head) > 0 && r.nextInt(2) == 0
          val arrivalFound = there(1) && law.receives(at(1)) > 0 && r.nextInt(2) == 0
          val pair = at.head == at(1) && r.nextInt(2) == 0
          pokeSlot(
            dut.io.walked.slot,
            Option.when(there.head)(PlainOp(Opcodes.post, at.head)),
            Option.when(there(1))(PlainOp(Opcodes.arrive, at(1)))
          )
          dut.io.walked.found(0).poke(postFound)
          dut.io.walked.found(1).poke(arrivalFound)
          dut.io.walked.pairs.poke(pair)

          val serials = Array(Option.empty[Int], Option.empty[Int])
          if (there.head) {
            serials(0) = Some(law.serial(at.head))
            law.serial(at.head) += 1
          }
          if (there(1)) {
            serials(1) = Some(law.serial(at(1)))
            law.serial(at(1)) += 1
          }
          if (law.receives.sum == p.postedEntries) full += 1
          val appendsPost = there.head && !postFound && law.receives.sum < p.postedEntries
          if (postFound) law.messages(at.head) -= 1
          val takesPost = there(1) && !arrivalFound && pair && appendsPost
          val appendsArrival = there(1) && !arrivalFound && !takesPost &&
            law.messages.sum < p.unexpectedEntries
          if (appendsPost && !takesPost) law.receives(at.head) += 1
          if (arrivalFound) law.receives(at(1)) -= 1
          if (appendsArrival) law.messages(at(1)) += 1
          if (takesPost) pairs += 1

          val decision = dut.io.decision
          assert(decision.post.appends.isOn == appendsPost, s"R5, R11: clock $n")
          assert(decision.takesPost.isOn == takesPost, s"R5: clock $n")
          assert(decision.takesQueued.isOn == arrivalFound, s"R6: clock $n")
          assert(decision.arrival.appends.isOn == appendsArrival, s"R6, R11: clock $n")
          assert(decision.post.takes.isOn == postFound, s"R5: clock $n")
          told = told.tail :+ serials.toSeq
          dut.clock.step()
        }
        pokeSlot(dut.io.walked.slot, None, None)
        assert(full > 5 && pairs > 5, s"a full table $full times, $pairs pairs")
      }
    }

    it("R7: while slots are parked, the parked one is decided and not the one that has walked") {
      parking.run { dut =>
        start(dut)
        val (walked, parked) = (dut.io.walked, dut.io.parked.get)
        pokeSlot(parked.slot, None, Some(PlainOp(Opcodes.arrive, handle = 8)))
        pokeSlot(walked.slot, Some(PlainOp(Opcodes.post, handle = 7)), None)
        dut.io.parks.poke(true)
        assert(!dut.io.slot.post.valid.isOn && dut.io.slot.arrival.valid.isOn)
        assert(dut.io.slot.arrival.bits.command.handle.value == 8)
        assert(dut.io.decision.arrival.appends.isOn && !dut.io.decision.post.appends.isOn)
        assert(dut.io.walkedDecision.post.appends.isOn)
        dut.clock.step()
        pokeSlot(parked.slot, None, None)
        dut.io.parks.poke(false)
        assert(dut.io.counts.map(_.value) == Seq(0, 1).map(BigInt(_)))
        assert(dut.io.slot.post.bits.command.handle.value == 7)
      }
    }
  }
}
