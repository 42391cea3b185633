// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import tmu.{DeviceSpec, Seeds}
import tmu.layout.Opcodes
import tmu.matching.endpoints.EndpointTable
import tmu.params.{Presets, TableParams}

class WalkStageSpec extends DeviceSpec with StagePokes {
  private val p = Presets.formal
  private val walk = TableParams.posted(p).walk
  private val stage = device(new WalkStage(p))

  private def still(dut: WalkStage): Unit = {
    pokeSlot(dut.io.slot, None, None)
    dut.io.appendPosted.valid.poke(false)
    dut.io.appendUnexpected.valid.poke(false)
  }

  describe("WalkStage") {
    it("R1, R5, R7: every slot comes back in its clock, and says whether its two match") {
      val random = Seeds.random("WalkStage")
      def key = PlainKey.random(random, p.matchBits, p.sourceBits, 2)
      def ignore = PlainKey.mask(random, p.matchBits, p.sourceBits)
      def some(opcode: tmu.layout.Code) = Option.when(random.nextInt(4) > 0)(
        PlainOp(
          opcode,
          random.nextInt(p.endpoints),
          key,
          if (opcode == Opcodes.post) ignore else PlainKey.zero,
          BigInt(p.handleBits, random)
        )
      )
      var matches = 0
      stage.run { dut =>
        still(dut)
        var sent = Vector.empty[Seq[Option[PlainOp]]]
        for (now <- 0 until 300) {
          val slot = Seq(some(Opcodes.post), some(Opcodes.arrive))
          pokeSlot(dut.io.slot, slot.head, slot(1))
          sent :+= slot
          val early = now - (walk - EndpointTable.lead)
          if (early >= 0)
            for (s <- 0 to 1; op <- sent(early)(s))
              assert(dut.io.endpoints(s).value == op.endpoint, s"clock $now")
          if (now >= walk - 1)
            assert(
              dut.io.searchesNext.map(_.isOn) == sent(now - walk + 1).map(_.isDefined),
              s"clock $now"
            )
          if (now >= walk) {
            val walked = dut.io.walked
            val before = sent(now - walk)
            for ((port, op) <- Seq(walked.slot.post, walked.slot.arrival).zip(before)) {
              assert(port.valid.isOn == op.isDefined, s"clock $now")
              op.foreach(o => assert(port.bits.command.handle.value == o.handle))
            }
            assert(walked.found.forall(!_.isOn), "the arrays are empty")
            for (a <- before.head; b <- before(1)) {
              val entry = PlainEntry(a.endpoint, a.key, a.ignore, 0)
              val expected =
                a.endpoint == b.endpoint && PlainKey.matches(entry, b.key, PlainKey.zero)
              assert(walked.pairs.isOn == expected, s"clock $now: $a and $b")
              matches += (if (expected) 1 else 0)
            }
          }
          dut.clock.step()
        }
      }
      assert(matches > 10, "few of the slots matched")
    }

    it("R3, R4: what lies in the other queue's array is found, and where, a clock later") {
      stage.run { dut =>
        still(dut)
        // A slot that was on the ports during the reset, with values at random, walks to its end.
        dut.clock.step(walk + 1)
        val key = PlainKey(5, 1)
        dut.io.appendPosted.valid.poke(true)
        pokeLane(dut.io.appendPosted.bits, PlainEntry(1, key, PlainKey.zero, 3, handle = 6))
        dut.clock.step()
        dut.io.appendPosted.valid.poke(false)
        dut.io.appendUnexpected.valid.poke(true)
        pokeLane(dut.io.appendUnexpected.bits, PlainEntry(1, key, PlainKey.zero, 0, handle = 9))
        dut.clock.step()
        still(dut)
        dut.clock.step(3)
        // R13: the same key at another endpoint finds nothing.
        for ((endpoint, found) <- Seq(0 -> false, 1 -> true)) {
          val post = PlainOp(Opcodes.probe, endpoint, key)
          pokeSlot(dut.io.slot, Some(post), Some(PlainOp(Opcodes.arrive, endpoint, key)))
          dut.clock.step()
          still(dut)
          dut.clock.step(walk - 1)
          assert(dut.io.walked.found.map(_.isOn) == Seq(found, found), s"endpoint $endpoint")
          dut.clock.step()
          if (found) {
            assert(dut.io.walked.postFound.slot.value == 9)
            assert(dut.io.walked.arrivalFound.slot.value == 6)
          }
        }
      }
    }
  }
}
