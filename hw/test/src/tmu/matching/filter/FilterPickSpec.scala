// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import tmu.{DeviceSpec, Seeds}
import tmu.matching.RowsParams
import tmu.params.TableParams

class FilterPickSpec extends DeviceSpec {
  private val p = RowsParams("pick", 32)
  private val t = TableParams.posted(p)
  private val pick = device(new FilterPick(p, t))
  private val rows = 1 << (t.filterIndexBits - 2)

  /** A search whose hits may be sent, and none yet. */
  private def begin(dut: FilterPick, ahead: Boolean = false): Unit = {
    val off = Seq(dut.io.closes, dut.io.verified, dut.io.keeps, dut.io.named.valid)
    (off :+ dut.io.hits.valid).foreach(_.poke(false))
    Seq(dut.io.sends, dut.io.allowed).foreach(_.poke(true))
    dut.io.restart.valid.poke(true)
    dut.io.restart.bits.poke(ahead)
    dut.io.ahead.poke(ahead)
    dut.clock.step()
    dut.io.restart.valid.poke(false)
  }
  private def compare(dut: FilterPick, row: Int, lanes: Int): Unit = {
    dut.io.hits.valid.poke(true)
    dut.io.hits.bits.row.poke(row)
    dut.io.hits.bits.lanes.poke(lanes)
    dut.clock.step()
    dut.io.hits.valid.poke(false)
  }

  /** Row and lanes, one-hot, that are sent in this clock. */
  private def sent(dut: FilterPick): Option[(Int, Int)] =
    Option.when(dut.io.picks.isOn)((dut.io.row.value.toInt, dut.io.oldest.value.toInt))

  describe("FilterPick") {
    it("R3: sends the hits of a row in age order, one a clock, and stalls the next row") {
      pick.run { dut =>
        begin(dut)
        compare(dut, row = 3, lanes = 0xd)
        assert(!dut.io.stalls.isOn && sent(dut).contains((3, 1)))
        compare(dut, row = 4, lanes = 0x2)
        assert(dut.io.stalls.isOn && sent(dut).contains((3, 4)))
        dut.clock.step()
        assert(dut.io.stalls.isOn && sent(dut).contains((3, 8)))
        dut.clock.step()
        assert(!dut.io.stalls.isOn && sent(dut).contains((4, 2)))
        dut.clock.step()
        assert(sent(dut).isEmpty && !dut.io.some.isOn)
      }
    }

    it("R7: an answer drops what it leaves; hits of the request behind it stay if it keeps them") {
      for (keeps <- Seq(true, false)) pick.run { dut =>
        begin(dut)
        compare(dut, row = 1, lanes = 0x3)
        dut.io.ahead.poke(keeps)
        compare(dut, row = 2, lanes = 0x4)
        dut.io.verified.poke(true)
        dut.io.keeps.poke(keeps)
        assert(sent(dut).isEmpty, "nothing is sent in the clock of an answer")
        dut.clock.step()
        dut.io.verified.poke(false)
        assert(dut.io.some.isOn == keeps && !dut.io.more.isOn)
        assert(sent(dut).isEmpty, "its turn has not come")
        dut.io.ahead.poke(false)
        assert(sent(dut) == Option.when(keeps)((2, 4)))
      }
    }

    it("R7: hits of a request ahead of its turn wait for it, and while a hole is closed") {
      pick.run { dut =>
        begin(dut, ahead = true)
        compare(dut, row = 5, lanes = 0x9)
        for (_ <- 0 until 4) {
          assert(dut.io.isAhead.isOn && dut.io.stalls.isOn && sent(dut).isEmpty)
          dut.clock.step()
        }
        dut.io.ahead.poke(false)
        dut.io.closes.poke(true)
        assert(sent(dut).isEmpty && dut.io.stalls.isOn)
        dut.clock.step()
        dut.io.closes.poke(false)
        assert(sent(dut).contains((5, 1)))
        dut.clock.step()
        assert(sent(dut).contains((5, 8)))
      }
    }

    it("R10, R14: sends what is named, and no more than is allowed") {
      pick.run { dut =>
        begin(dut)
        dut.io.named.valid.poke(true)
        dut.io.named.bits.row.poke(2)
        dut.io.named.bits.lanes.poke(0xe)
        dut.clock.step()
        dut.io.named.valid.poke(false)
        assert(sent(dut).contains((2, 2)))
        dut.clock.step()
        dut.io.allowed.poke(false)
        assert(dut.io.pending.isOn && sent(dut).isEmpty)
      }
    }

    it("R3, R4: at random: every hit of every row once, rows and lanes in order") {
      val random = Seeds.random("FilterPick")
      pick.run { dut =>
        begin(dut)
        var (expected, seen) = (Vector.empty[(Int, Int)], Vector.empty[(Int, Int)])
        var row = 0
        for (_ <- 0 until 1000) {
          val lanes = random.nextInt(16) & random.nextInt(16)
          val comes = random.nextInt(3) > 0
          dut.io.hits.valid.poke(comes)
          dut.io.hits.bits.row.poke(row)
          dut.io.hits.bits.lanes.poke(lanes)
          seen ++= sent(dut)
          if (comes && !dut.io.stalls.isOn) {
            expected ++= (0 until 4).filter(i => ((lanes >> i) & 1) == 1).map(i => (row, 1 << i))
            row = (row + 1) % rows
          }
          dut.clock.step()
        }
        dut.io.hits.valid.poke(false)
        for (_ <- 0 until 8) {
          seen ++= sent(dut)
          dut.clock.step()
        }
        assert(seen == expected)
      }
    }
  }
}
