// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import tmu.matching.{PlainEntry, PlainKey, TablePokes}
import tmu.params.{TableParams, TmuParams}
import tmu.registers.FaultStores
import tmu.{DeviceSpec, Seeds}

class FilterAppendSpec extends DeviceSpec with TablePokes {
  private val p = TmuParams("append", 2, 32, 32, 4, 2, 4, 8, 4, 4, 4, 8, idBits = 6)
  private val t = TableParams.posted(p)
  private val append = device(new FilterAppend(p, t))

  private def begin(dut: FilterAppend): Unit = {
    dut.io.append.valid.poke(false)
    dut.io.flip.valid.poke(false)
    dut.io.windows.source.poke(15)
    dut.io.windows.low.poke(0x0f)
    dut.io.windows.high.poke(0xf0)
  }
  private def enter(dut: FilterAppend, entry: PlainEntry, free: Int): Unit = {
    dut.io.append.valid.poke(true)
    pokeLane(dut.io.append.bits, entry)
    dut.io.free.poke(free)
    dut.clock.step()
    dut.io.append.valid.poke(false)
  }

  /** Ids of the lane, and the number of its bits that are set, parity included. */
  private def lane(dut: FilterAppend): (Seq[BigInt], Int) = {
    val id = dut.io.entering.id
    val pieces = Seq(id.filter.source, id.filter.low, id.filter.high, id.filter.wild)
    val all = (id.endpoint +: pieces) ++ id.id
    val values = all.map(_.value)
    (values.tail, values.map(_.bitCount).sum + (if (id.parity.get.isOn) 1 else 0))
  }
  private def entry(handle: Int, bits: Int, source: Int, ignored: Int = 0) =
    PlainEntry(handle % 2, PlainKey(bits, source), PlainKey(ignored, 0), handle % 64, handle)

  describe("FilterAppend") {
    it("R15: writes an entry's slot a clock after it came, where it was free then") {
      append.run { dut =>
        val random = Seeds.random("FilterAppend")
        begin(dut)
        assert(!dut.io.entering.now.isOn)
        for (n <- 0 until 200) {
          val free = random.nextInt(1 << t.filterIndexBits)
          enter(dut, entry(n % t.slots, random.nextInt(256), random.nextInt(16)), free)
          dut.io.free.poke(random.nextInt(1 << t.filterIndexBits))
          val in = dut.io.entering
          assert(in.now.isOn && in.slot.value == n % t.slots && in.id.endpoint.value == n % 2)
          assert(in.row.value * p.filterLanes + in.lane.value == free)
          assert(lane(dut)._2 % 2 == 0, "its parity is even")
          if (random.nextBoolean()) {
            dut.clock.step()
            assert(!in.now.isOn)
          }
        }
      }
    }

    it("R2: folds equal keys to one id, others to other ids, and tells what is ignored") {
      append.run { dut =>
        begin(dut)
        def folded(e: PlainEntry) = {
          enter(dut, e, 0)
          lane(dut)._1.take(4)
        }
        val first = folded(entry(2, 0x35, 7))
        assert(folded(entry(4, 0x35, 7)) == first)
        for (other <- Seq(entry(2, 0x34, 7), entry(2, 0x25, 7), entry(2, 0x35, 6)))
          assert(folded(other) != first, other)
        assert(first.last == 0)
        assert(folded(entry(2, 0x35, 7, ignored = 0x01)).last == 2)
        assert(folded(entry(2, 0x35, 7, ignored = 0x10)).last == 4)
      }
    }

    it("R13: flips the bit that software asks for, and says so") {
      append.run { dut =>
        begin(dut)
        dut.io.flip.valid.poke(true)
        dut.io.flip.bits.store.poke(FaultStores.postedFilters.value)
        dut.io.flip.bits.bit.poke(3)
        dut.clock.step()
        dut.io.flip.valid.poke(false)
        dut.clock.step(2)
        dut.io.append.valid.poke(true)
        assert(dut.io.flipped.flipped.isOn)
        enter(dut, entry(2, 0x35, 7), 0)
        assert(lane(dut)._2 % 2 == 1, "one bit is lost")
        enter(dut, entry(2, 0x35, 7), 0)
        assert(lane(dut)._2 % 2 == 0, "and no other")
      }
    }
  }
}
