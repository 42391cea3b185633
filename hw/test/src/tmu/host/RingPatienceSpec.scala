// SPDX-License-Identifier: Apache-2.0
package tmu.host

/** A ring that its owner does not read, and what becomes of it and of the others. */
class RingPatienceSpec extends CompletionWriterHost {
  describe("A full ring") {
    it("R13: a ring that stays full longer than its patience is disabled; the others go on") {
      test { (dut, host) =>
        for (patience <- Seq(1, 40)) {
          dut.io.patience.poke(patience)
          host.enable(1, 4)
          host.enable(2, 4)
          host.overruns = 0
          val before = host.data.size
          for (i <- 0 until 18) host.give(1, i)
          val start = host.clocks
          for (i <- 100 until 110) host.give(2, i)
          host.drain()
          assert(host.clocks - start < patience + 60)
          assert(host.overruns == 1, "counted once")
          val expected = (0 until 16) ++ (100 until 110)
          assert(host.handles.drop(before) == expected.map(BigInt(_)), "what had no room is gone")
          for (i <- 0 until 20) host.give(1, i)
          host.drain()
          assert(host.data.size == before + 26, "the page is disabled until it is configured")
        }
      }
    }

    it("R13: an owner that makes room for one completion at a time has no more patience for it") {
      test { (dut, host) =>
        dut.io.patience.poke(100)
        host.enable(1, 4)
        host.enable(2, 4)
        for (i <- 0 until 18) host.give(1, i)
        var read = 0
        val start = host.clocks
        while (host.overruns == 0) {
          assert(host.clocks - start < 300, "given up in time")
          for (_ <- 0 until 30) host.tick()
          read += 1
          host.consume(1, read)
          if (host.overruns == 0) host.offer(1, 17 + read)
        }
        host.drain()
        assert(host.overruns == 1)
        for (i <- 100 until 110) host.give(2, i)
        host.drain()
        assert(host.handles.takeRight(10) == (100 until 110).map(BigInt(_)))
      }
    }

    it("R11: waits for a full ring as long as its patience, and without one for ever") {
      test { (dut, host) =>
        for (patience <- Seq(60, 0)) {
          dut.io.patience.poke(patience)
          host.enable(1, 4)
          val before = host.data.size
          for (i <- 0 until 17) host.give(1, i)
          val rest = if (patience == 0) 1000 else patience - 10
          for (_ <- 0 until rest) host.tick()
          assert(host.data.size == before + 16)
          host.consume(1, 1)
          host.drain()
          assert(host.data.size == before + 17)
        }
        assert(host.overruns == 0)
      }
    }
  }
}
