// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import tmu.{DeviceSpec, Seeds}
import tmu.layout.Opcodes

class ParkStageSpec extends DeviceSpec with StagePokes {
  private val p = RowsParams("park", 16)
  private val stage = device(new ParkStage(p))

  /** No slot, empty rows. */
  private def still(dut: ParkStage): Unit = {
    pokeSlot(dut.io.walked.slot, None, None)
    Seq(dut.io.searchesNext, dut.io.inRows, dut.io.grows).foreach(_.foreach(_.poke(false)))
    dut.io.rests.poke(true)
    dut.io.first.ready.poke(false)
  }
  private def walk(dut: ParkStage, handle: BigInt, found: Boolean = false): Unit = {
    pokeSlot(dut.io.walked.slot, Some(PlainOp(Opcodes.post, handle = handle)), None)
    dut.io.walked.found.foreach(_.poke(found))
  }

  describe("ParkStage") {
    it("R7: parks from a slot that may have to search the rows, until unit and rows are at rest") {
      stage.run { dut =>
        for (s <- 0 to 1; rows <- Seq(dut.io.inRows, dut.io.grows)) {
          still(dut)
          dut.io.rests.poke(false)
          rows(s).poke(true)
          dut.io.searchesNext(1 - s).poke(true)
          dut.clock.step()
          assert(!dut.io.parks.isOn, "the rows of the other queue are empty")
          dut.io.searchesNext(s).poke(true)
          dut.clock.step()
          assert(dut.io.parks.isOn)
          still(dut)
          dut.io.rests.poke(false)
          dut.clock.step(3)
          assert(dut.io.parks.isOn, "slots behind it are parked too")
          dut.io.rests.poke(true)
          dut.clock.step()
          assert(!dut.io.parks.isOn)
        }
      }
    }

    it("R7: a slot that walks while none is parked goes by") {
      stage.run { dut =>
        still(dut)
        walk(dut, handle = 1)
        assert(dut.io.arrives.isOn)
        dut.clock.step()
        still(dut)
        for (_ <- 0 until 5) {
          assert(!dut.io.first.valid.isOn)
          dut.clock.step()
        }
      }
    }

    it("R7, R15: parked slots come in their order, each with what its arrays have found") {
      val random = Seeds.random("ParkStage")
      stage.run { dut =>
        still(dut)
        dut.io.rests.poke(false)
        dut.io.inRows(0).poke(true)
        dut.io.searchesNext(0).poke(true)
        dut.clock.step()
        var parked = Vector.empty[(BigInt, Boolean, BigInt)]
        var lane = BigInt(0)
        var seen = 0
        for (n <- 0 until 400) {
          // The lane that was found comes a clock behind the rest.
          dut.io.walked.postFound.slot.poke(lane)
          pokeSlot(dut.io.walked.slot, None, None)
          if (n < 380 && parked.size < 8 && random.nextBoolean()) {
            val found = random.nextBoolean()
            lane = random.nextInt(16)
            walk(dut, n, found)
            parked :+= ((BigInt(n), found, lane))
          }
          val takes = random.nextInt(3) > 0
          dut.io.first.ready.poke(takes)
          if (dut.io.first.valid.isOn) {
            val (first, (handle, found, slot)) = (dut.io.first.bits, parked.head)
            assert(first.slot.post.bits.command.handle.value == handle)
            assert(first.found(0).isOn == found && first.postFound.slot.value == slot)
            if (dut.io.next.valid.isOn)
              assert(dut.io.next.bits.slot.post.bits.command.handle.value == parked(1)._1)
            if (takes) {
              parked = parked.tail
              seen += 1
            }
          }
          dut.clock.step()
        }
        assert(seen > 100 && parked.isEmpty, s"$seen slots seen, left: $parked")
      }
    }
  }
}
