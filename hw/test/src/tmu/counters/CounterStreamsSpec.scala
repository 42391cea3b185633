// SPDX-License-Identifier: Apache-2.0
package tmu.counters

import tmu.Seeds
import tmu.registers.{Counter, Counters, Stream, Streams}

/** The clocks of all streams in the counter bank, against a count of the same clocks in words. */
class CounterStreamsSpec extends CounterBankBench {
  import StreamModel.Clock

  /** Plays clocks on all streams at once, as many as the shortest has; they begin with those since
    * reset.
    */
  private class Player(dut: CounterBank) {
    private var played = Seq[Map[Stream, Clock]]()
    quiet(dut)

    def clock(now: Map[Stream, Clock]): Unit = {
      for ((stream, clock) <- now) play(dut, stream, clock)
      dut.clock.step()
      played = now +: played
    }

    /** Counts that a snapshot has to show whose counter of clocks has this value. The clock of the
      * reset is one of them, and nothing happens in it.
      */
    def expected(clocks: Int): Map[Counter, Int] = {
      val since = played.reverse.take(clocks - 1)
      Streams.all.flatMap { stream =>
        val counts = StreamModel.count(StreamModel.idle +: since.map(_(stream)))
        Seq(stream.active -> counts.active, stream.stalled -> counts.stalled) ++
          stream.idle.zip(counts.ended)
      }.toMap
    }
  }

  private def check(player: Player, seen: Map[Counter, BigInt]): Map[Counter, Int] = {
    val expected = player.expected(seen(Counters.clocks).toInt)
    for ((counter, count) <- expected) assert(seen(counter) == count, counter.name)
    expected
  }

  /** Asks for a snapshot in the first of these clocks, and compares it when it is there. */
  private def shot(dut: CounterBank, player: Player, clocks: Iterator[Map[Stream, Clock]]): Unit = {
    dut.io.snapshot.poke(true)
    player.clock(clocks.next())
    dut.io.snapshot.poke(false)
    while (dut.io.busy.isOn) player.clock(clocks.next())
    check(player, shown(dut))
    ()
  }

  describe("CounterBank") {
    it("counts active, stalled and idle clocks of every stream, all as of one clock") {
      val random = Seeds.random("CounterBank streams")
      bank.run { dut =>
        val player = new Player(dut)
        val clocks = Streams.all
          .map(_ -> Iterator.continually(StreamModel.random(random, 20)).flatten)
          .toMap
        val now = Iterator.continually(clocks.map { case (stream, of) => stream -> of.next() })
        for (_ <- 0 until 12) {
          for (_ <- 0 until random.nextInt(900)) player.clock(now.next())
          shot(dut, player, now)
        }
        for (_ <- 0 until 6000) player.clock(now.next())
        shot(dut, player, now)
        val seen = check(player, shown(dut))
        for ((counter, count) <- seen) assert(count > 0, s"${counter.name}: nothing was tested")
      }
    }

    it("loses no run of idle clocks, however short it is and however often it comes") {
      bank.run { dut =>
        val player = new Player(dut)
        for (from <- Streams.idleFrom; moves <- Seq(true, false)) {
          val run = Seq.fill(from)(StreamModel.idle) :+ Clock(moves, waits = true)
          for (_ <- 0 until 1 + 3 * Counters.all.size / run.size; one <- run)
            player.clock(Streams.all.map(_ -> one).toMap)
        }
        shot(dut, player, Iterator.continually(Streams.all.map(_ -> StreamModel.idle).toMap))
      }
    }

    it("counts a run of idle clocks when it ends, not while it is under way") {
      bank.run { dut =>
        val player = new Player(dut)
        def rest = Iterator.continually(Streams.all.map(_ -> StreamModel.idle).toMap)
        for (_ <- 0 until 700) player.clock(rest.next())
        shot(dut, player, rest)
        val stream = Streams.command
        assert(stream.idle.forall(c => shown(dut)(c) == 0))
        player.clock(rest.next() + (stream -> Clock(moves = false, waits = true)))
        shot(dut, player, rest)
        val seen = shown(dut)
        assert(stream.idle.map(seen) == Seq(0, 0, 0, 0, 1))
        assert(seen(stream.stalled) == 1 && seen(stream.active) == 0)
        assert((Streams.all.toSet - stream).forall(_.idle.forall(c => seen(c) == 0)))
      }
    }
  }
}
