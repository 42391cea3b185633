// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import scala.collection.mutable
import tmu.{Seeds, Traffic}

class ChunkTableSpec extends SpillSpec {
  private val table = device(new ChunkTable(s))

  private def quiet(dut: ChunkTable, chunks: Int): Unit = {
    Seq(dut.io.link.valid, dut.io.mark.valid, dut.io.free.valid, dut.io.allocate.ready)
      .foreach(_.poke(false))
    dut.io.read.poke(0)
    dut.io.chunks.poke(chunks)
  }

  describe("ChunkTable") {
    it(
      "R11: allocates every chunk once, says when there is none, and the last that came back first"
    ) {
      table.run { dut =>
        quiet(dut, 0)
        assert(dut.io.exhausted.isOn && !dut.io.allocate.valid.isOn, "no memory is registered")
        dut.io.chunks.poke(3)
        def take(): BigInt = {
          waitFor(dut, "a chunk", limit = 4)(dut.io.allocate.valid.isOn)
          assert(!dut.io.exhausted.isOn)
          val chunk = dut.io.allocate.bits.value
          dut.io.allocate.ready.poke(true)
          dut.clock.step()
          dut.io.allocate.ready.poke(false)
          chunk
        }
        assert(Seq.fill(3)(take()) == Seq(0, 1, 2))
        assert(dut.io.exhausted.isOn && !dut.io.allocate.valid.isOn && dut.io.spare.value == 0)
        for (chunk <- Seq(1, 0)) {
          dut.io.free.bits.poke(chunk)
          dut.io.free.valid.poke(true)
          dut.clock.step()
        }
        dut.io.free.valid.poke(false)
        assert(dut.io.spare.value == 2)
        assert(Seq.fill(2)(take()) == Seq(0, 1))
        assert(dut.io.exhausted.isOn)
        // Another segment.
        dut.io.chunks.poke(4)
        assert(take() == 3)
      }
    }

    it("R11: never allocates a chunk that somebody has, and finds each that is free, at random") {
      val random = Seeds.random("ChunkTable")
      table.run { dut =>
        quiet(dut, 12)
        val allocated = mutable.Set[Int]()
        var (empty, waited) = (0, 0)
        def enough = empty > 5
        for (clock <- Traffic.until(2500)(enough)) {
          // Spells in which most is taken, and in which most comes back.
          val takes = random.nextInt(8) < (if (clock / 60 % 2 == 0) 7 else 2)
          val back = Option.when(allocated.nonEmpty && random.nextInt(8) > (if (takes) 5 else 2))(
            allocated.toSeq(random.nextInt(allocated.size))
          )
          assert(dut.io.spare.value == 12 - allocated.size, s"clock $clock")
          val there = dut.io.allocate.valid.isOn
          if (dut.io.exhausted.isOn) {
            assert(allocated.size == 12 && !there, s"clock $clock")
            empty += 1
          }
          waited = if (there || allocated.size == 12) 0 else waited + 1
          assert(waited <= 4, s"clock $clock: a free chunk does not come")
          dut.io.allocate.ready.poke(takes)
          dut.io.free.valid.poke(back.isDefined)
          back.foreach(dut.io.free.bits.poke(_))
          if (takes && there) {
            val chunk = dut.io.allocate.bits.value.toInt
            assert(
              chunk < 12 && allocated.add(chunk),
              s"clock $clock: chunk $chunk allocated twice"
            )
          }
          back.foreach(allocated.remove)
          dut.clock.step()
        }
        assert(enough, "the table was never used up")
      }
    }

    it("R3: keeps each chunk's link and live entries, also what is written as it is read") {
      val random = Seeds.random("ChunkTable state")
      table.run { dut =>
        quiet(dut, 12)
        val links = mutable.Map[Int, Int]()
        val lives = mutable.Map[Int, BigInt]()
        def some() = random.nextInt(6)
        for (_ <- 0 until 400) {
          val asked = some()
          dut.io.read.poke(asked)
          val (linked, marked) = (some(), some())
          dut.io.link.valid.poke(random.nextBoolean())
          dut.io.mark.valid.poke(random.nextBoolean())
          val (next, live) = (random.nextInt(s.chunks), BigInt(chunkSlots, random))
          dut.io.link.bits.chunk.poke(linked)
          dut.io.link.bits.next.poke(next)
          dut.io.mark.bits.chunk.poke(marked)
          dut.io.mark.bits.live.poke(live)
          if (dut.io.link.valid.isOn) links(linked) = next
          if (dut.io.mark.valid.isOn) lives(marked) = live
          dut.clock.step()
          links.get(asked).foreach(x => assert(dut.io.state.next.value == x))
          lives.get(asked).foreach(x => assert(dut.io.state.live.value == x))
        }
      }
    }
  }
}
