// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import scala.collection.mutable
import tmu.{DeviceSpec, Seeds}
import tmu.layout.{Opcodes, Statuses}
import tmu.params.{Presets, TableParams}

class AnswerStageSpec extends DeviceSpec with StagePokes {
  private val p = Presets.formal
  private val stage = device(new AnswerStage(p))
  private val room = TableParams.posted(p).inFlight - 1

  private def still(dut: AnswerStage): Unit = {
    dut.io.entered.poke(false)
    dut.io.slow.poke(false)
    dut.io.takesPost.poke(false)
    dut.io.now.poke(0)
    decide(dut, None, None)
  }

  /** A slot is decided: what each operation found, or nothing. */
  private def decide(
      dut: AnswerStage,
      post: Option[(PlainOp, Boolean)],
      arrival: Option[(PlainOp, Boolean)]
  ): Unit = {
    pokeSlot(dut.io.decided, post.map(_._1), arrival.map(_._1))
    for ((op, s) <- Seq(post, arrival).zipWithIndex) {
      val outcome = dut.io.outcomes(s)
      outcome.answers.poke(op.isDefined)
      outcome.room.poke(true)
      outcome.found.poke(op.exists(_._2))
      outcome.takes.poke(op.exists(_._2))
      outcome.appends.poke(op.exists(!_._2))
      outcome.defers.poke(false)
      outcome.releases.poke(false)
    }
  }

  describe("AnswerStage") {
    it("R7, R12, R15: a verdict has its status, its serial and the entry that was found") {
      stage.run { dut =>
        still(dut)
        dut.io.verdicts.ready.poke(false)
        dut.io.entered.poke(true)
        dut.clock.step()
        still(dut)
        dut.io.now.poke(20)
        val post = PlainOp(Opcodes.post, handle = 3, length = 4)
        val arrive = PlainOp(Opcodes.arrive, handle = 5, length = 6)
        decide(dut, Some(post -> false), Some(arrive -> true))
        dut.clock.step()
        still(dut)
        dut.clock.step()
        dut.io.serials(0).poke(17)
        dut.io.serials(1).poke(18)
        dut.io.receive.handle.poke(9)
        dut.io.receive.length.poke(5)
        dut.io.receive.address.poke(2)
        dut.clock.step()
        dut.io.receive.length.poke(7)
        assert(waitFor(dut, "an answer", 4)(dut.io.verdicts.valid.isOn) == 1)
        val (first, second) = (dut.io.verdicts.bits.post, dut.io.verdicts.bits.arrival)
        assert(first.valid.isOn && second.valid.isOn)
        assert(first.bits.status.value == Statuses.queued.value && first.bits.serial.value == 17)
        assert(second.bits.status.value == Statuses.matched.value && second.bits.serial.value == 18)
        assert(second.bits.other.value == 9 && second.bits.address.value == 2)
        assert(second.bits.truncated.isOn && !first.bits.truncated.isOn, "R12: 6 bytes for 5")
        dut.io.now.poke(31)
        assert(second.bits.latency.value == 31)
      }
    }

    it("R15: an arrival that takes the post beside it answers with that post's handle") {
      stage.run { dut =>
        still(dut)
        dut.io.verdicts.ready.poke(true)
        val post = PlainOp(Opcodes.post, handle = 3, length = 4)
        val arrive = PlainOp(Opcodes.arrive, handle = 5, length = 4)
        dut.io.entered.poke(true)
        dut.clock.step()
        still(dut)
        decide(dut, Some(post -> false), Some(arrive -> true))
        dut.io.takesPost.poke(true)
        dut.clock.step()
        still(dut)
        dut.io.receive.handle.poke(9)
        waitFor(dut, "an answer", 6)(dut.io.verdicts.valid.isOn)
        assert(dut.io.verdicts.bits.arrival.bits.other.value == 3)
        assert(!dut.io.verdicts.bits.arrival.bits.truncated.isOn)
      }
    }

    it("R11: as many slots enter as there is room for answers, however long nobody takes them") {
      val r = Seeds.random("AnswerStage")
      stage.run { dut =>
        still(dut)
        val inside = mutable.Queue[Int]()
        var handle, taken, most = 0
        for (n <- 0 until 600) {
          val takes = if (n / 100 % 2 == 0) r.nextInt(20) == 0 else r.nextInt(2) == 0
          dut.io.verdicts.ready.poke(takes)
          if (takes && dut.io.verdicts.valid.isOn) {
            assert(dut.io.verdicts.bits.post.bits.handle.value == taken % 16, "in order")
            taken += 1
          }
          assert(!dut.io.drained.isOn || handle == taken, s"clock $n: drained with a slot inside")
          // A slot is decided four clocks after it has entered.
          val decided = inside.headOption.filter(_ <= n - 4)
          still(dut)
          decided.foreach { _ =>
            inside.dequeue()
            val op = PlainOp(Opcodes.post, handle = (handle - inside.size - 1) % 16)
            decide(dut, Some(op -> false), None)
          }
          if (dut.io.room.isOn) {
            dut.io.entered.poke(true)
            inside += n
            handle += 1
          }
          most = math.max(most, handle - taken)
          dut.clock.step()
        }
        assert(most > room - 3 && most <= room, s"$most slots were inside, with room for $room")
        still(dut)
        assert(taken > 100)
      }
    }
  }
}
