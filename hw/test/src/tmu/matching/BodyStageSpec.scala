// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import scala.collection.mutable
import tmu.{DeviceSpec, Seeds}
import tmu.layout.Opcodes
import tmu.params.{Presets, TmuParams}

class BodyStageSpec extends DeviceSpec with StagePokes {
  private val p = Presets.formal
  private val stage = device(new BodyStage(p))
  private val checked = TmuParams("checked", 4, 16, 16, arrayEntries = 16, lanes = 4)
  private val guarded = device(new BodyStage(checked))

  private def still(dut: BodyStage): Unit = {
    pokeSlot(dut.io.slot, None, None)
    pokeDecision(dut.io.decision, PlainDecision())
    for (s <- 0 to 1) {
      dut.io.faults(s).compared.poke(false)
      dut.io.faults(s).found.poke(false)
      dut.io.broken(s).poke(false)
      dut.io.appends(s).poke(false)
    }
  }

  describe("BodyStage") {
    it("R15: an entry comes back as it was appended, two clocks after it was found, slots reused") {
      val r = Seeds.random("BodyStage")
      stage.run { dut =>
        still(dut)
        // Slots of the receives that are queued, and what was stored in each.
        val queued = mutable.Buffer[(BigInt, PlainOp)]()
        var expected = Vector.fill(2)(Option.empty[PlainOp])
        var lanes = Option.empty[BigInt]
        dut.clock.step(8)
        for (n <- 0 until 400) {
          lanes.foreach(dut.io.arrivalFound.slot.poke(_))
          expected.head.foreach { op =>
            assert(dut.io.receive.entry.handle.value == op.handle, s"clock $n")
            assert(dut.io.receive.entry.address.value == op.address)
            assert(dut.io.receive.entry.length.value == op.length)
            assert(dut.io.receive.entry.endpoint.value == op.endpoint)
          }
          val appends = queued.size < p.postedEntries && r.nextInt(2) == 0
          // An entry appended a clock ago is written in this one, and read in the next.
          val takes = queued.nonEmpty && r.nextInt(2) == 0
          val post = PlainOp(
            Opcodes.post,
            r.nextInt(p.endpoints),
            handle = BigInt(p.handleBits, r),
            length = BigInt(p.lengthBits, r),
            address = BigInt(p.addressBits, r)
          )
          still(dut)
          pokeSlot(dut.io.slot, Some(post), Some(PlainOp(Opcodes.arrive)))
          pokeDecision(dut.io.decision, PlainDecision(Seq(false, takes), Seq(appends, false)))
          dut.io.appends(0).poke(appends)
          val slot = dut.io.postedSlot.value
          lanes = None
          var found = Option.empty[PlainOp]
          if (takes) {
            val (at, op) = queued.remove(r.nextInt(queued.size))
            lanes = Some(at)
            found = Some(op)
          }
          if (appends) {
            assert(!queued.exists(_._1 == slot), s"clock $n: slot $slot is in use")
            queued += slot -> post
          }
          expected = expected.tail :+ found
          dut.clock.step()
        }
      }
    }

    it("R13: an operation whose endpoint's state has lost a bit raises that endpoint alone") {
      guarded.run { dut =>
        still(dut)
        dut.io.postFound.slot.poke(0)
        dut.io.arrivalFound.slot.poke(0)
        dut.io.postFound.endpointParity.foreach(_.poke(false))
        dut.io.arrivalFound.endpointParity.foreach(_.poke(false))
        dut.clock.step(4)
        for (s <- 0 to 1) {
          val ops = Seq(PlainOp(Opcodes.post, 1), PlainOp(Opcodes.arrive, 2))
          pokeSlot(dut.io.slot, Some(ops.head), Some(ops(1)))
          dut.io.broken(s).poke(true)
          dut.clock.step()
          still(dut)
          dut.clock.step()
          val raised = dut.io.raised.filter(_.valid.isOn).map(_.bits.value)
          assert(raised == Seq(BigInt(s + 1)), s"stream $s")
          assert(!dut.io.everyone.isOn)
          dut.clock.step()
          assert(!dut.io.raised.exists(_.valid.isOn))
        }
      }
    }
  }
}
