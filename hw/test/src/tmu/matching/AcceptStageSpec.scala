// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import tmu.{DeviceSpec, Seeds}
import tmu.layout.{Opcodes, Statuses}
import tmu.params.Presets

class AcceptStageSpec extends DeviceSpec with StagePokes {
  private val stage = device(new AcceptStage(Presets.formal))
  private val post = PlainOp(Opcodes.post, handle = 1)
  private val arrive = PlainOp(Opcodes.arrive, handle = 2)
  private val inspect = PlainOp(Opcodes.inspect, handle = 3)
  private val flush = PlainOp(Opcodes.flush, handle = 4)

  private def offer(dut: AcceptStage, commands: Seq[Option[PlainOp]]): Unit =
    for ((port, command) <- Seq(dut.io.post, dut.io.arrival).zip(commands)) {
      port.valid.poke(command.isDefined)
      command.foreach(pokeCommand(port.bits, _))
    }

  /** An empty unit that lets everything in. */
  private def open(dut: AcceptStage): Unit = {
    val closing = Seq(dut.io.requested, dut.io.holdsBack, dut.io.holdsInspects, dut.io.registered)
    Seq(dut.io.ready, dut.io.room, dut.io.drained).foreach(_.poke(true))
    (closing ++ Seq(dut.io.spills, dut.io.removed, dut.io.missed)).foreach(_.poke(false))
    dut.io.now.poke(9)
    offer(dut, Seq(None, None))
  }

  private def readies(dut: AcceptStage): Seq[Boolean] =
    Seq(dut.io.post.ready.isOn, dut.io.arrival.ready.isOn)

  describe("AcceptStage") {
    it("R7: both operations of a clock are one slot, each with the clock in which it entered") {
      stage.run { dut =>
        open(dut)
        offer(dut, Seq(Some(post), Some(arrive)))
        assert(readies(dut) == Seq(true, true) && dut.io.enters.isOn)
        val operations = Seq(dut.io.slot.post, dut.io.slot.arrival)
        assert(operations.forall(_.valid.isOn))
        assert(operations.map(_.bits.command.handle.value) == Seq(1, 2).map(BigInt(_)))
        assert(operations.forall(_.bits.accepted.value == 9))
        offer(dut, Seq(None, Some(arrive)))
        assert(!operations.head.valid.isOn && operations(1).valid.isOn)
      }
    }

    it("R11: whatever closes the unit keeps every command out, and nothing else does") {
      val random = Seeds.random("AcceptStage")
      stage.run { dut =>
        for (_ <- 0 until 400) {
          open(dut)
          def few = random.nextInt(6) == 0
          val (unready, full, inside) = (few, few, few)
          val (requested, back, noInspects, registered) = (few, few, few, few)
          val spills = random.nextBoolean()
          dut.io.ready.poke(!unready)
          dut.io.room.poke(!full)
          dut.io.drained.poke(!inside)
          dut.io.requested.poke(requested)
          dut.io.holdsBack.poke(back)
          dut.io.holdsInspects.poke(noInspects)
          dut.io.registered.poke(registered)
          dut.io.spills.poke(spills)
          val inspects = few
          val first = Option.when(random.nextInt(4) > 0)(if (inspects) inspect else post)
          offer(dut, Seq(first, Some(arrive)))
          val closed = unready || full || requested || back || (registered && !spills) ||
            (first.contains(inspect) && noInspects)
          // R11: with memory registered one command a slot, so that one is deferred at most.
          val alone = registered && first.isDefined
          assert(readies(dut) == Seq(!closed, !closed && !alone))
          assert(dut.io.inspects.isOn == first.contains(inspect))
          assert(dut.io.slot.post.valid.isOn == (!closed && first.isDefined))
          dut.clock.step()
        }
      }
    }

    it("R14: a flush enters an empty unit, and nobody else until it has told its counts") {
      stage.run { dut =>
        open(dut)
        dut.io.drained.poke(false)
        offer(dut, Seq(Some(flush), Some(arrive)))
        assert(readies(dut) == Seq(false, false), "not while a slot is inside")
        dut.io.drained.poke(true)
        assert(readies(dut) == Seq(true, false))
        assert(!dut.io.enters.isOn, "the flush itself is no slot")
        dut.clock.step()
        offer(dut, Seq(Some(post), Some(arrive)))
        var told = false
        var takes = 0
        for (clocks <- Iterator.from(0).takeWhile(_ => !told)) {
          assert(clocks < 100, "the flush does not finish")
          assert(dut.io.flushing.isOn && readies(dut) == Seq(false, false))
          val (one, other) = (dut.io.slot.post, dut.io.slot.arrival)
          val finishes = one.valid.isOn && !one.bits.command.searches.isOn
          if (finishes) {
            assert(one.bits.command.status.value == Statuses.flushed.value)
            assert(dut.io.counts.map(_.value) == Seq(3, 0).map(BigInt(_)))
            told = true
          } else if (one.valid.isOn || other.valid.isOn) takes += 1
          // Three receives are there, each found in the clock of its take.
          dut.io.removed.poke(other.valid.isOn && takes <= 3)
          dut.io.missed.poke(
            (other.valid.isOn && takes > 3) || (one.valid.isOn && one.bits.sweeps.isOn)
          )
          dut.clock.step()
        }
        assert(readies(dut) == Seq(true, true), "the others enter now")
      }
    }
  }
}
