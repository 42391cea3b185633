// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import tmu.{DeviceSpec, Seeds}
import tmu.matching.RowsParams
import tmu.params.TableParams

class FilterSweepSpec extends DeviceSpec {
  private val p = RowsParams("sweep", 32)
  private val t = TableParams.posted(p)
  private val sweep = device(new FilterSweep(p, t))
  private val rows = 1 << (t.filterIndexBits - 2)

  /** Rows from `head` to `last` (indices); nothing wanted is in any lane but those of endpoint 1.
    */
  private def begin(dut: FilterSweep, head: Int, last: Int, some: Boolean = true): Unit = {
    val off = Seq(dut.io.start.valid, dut.io.sweeps, dut.io.ahead, dut.io.entering.now)
    val later = Seq(dut.io.stalls, dut.io.verified, dut.io.begun, dut.io.close.valid)
    (off ++ later :+ dut.io.closesLast).foreach(_.poke(false))
    dut.io.ring.head.poke(head)
    dut.io.ring.last.poke(last)
    dut.io.ring.some.poke(some)
    dut.io.ids.foreach(pokeId(_, 0))
  }

  /** An id of an endpoint, its parity even. */
  private def pokeId(lane: FilterLane, endpoint: Int): Unit = {
    lane.endpoint.poke(endpoint)
    Seq(lane.filter.source, lane.filter.low, lane.filter.high, lane.filter.wild).foreach(_.poke(0))
    lane.id.foreach(_.poke(0))
    lane.parity.foreach(_.poke(endpoint == 1))
  }
  private def start(dut: FilterSweep, ahead: Boolean = false): Unit = {
    dut.io.start.valid.poke(true)
    pokeId(dut.io.start.bits.wants, 1)
    dut.io.start.bits.byId.poke(false)
    dut.io.start.bits.reads.poke(true)
    dut.io.start.bits.ahead.poke(ahead)
  }
  private def read(dut: FilterSweep): Option[Int] =
    Option.when(dut.io.read.valid.isOn)(dut.io.read.bits.value.toInt)

  /** One clock; then a request that was taken sweeps. */
  private def clock(dut: FilterSweep, ahead: Boolean = false): Unit = {
    dut.clock.step()
    dut.io.start.valid.poke(false)
    dut.io.sweeps.poke(true)
    dut.io.ahead.poke(ahead)
  }

  describe("FilterSweep") {
    it("R3: reads all rows from the oldest, one a clock, and hits only lanes that hold entries") {
      val random = Seeds.random("FilterSweep")
      sweep.run { dut =>
        for (_ <- 0 until 60) {
          val (first, used) = (random.nextInt(rows), 1 + random.nextInt(rows - 1))
          val (headLane, lastLane) = (random.nextInt(4), random.nextInt(4))
          val order = (0 until used).map(n => (first + n) % rows)
          if (used > 1 || headLane <= lastLane) {
            begin(dut, 4 * first + headLane, 4 * order.last + lastLane)
            dut.io.ids.foreach(pokeId(_, 1))
            start(dut)
            for ((row, n) <- order.zipWithIndex) {
              assert(read(dut).contains(row) && (n == 0 || !dut.io.allRead.isOn))
              clock(dut)
              val lanes = (0 until 4).filter { i =>
                (n > 0 || i >= headLane) && (n < used - 1 || i <= lastLane)
              }
              assert(dut.io.hits.valid.isOn && dut.io.hits.bits.row.value == row)
              assert(dut.io.hits.bits.lanes.value == lanes.map(1 << _).sum)
            }
            assert(dut.io.allRead.isOn && read(dut).isEmpty)
            clock(dut)
            assert(!dut.io.hits.valid.isOn)
          }
        }
      }
    }

    it("R13: only lanes of the endpoint hit, and one that has lost a bit") {
      sweep.run { dut =>
        begin(dut, head = 0, last = 3)
        pokeId(dut.io.ids(1), 1)
        dut.io.ids(2).parity.foreach(_.poke(true))
        start(dut)
        clock(dut)
        assert(dut.io.hits.bits.lanes.value == 6)
      }
    }

    it("R4: a row that is compared while hits wait is read again") {
      sweep.run { dut =>
        begin(dut, head = 0, last = 11)
        start(dut)
        clock(dut)
        assert(read(dut).contains(1))
        clock(dut)
        dut.io.stalls.poke(true)
        for (_ <- 0 until 3) {
          assert(read(dut).contains(1) && dut.io.hits.bits.row.value == 1)
          clock(dut)
        }
        dut.io.stalls.poke(false)
        assert(read(dut).contains(2))
        clock(dut)
        assert(dut.io.allRead.isOn)
      }
    }

    it(
      "R7: a request ahead of its turn leaves the last row, and a row is not read as it is written"
    ) {
      sweep.run { dut =>
        begin(dut, head = 0, last = 11)
        start(dut, ahead = true)
        clock(dut, ahead = true)
        assert(read(dut).contains(1))
        clock(dut, ahead = true)
        assert(read(dut).isEmpty && !dut.io.allRead.isOn)
        dut.io.ahead.poke(false)
        dut.io.entering.now.poke(true)
        dut.io.entering.row.poke(2)
        assert(read(dut).isEmpty)
        dut.io.entering.now.poke(false)
        assert(read(dut).contains(2))
      }
    }

    it("R7: an answer sends the request behind it back to the row of the hole, or to the first") {
      for ((begun, foundRow, goesOn) <- Seq((true, 1, 1), (true, 3, 2), (false, 1, 0))) sweep.run {
        dut =>
          begin(dut, head = 0, last = 15)
          start(dut, ahead = true)
          clock(dut, ahead = true)
          clock(dut, ahead = true)
          dut.io.verified.poke(true)
          dut.io.begun.poke(begun)
          dut.io.foundRow.poke(foundRow)
          dut.io.sweeps.poke(false)
          assert(!begun || dut.io.goesBack.isOn == foundRow < 2)
          dut.clock.step()
          dut.io.verified.poke(false)
          dut.io.sweeps.poke(true)
          assert(read(dut).contains(goesOn))
      }
    }

    it("R3: the last row may be compared while a hole in it is closed: entries hit where they go") {
      sweep.run { dut =>
        begin(dut, head = 0, last = 7)
        start(dut, ahead = true)
        clock(dut, ahead = true)
        clock(dut, ahead = true)
        assert(read(dut).isEmpty)
        dut.io.closesLast.poke(true)
        dut.io.close.valid.poke(true)
        dut.io.close.bits.poke(1)
        dut.io.sweeps.poke(false)
        assert(read(dut).contains(1))
        dut.clock.step()
        dut.io.closesLast.poke(false)
        dut.io.close.valid.poke(false)
        dut.io.holeLane.poke(1)
        pokeId(dut.io.ids(3), 1)
        assert(dut.io.hits.valid.isOn && dut.io.hits.bits.row.value == 1 && dut.io.allRead.isOn)
        assert(dut.io.hits.bits.lanes.value == 4)
      }
    }
  }
}
