// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import tmu.{DeviceSpec, Seeds}
import tmu.matching.RowsParams
import tmu.params.TableParams

class FilterCloseSpec extends DeviceSpec {
  private val p = RowsParams("close", 32)
  private val t = TableParams.posted(p)
  private val close = device(new FilterClose(p, t))
  private val rows = 1 << (t.filterIndexBits - 2)

  describe("FilterClose") {
    it("R3: reads each row from the hole's to the last, one a clock, and says what moves") {
      val random = Seeds.random("FilterClose")
      close.run { dut =>
        for (_ <- 0 until 100) {
          val head = random.nextInt(rows)
          val count = 1 + random.nextInt(rows - 1)
          val hole = random.nextInt(count)
          val (holeLane, lastLane) = (random.nextInt(4), random.nextInt(4))
          val expected = (hole until count).map(n => (head + n) % rows)
          val last = expected.last
          dut.io.start.poke(true)
          dut.io.hole.row.poke(expected.head)
          dut.io.hole.lane.poke(holeLane)
          dut.io.last.poke(4 * last + lastLane)
          dut.io.inLastRow.poke(expected.size == 1)
          dut.io.headRow.poke(head)
          for ((row, n) <- expected.zipWithIndex) {
            assert(dut.io.reads.isOn && dut.io.row.value == row, s"row $n of $expected")
            dut.clock.step()
            dut.io.start.poke(false)
            val moves = dut.io.moves
            assert(moves.now.isOn && moves.row.value == row)
            assert(moves.holeRow.value == expected.head && moves.holeLane.value == holeLane)
            assert(moves.freedRow.value == last && moves.freedLane.value == lastLane)
            assert(dut.io.ends.isOn == (n == expected.size - 1), s"row $n of $expected")
          }
          // Its last clock writes the last row and the last lane of the row before.
          assert(dut.io.headRests.isOn == !Seq(last, (last + rows - 1) % rows).contains(head))
          dut.clock.step()
          assert(!dut.io.reads.isOn && !dut.io.moves.now.isOn && !dut.io.ends.isOn)
        }
      }
    }
  }
}
