// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import scala.util.Random
import tmu.{DeviceSpec, Seeds}
import tmu.layout.{Opcodes, Statuses}
import tmu.params.Presets

class FlushSequencerSpec extends DeviceSpec {
  private val p = Presets.formal
  private val sequencer = device(new FlushSequencer(p))

  /** A unit of a fixed length with some entries in it; returns takes of receives, of messages. */
  private def flush(dut: FlushSequencer, held: Seq[Int], walk: Int, r: Random): (Int, Int) = {
    val left = held.toArray
    val takes = Array(0, 0)
    var inside = Vector.fill[Option[Int]](walk)(None)
    dut.io.drained.poke(true)
    dut.io.removed.poke(false)
    dut.io.missed.poke(false)
    dut.io.now.poke(77)
    dut.io.start.valid.poke(true)
    dut.io.start.bits.opcode.poke(Opcodes.flush.value)
    dut.io.start.bits.handle.poke(9)
    assert(dut.io.start.ready.isOn)
    dut.clock.step()
    dut.io.start.valid.poke(false)
    var done = false
    var clocks = 0
    while (!done) {
      clocks += 1
      assert(clocks < 500, "the flush does not end")
      assert(dut.io.busy.isOn && !dut.io.start.ready.isOn)
      val ending = inside.head
      dut.io.drained.poke(inside.forall(_.isEmpty))
      val hits = ending.exists(left(_) > 0)
      if (hits) left(ending.get) -= 1
      dut.io.removed.poke(hits)
      dut.io.missed.poke(ending.isDefined && !hits)
      dut.io.canIssue.poke(r.nextInt(3) > 0)
      val (post, arrival) = (dut.io.slot.post, dut.io.slot.arrival)
      val issued = (post.valid.isOn, arrival.valid.isOn) match {
        case (false, true)  => Some(0)
        case (true, false)  => Some(1)
        case (false, false) => None
        case both           => fail(s"a slot of $both")
      }
      val bits = if (issued.contains(0)) arrival.bits else post.bits
      if (issued.isDefined) {
        assert(bits.command.handle.value == 9 && bits.accepted.value == 77)
        assert(bits.command.searches.isOn == bits.sweeps.isOn)
        assert(!issued.contains(1) || left(0) == 0, "R14: receives first")
      }
      if (issued.isDefined && !bits.command.searches.isOn) {
        assert(bits.command.status.value == Statuses.flushed.value)
        assert(dut.io.counts.map(_.value.toInt) == held, "counts for the last answer")
        assert(inside.forall(_.isEmpty) && issued.contains(1))
        done = true
      } else issued.foreach(takes(_) += 1)
      inside = inside.tail :+ issued.filterNot(_ => done)
      dut.clock.step()
    }
    assert(!dut.io.busy.isOn)
    assert(left.forall(_ == 0), "R14: everything is removed")
    (takes(0), takes(1))
  }

  describe("FlushSequencer") {
    it("R14: takes receives, then messages, until nothing is found, and then tells both counts") {
      val r = Seeds.random("FlushSequencer")
      sequencer.run { dut =>
        for (held <- Seq(Seq(0, 0), Seq(3, 0), Seq(0, 2), Seq(5, 4)); walk <- Seq(1, 4, 9)) {
          val (receives, messages) = flush(dut, held, walk, r)
          assert(receives > held.head && receives <= held.head + walk + 2)
          assert(messages > held(1) && messages <= held(1) + walk + 2)
        }
      }
    }

    it("R7: waits with its start until the unit is empty") {
      sequencer.run { dut =>
        dut.io.drained.poke(false)
        for (_ <- 0 until 5) {
          assert(!dut.io.start.ready.isOn && !dut.io.busy.isOn)
          dut.clock.step()
        }
        dut.io.drained.poke(true)
        assert(dut.io.start.ready.isOn)
      }
    }

    it("any other opcode stops the simulation") {
      val error = intercept[Exception] {
        sequencer.run { dut =>
          dut.io.drained.poke(true)
          dut.io.start.bits.opcode.poke(Opcodes.probe.value)
          dut.io.start.valid.poke(true)
          dut.clock.step()
        }
      }
      assert(error.getMessage.matches("(?s).*opcode +3 is no flush.*"), error)
    }
  }
}
