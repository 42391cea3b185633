// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import scala.collection.mutable
import tmu.Seeds
import tmu.layout.Opcodes
import tmu.params.SpillParams

class SpillRefillSpec extends SpillSpec {
  private val refill = device(new SpillRefill(s))

  private class Bench(dut: SpillRefill) {
    private val io = dut.io
    Seq(io.begins, io.hit.valid, io.inject.ready, io.injected.valid, io.release, io.moved.ready)
      .foreach(_.poke(false))

    /** One batch from a list of so many entries, of which the unit takes the first `fits`. What was
      * injected, and what has moved, by handle.
      */
    def batch(entries: Int, fits: Int, unexpected: Boolean, done: Int)(
        pause: () => Boolean
    ): (Seq[Int], Seq[Int]) = {
      io.endpoint.poke(2)
      io.unexpected.poke(unexpected)
      io.done.poke(done)
      io.begins.poke(true)
      dut.clock.step()
      io.begins.poke(false)
      val (sent, moved) = (mutable.Buffer[Int](), mutable.Buffer[Int]())
      val answers = mutable.Queue[Boolean]()
      var (asked, clocks, ended) = (0, 0, false)
      while (!(ended && io.over.isOn)) {
        assert(clocks < 500, s"the batch does not end: $sent injected, $moved moved")
        clocks += 1
        ended ||= asked == entries || io.enough.isOn
        io.hit.valid.poke(!ended && !pause())
        io.hit.bits.found.poke(true)
        io.hit.bits.at.chunk.chunk.poke(asked)
        io.hit.bits.at.slot.poke(asked % chunkSlots)
        io.hit.bits.entry.handle.poke(100 + asked)
        io.hit.bits.entry.id.poke(asked)
        io.hit.bits.entry.key.bits.poke(asked + 7)
        io.hit.bits.entry.ignore.source.poke(5)
        io.inject.ready.poke(!pause())
        io.moved.ready.poke(ended && io.moved.valid.isOn && !pause())
        val answer = Option.when(answers.nonEmpty && !pause())(answers.dequeue())
        io.injected.valid.poke(answer.isDefined)
        answer.foreach(io.injected.bits.poke(_))
        if (io.inject.valid.isOn && io.inject.ready.isOn) {
          val command = io.inject.bits.command
          assert(io.inject.bits.withArrivals.isOn == unexpected)
          val opcode = if (unexpected) Opcodes.arrive else Opcodes.post
          assert(command.opcode.value == opcode.value && command.endpoint.value == 2)
          assert(command.handle.value == 100 + asked && command.id.value == asked)
          assert(command.key.bits.value == asked + 7 && command.ignore.source.value == 5)
          assert(command.spill.refills.isOn && !command.spill.releases.isOn)
          assert(!command.searches.isOn && !command.flushes.isOn)
          assert(command.spill.first.isOn == sent.isEmpty)
          assert(command.spill.deferrals.value == done)
          sent += asked
          answers.enqueue(sent.size <= fits)
        }
        if (io.hit.valid.isOn && io.hit.ready.isOn) asked += 1
        assert(sent.size == asked, "what is taken from the search is injected")
        if (io.moved.valid.isOn && io.moved.ready.isOn) {
          assert(io.moved.bits.slot.value == io.moved.bits.chunk.chunk.value)
          moved += io.moved.bits.chunk.chunk.value.toInt
        }
        dut.clock.step()
      }
      (sent.toSeq, moved.toSeq)
    }
  }

  describe("SpillRefill") {
    it("R3, R4: exactly the oldest that found room leave memory, in their order") {
      val random = Seeds.random("SpillRefill")
      refill.run { dut =>
        val bench = new Bench(dut)
        for (_ <- 0 until 60) {
          val entries = 1 + random.nextInt(12)
          val fits = random.nextInt(10)
          val (slow, done) =
            (1 + random.nextInt(3), random.nextInt(1 << SpillParams(p).deferralBits))
          val (sent, moved) =
            bench.batch(entries, fits, random.nextBoolean(), done)(() => random.nextInt(slow) > 0)
          assert(sent == sent.indices && sent.size <= s.batch)
          assert(sent.size >= math.min(math.min(entries, s.batch), fits))
          assert(moved == sent.take(fits))
          assert(dut.io.some.isOn == (sent.nonEmpty && sent.size <= fits))
        }
      }
    }

    it("R11: takes no more than a batch, and stops when the table has no room") {
      refill.run { dut =>
        val bench = new Bench(dut)
        assert(
          bench
            .batch(s.batch + 9, s.batch + 9, unexpected = false, 3)(() => false)
            ._2 == (0 until s.batch)
        )
        assert(bench.batch(s.batch, 0, unexpected = true, 3)(() => false)._2.isEmpty)
      }
    }

    it("R11: a release says so, with the number of commands that are done, and appends nothing") {
      refill.run { dut =>
        new Bench(dut)
        dut.io.endpoint.poke(1)
        dut.io.unexpected.poke(true)
        dut.io.done.poke(77)
        dut.io.release.poke(true)
        val command = dut.io.inject.bits.command
        assert(dut.io.inject.valid.isOn && !dut.io.inject.bits.withArrivals.isOn)
        assert(command.spill.releases.isOn && !command.spill.refills.isOn)
        assert(command.spill.deferrals.value == 77 && command.endpoint.value == 1)
        assert(!Set(Opcodes.post, Opcodes.arrive).map(_.value)(command.opcode.value.toInt))
      }
    }

    it("R3: a younger entry that went in before an older one stops the simulation") {
      val error = intercept[Exception] {
        refill.run { dut =>
          new Bench(dut)
          dut.io.begins.poke(true)
          dut.clock.step()
          dut.io.begins.poke(false)
          for (answer <- Seq(false, true)) {
            dut.io.injected.valid.poke(true)
            dut.io.injected.bits.poke(answer)
            dut.clock.step()
          }
        }
      }
      assert(error.getMessage.contains("R3: a younger entry went to its table"), error)
    }
  }
}
