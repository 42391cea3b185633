// SPDX-License-Identifier: Apache-2.0
package tmu.counters

import StreamModel.{Clock, Counts}
import scala.collection.mutable
import tmu.{DeviceSpec, Seeds}
import tmu.registers.Streams

class StreamMonitorSpec extends DeviceSpec {
  private val monitor = device(new StreamMonitor)

  /** Plays these clocks and adds up what the monitor says of them. */
  private def play(dut: StreamMonitor, clocks: Seq[Clock]): Counts = {
    var (active, stalled) = (0, 0)
    val ended = mutable.Buffer.fill(Streams.idleFrom.size)(0)
    for (clock <- clocks) {
      dut.io.state.moves.poke(clock.moves)
      dut.io.state.waits.poke(clock.waits)
      if (dut.io.active.isOn) active += 1
      if (dut.io.stalled.isOn) stalled += 1
      for ((one, k) <- dut.io.ended.zipWithIndex if one.isOn) ended(k) += 1
      dut.clock.step()
    }
    Counts(active, stalled, ended.toSeq)
  }

  describe("StreamMonitor") {
    it("tells active from stalled clocks, and nothing of idle ones") {
      monitor.run { dut =>
        val all =
          for { moves <- Seq(false, true); waits <- Seq(false, true) } yield Clock(moves, waits)
        for (clock <- all) {
          val seen = play(dut, Seq(clock))
          assert(seen.active == (if (clock.moves) 1 else 0))
          assert(seen.stalled == (if (clock.waits && !clock.moves) 1 else 0))
        }
      }
    }

    it("puts a run of idle clocks into the bucket of its length, also at both ends") {
      monitor.run { dut =>
        val lengths = Streams.idleFrom.flatMap(from => Seq(from - 1, from, 4 * from - 1)).distinct
        for (length <- lengths :+ 3000; moves <- Seq(false, true)) {
          play(dut, Seq(Clock(moves = true, waits = true)))
          val run = Seq.fill(length)(StreamModel.idle)
          assert(play(dut, run).ended.sum == 0, s"a run of $length is counted before it ends")
          val seen = play(dut, Seq(Clock(moves, waits = !moves)))
          val bucket = Streams.idleFrom.lastIndexWhere(_ <= length)
          val expected = Streams.idleFrom.indices.map(k => if (k == bucket) 1 else 0)
          assert(seen.ended == expected, s"a run of $length")
        }
      }
    }

    it("counts random clocks as the model does") {
      val random = Seeds.random("StreamMonitor")
      monitor.run { dut =>
        val clocks = StreamModel.random(random, 100)
        assert(play(dut, clocks) == StreamModel.count(clocks))
      }
    }
  }
}
