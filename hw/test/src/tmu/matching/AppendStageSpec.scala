// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import scala.util.Random
import tmu.{DeviceSpec, Seeds}
import tmu.layout.Opcodes
import tmu.params.{Presets, TmuParams}

class AppendStageSpec extends DeviceSpec with StagePokes {
  private val deep = TmuParams("deep", 4, 16, 16, arrayEntries = 4, lanes = 2, filterLanes = 4)
  private val rows = device(new AppendStage(deep))
  private val plain = device(new AppendStage(Presets.formal))

  private val post = PlainOp(Opcodes.post, 1, PlainKey(5, 1), handle = 1, id = 7)
  private val arrive = PlainOp(Opcodes.arrive, 0, PlainKey(6, 2), handle = 2)

  /** A slot in which both are decided at once: what they take is free for what they append. */
  private def decisions(r: Random): PlainDecision = {
    val takes = Seq.fill(2)(r.nextInt(3) == 0)
    val appends = takes.map(!_ && r.nextInt(3) > 0)
    PlainDecision(takes, appends)
  }

  describe("AppendStage") {
    it("R3, R4, R11: an entry goes to its array unless older ones lie in rows or no lane is free") {
      val r = Seeds.random("AppendStage")
      rows.run { dut =>
        val free = Array(deep.arrayEntries, deep.arrayEntries)
        var lifted, toRows, toArray = 0
        pokeSlot(dut.io.slot, Some(post), Some(arrive))
        dut.io.postedSlot.poke(3)
        dut.io.unexpectedSlot.poke(9)
        for (n <- 0 until 600) {
          val decided = decisions(r)
          val parks = r.nextInt(8) == 0
          val hold = Seq.fill(2)(r.nextInt(6) == 0)
          // Queue 0 are the receives, which the arrival takes from.
          val inArray = Seq.tabulate(2)(q => free(q) < deep.arrayEntries && r.nextInt(4) > 0)
          val leaves = Seq.tabulate(2)(q => decided.takes(1 - q) && inArray(q))
          val fits = Seq.tabulate(2) { q =>
            !parks && !hold(q) && (free(q) > 0 || decided.takes(1 - q))
          }
          // A lane that is freed by taking from the rows is none: the unit never decides so.
          val legal = (0 to 1).forall(q => free(q) > 0 || !decided.takes(1 - q) || leaves(q))
          if (legal) {
            pokeDecision(dut.io.decision, decided)
            pokeDecision(dut.io.walkedDecision, if (parks) PlainDecision() else decided)
            dut.io.inArray(0).poke(inArray(1))
            dut.io.inArray(1).poke(inArray(0))
            dut.io.parks.poke(parks)
            val ports = dut.io.rows.get
            ports.holdPosted.poke(hold(0))
            ports.holdUnexpected.poke(hold(1))
            val lifts = Seq.tabulate(2) { q =>
              !(decided.appends(q) && fits(q)) && free(q) > 0 && r.nextInt(6) == 0
            }
            ports.liftPosted.valid.poke(lifts.head)
            ports.liftUnexpected.valid.poke(lifts(1))
            ports.liftPosted.bits.slot.poke(12)
            ports.liftUnexpected.bits.slot.poke(13)
            val arrays = Seq(dut.io.posted.valid, dut.io.unexpected.valid).map(_.isOn)
            val below = Seq(dut.io.postedToRows.valid, dut.io.unexpectedToRows.valid).map(_.isOn)
            val slots = Seq(dut.io.posted.bits.slot.value, dut.io.unexpected.bits.slot.value)
            for (q <- 0 to 1) {
              val direct = decided.appends(q) && fits(q)
              assert(arrays(q) == (direct || lifts(q)), s"clock $n, queue $q")
              assert(below(q) == (decided.appends(q) && !fits(q)), s"clock $n, queue $q")
              if (lifts(q)) assert(slots(q) == 12 + q)
              else if (direct) assert(slots(q) == Seq(3, 9)(q))
              if (lifts(q)) lifted += 1
              if (below(q)) toRows += 1
              if (direct) toArray += 1
              free(q) += (if (leaves(q)) 1 else 0) - (if (arrays(q)) 1 else 0)
            }
            assert(dut.io.appends.map(_.isOn) == decided.appends)
            dut.clock.step()
            assert(dut.io.freePosted.value == free(0) && dut.io.freeUnexpected.value == free(1))
          }
        }
        assert(lifted > 5 && toRows > 20 && toArray > 20, "the traffic met few of the cases")
      }
    }

    it("R5: a post that the arrival beside it takes is appended nowhere") {
      plain.run { dut =>
        pokeSlot(dut.io.slot, Some(post), Some(arrive))
        dut.io.parks.poke(false)
        for (pair <- Seq(false, true)) {
          val decided = PlainDecision(Seq(false, pair), Seq(true, false), takesPost = pair)
          pokeDecision(dut.io.decision, decided)
          pokeDecision(dut.io.walkedDecision, decided)
          dut.io.inArray.foreach(_.poke(false))
          assert(dut.io.posted.valid.isOn == !pair && dut.io.appends(0).isOn == !pair)
          assert(!dut.io.unexpected.valid.isOn && !dut.io.postedToRows.valid.isOn)
          if (!pair) {
            assert(dut.io.posted.bits.endpoint.value == 1 && dut.io.posted.bits.key.bits.value == 5)
            assert(dut.io.posted.bits.id.get.value == 7)
          }
        }
      }
    }
  }
}
