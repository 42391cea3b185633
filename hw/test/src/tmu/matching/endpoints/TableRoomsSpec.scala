// SPDX-License-Identifier: Apache-2.0
package tmu.matching.endpoints

import scala.util.Random
import tmu.{DeviceSpec, Seeds}
import tmu.params.TmuParams

class TableRoomsSpec extends DeviceSpec {
  private val p = TmuParams("rooms", 4, 32, 16, 8, 4)
  private val rooms = device(new TableRooms(p))
  private val size = Seq(p.postedEntries, p.unexpectedEntries)

  /** Entries and reserves of each endpoint, in plain numbers; queue 0 are receives. */
  private class Plain {
    val depth: Array[Array[Int]] = Array.fill(2, p.endpoints)(0)
    val reserve: Array[Array[Int]] = Array.fill(2, p.endpoints)(0)
    def free(q: Int): Int = size(q) - depth(q).sum
    def unmet(q: Int): Int = reserve(q).zip(depth(q)).map { case (r, d) => math.max(0, r - d) }.sum
    def within(q: Int, e: Int): Boolean = depth(q)(e) < reserve(q)(e)
    def room(q: Int, e: Int): Boolean = free(q) > 0 && (within(q, e) || free(q) > unmet(q))
  }

  /** One slot: a post at one endpoint and an arrival at another or the same. */
  private def slot(dut: TableRooms, plain: Plain, random: Random): Unit = {
    val at = Seq.fill(2)(random.nextInt(p.endpoints))
    val released = Seq.fill(2)(0)
    for (s <- 0 to 1) {
      dut.io.counts(s).poke(plain.depth(s).sum)
      dut.io.below(s).poke(plain.depth(s).sum < size(s))
      dut.io.reserves.within(s).poke(plain.within(s, at(s)))
      val others = plain.depth(1 - s)(at(s))
      dut.io.reserves.restores(s).poke(others - 1 < plain.reserve(1 - s)(at(s)))
      dut.io.reserves.released(s).poke(released(s))
      dut.io.outcomes(s).appends.poke(false)
      dut.io.outcomes(s).takes.poke(false)
    }
    dut.io.same.poke(at(0) == at(1))
    for (q <- 0 to 1) {
      assert(dut.io.spare(q).isOn == plain.room(q, at(q)), s"queue $q at ${at(q)}")
      val kept = math.max(0, plain.free(q) - plain.unmet(q))
      assert(dut.io.taken(q).value == size(q) - kept, s"queue $q")
    }
    val takes = plain.depth(1)(at(0)) > 0 && random.nextInt(3) == 0
    val appends = !takes && plain.room(0, at(0)) && random.nextBoolean()
    dut.io.outcomes(0).takes.poke(takes)
    dut.io.outcomes(0).appends.poke(appends)
    if (takes) plain.depth(1)(at(0)) -= 1
    if (appends) plain.depth(0)(at(0)) += 1
    val room = plain.room(1, at(1))
    if (takes) {
      val seen = if (at(0) == at(1)) dut.io.afterTake else dut.io.afterOther
      assert(seen.isOn == room, s"after a take at ${at(0)}, at ${at(1)}")
    }
    // The arrival may also take the receive that the post has just appended.
    val arrivalTakes = plain.depth(0)(at(1)) > 0 && random.nextInt(3) == 0
    val arrivalAppends = !arrivalTakes && room && random.nextBoolean()
    dut.io.outcomes(1).takes.poke(arrivalTakes)
    dut.io.outcomes(1).appends.poke(arrivalAppends)
    if (arrivalTakes) plain.depth(0)(at(1)) -= 1
    if (arrivalAppends) plain.depth(1)(at(1)) += 1
    dut.clock.step()
  }

  /** Other reserves of an endpoint, between slots. */
  private def change(dut: TableRooms, plain: Plain, random: Random): Unit = {
    val e = random.nextInt(p.endpoints)
    for (q <- 0 to 1) {
      val before = plain.unmet(q)
      dut.io.counts(q).poke(plain.depth(q).sum)
      plain.reserve(q)(e) = if (random.nextBoolean()) 0 else random.nextInt(size(q))
      dut.io.reserves.released(q).poke(before - plain.unmet(q))
      dut.io.outcomes(q).appends.poke(false)
      dut.io.outcomes(q).takes.poke(false)
    }
    dut.clock.step()
  }

  describe("TableRooms") {
    it("R11, R13: keeps what reserves lack from all others, in every slot") {
      rooms.run { dut =>
        val random = Seeds.random("TableRooms")
        val plain = new Plain
        for (_ <- 0 until 3000)
          if (random.nextInt(40) == 0) change(dut, plain, random) else slot(dut, plain, random)
      }
    }

    it("R13: no more slots are open than there are, or the simulation stops") {
      val error = intercept[Exception] {
        rooms.run { dut =>
          for (q <- 0 to 1) {
            dut.io.counts(q).poke(0)
            dut.io.outcomes(q).appends.poke(false)
            dut.io.outcomes(q).takes.poke(false)
          }
          dut.io.reserves.released(0).poke(1)
          dut.clock.step(2)
        }
      }
      assert(error.getMessage.contains("R13:"), error)
    }
  }
}
