// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import tmu.{DeviceSpec, Seeds}
import tmu.layout.Opcodes
import tmu.matching.endpoints.EndpointTable

class ReleaseStageSpec extends DeviceSpec with StagePokes {
  private val p = RowsParams("release", 16)
  private val stage = device(new ReleaseStage(p))

  /** A post and an arrival are parked; whether each is found in its array. */
  private def begin(dut: ReleaseStage, found: Seq[Boolean]): Unit = {
    val ops = Seq(PlainOp(Opcodes.post, handle = 1), PlainOp(Opcodes.arrive, handle = 2))
    dut.io.first.valid.poke(true)
    pokeSlot(dut.io.first.bits.slot, Some(ops.head), Some(ops(1)))
    dut.io.first.bits.postFound.slot.poke(5)
    dut.io.first.bits.arrivalFound.slot.poke(6)
    dut.io.messageSlot.poke(7)
    dut.io.receiveSlot.poke(8)
    for (s <- 0 to 1) {
      dut.io.first.bits.found(s).poke(found(s))
      dut.io.found(s).poke(found(s))
      dut.io.answered(s).poke(true)
      dut.io.settled(s).poke(true)
    }
    dut.io.searching.poke(true)
  }

  describe("ReleaseStage") {
    it("R11: a slot is not decided before the states of its endpoints have been read") {
      stage.run { dut =>
        begin(dut, Seq(true, true))
        for (_ <- 0 until EndpointTable.lead) {
          assert(!dut.io.now.isOn && !dut.io.parked.slot.post.valid.isOn)
          dut.clock.step()
        }
        assert(dut.io.now.isOn && dut.io.parked.slot.post.valid.isOn)
        dut.clock.step()
        assert(!dut.io.now.isOn, "those of the next slot are read from here on")
      }
    }

    it("R3, R7: it waits for every answer, and for the rows that it appends to") {
      val random = Seeds.random("ReleaseStage")
      stage.run { dut =>
        for (_ <- 0 until 300) {
          def some = random.nextInt(4) > 0
          val (answered, settled) = (Seq(some, some), Seq(some, some))
          val (found, searching) = (Seq(some, some), some)
          begin(dut, found)
          dut.io.searching.poke(false)
          dut.clock.step(EndpointTable.lead)
          dut.io.searching.poke(searching)
          for (s <- 0 to 1) {
            dut.io.answered(s).poke(answered(s))
            dut.io.settled(s).poke(settled(s))
          }
          val appendable = Seq(0, 1).forall(s => found(s) || settled(s))
          val expected = searching && answered.forall(identity) && appendable
          assert(dut.io.now.isOn == expected)
          assert(dut.io.parked.slot.arrival.valid.isOn == expected)
          dut.io.first.valid.poke(false)
          dut.clock.step()
        }
      }
    }

    it("R15: a clock later it says where each was found: in its array, or in the rows") {
      stage.run { dut =>
        for (inArray <- Seq(Seq(true, false), Seq(false, true))) {
          begin(dut, inArray)
          dut.io.found.foreach(_.poke(true))
          dut.clock.step()
          assert(dut.io.parked.postFound.slot.value == (if (inArray.head) 5 else 7))
          assert(dut.io.parked.arrivalFound.slot.value == (if (inArray(1)) 6 else 8))
        }
      }
    }
  }
}
