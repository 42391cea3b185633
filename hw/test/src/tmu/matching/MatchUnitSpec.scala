// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import scala.util.Random
import tmu.{DeviceSpec, Seeds}
import tmu.layout.{Opcodes, Statuses}
import tmu.params.{Presets, TableParams, TmuParams}

class MatchUnitSpec extends DeviceSpec with UnitBench {
  private class Made(val p: TmuParams) {
    val unit: Device[MatchUnit] = device(new MatchUnit(p))
  }
  private val formal = new Made(Presets.formal)

  /** Queues that go on beyond their arrays. */
  private val deep =
    new Made(TmuParams("deep", 4, 16, 16, 8, 4, 4, 8, 4, 4, 4, 16, 8, 8, idBits = 6))

  private def test(made: Made, name: String, pauses: Int = 1)(
      body: (UnitPair, Random) => Unit
  ): Unit = {
    val random = Seeds.random(s"MatchUnit ${made.p.name}: $name")
    made.unit.run(dut => body(new UnitPair(dut, made.p, random, pauses), random))
  }

  /** A command of a stream: few keys, many wildcards, some input that is refused. */
  private def command(r: Random, pair: UnitPair, stream: Int, endpoints: Int): PlainCommand = {
    val p = pair.p
    val opcode = (stream, r.nextInt(40)) match {
      case (0, n) if n < 28 => Opcodes.post
      case (0, n) if n < 31 => Opcodes.probe
      case (0, n) if n < 37 => Opcodes.claim
      case (0, n) if n < 38 => Opcodes.flush
      case (1, n) if n < 30 => Opcodes.arrive
      case (1, n) if n < 38 => Opcodes.cancel
      case _                => Opcodes.inspect
    }
    val endpoint = if (r.nextInt(30) == 0) p.endpoints + r.nextInt(3) else r.nextInt(endpoints)
    val live = pair.law.posted.entries.filter(_.endpoint == endpoint).map(_.id)
    val id = opcode match {
      case Opcodes.post =>
        Iterator.continually(BigInt(p.idBits, r)).find(n => n != p.idNone && !live.contains(n)).get
      case Opcodes.cancel if live.nonEmpty && r.nextInt(4) > 0 => live(r.nextInt(live.size))
      case Opcodes.cancel                                      => BigInt(p.idBits, r)
      case _                                                   => BigInt(0)
    }
    val message = opcode == Opcodes.arrive
    PlainCommand(
      opcode,
      endpoint,
      PlainKey.random(r, p.matchBits, p.sourceBits, 3),
      if (message) PlainKey.zero else PlainKey.mask(r, p.matchBits, p.sourceBits),
      BigInt(p.handleBits, r),
      BigInt(p.addressBits, r),
      if (opcode == Opcodes.post || message) BigInt(p.lengthBits, r) else 0,
      id,
      position = r.nextInt(p.postedEntries + 2),
      inspectUnexpected = stream == 0,
      privileged = r.nextInt(4) > 0,
      malformed = stream == 0 && r.nextInt(30) == 0
    )
  }

  /** Both streams at random, each with pauses of its own. */
  private def both(pair: UnitPair, r: Random, clocks: Int, endpoints: Int): Unit = {
    var waiting = Seq.fill(2)(Option.empty[PlainCommand])
    for (i <- 0 until clocks) {
      val shares = Seq((8, 8), (8, 2), (2, 8), (8, 8))(i / 50 % 4)
      waiting = waiting.zipWithIndex.map { case (c, stream) =>
        val share = if (stream == 0) shares._1 else shares._2
        c.orElse(Option.when(r.nextInt(8) < share)(command(r, pair, stream, endpoints)))
      }
      val accepted = pair.clock(waiting)
      waiting = waiting.zip(accepted).map { case (c, yes) => c.filterNot(_ => yes) }
    }
    waiting.flatten.foreach(c => pair(c))
    pair.walk(unexpected = false)
    pair.walk(unexpected = true)
    for (e <- 0 until pair.p.endpoints) pair.endpoint(e, None)
  }

  private def post(e: Int, key: Int, n: Int): PlainCommand = PlainCommand(
    Opcodes.post,
    e,
    PlainKey(key, 1),
    handle = n,
    id = n,
    length = 4,
    address = 15 - n % 16
  )
  private def arrive(e: Int, key: Int, n: Int, length: Int = 4): PlainCommand =
    PlainCommand(Opcodes.arrive, e, PlainKey(key, 1), handle = n, length = length, address = n % 16)
  private def everything(p: TmuParams) =
    PlainKey((BigInt(1) << p.matchBits) - 1, (BigInt(1) << p.sourceBits) - 1)

  describe("MatchUnit") {
    for (made <- Seq(formal, deep); pauses <- Seq(1, 4))
      it(
        s"R1-R15: both streams at once at random as the law does: ${made.p.name}, 1/$pauses taken"
      ) {
        test(made, "random", pauses) { (pair, r) =>
          for (_ <- 0 until 3) both(pair, r, 250, made.p.endpoints)
        }
      }

    it("R11: both streams at the edge of quotas that change") {
      for (made <- Seq(formal, deep)) test(made, "quotas") { (pair, r) =>
        for (_ <- 0 until 4) {
          for (e <- 0 until 2) pair.endpoint(e, Some((r.nextInt(4), r.nextInt(4))))
          both(pair, r, 100, 1)
        }
      }
    }

    it("R5, R6, R7: a post and its message meet at every distance, whichever comes first") {
      for (made <- Seq(formal, deep)) test(made, "race") { (pair, _) =>
        var n = 0
        val probe = PlainCommand(Opcodes.probe, 0, PlainKey(1, 1), handle = 7)
        for (distance <- 0 to 9; postFirst <- Seq(true, false); followed <- Seq(false, true)) {
          n += 1
          val (p, a) = (post(0, 1, n % 8), arrive(0, 1, n % 8))
          if (distance == 0) pair.slot(Some(p), Some(a))
          else {
            if (postFirst) pair.slot(Some(p), None) else pair.slot(None, Some(a))
            pair.rest(distance - 1)
            if (postFirst) pair.slot(None, Some(a)) else pair.slot(Some(p), None)
          }
          // Close behind come those that must find nothing any more.
          if (followed) pair.slot(Some(probe), Some(PlainCommand(Opcodes.cancel, 0, id = n % 8)))
          pair.settle()
          assert(pair.seen.count(_.status == Statuses.matched) == n, s"at distance $distance")
          assert(pair.law.posted.size == 0 && pair.law.unexpected.size == 0)
        }
      }
    }

    it("R3, R4, R7: equal keys in every clock and both streams") {
      for (made <- Seq(formal, deep)) test(made, "equal keys") { (pair, _) =>
        for (n <- 0 until 40) pair.slot(Some(post(n / 8 % 2, 1, n % 8)), Some(arrive(0, 1, n % 8)))
        pair.settle()
        for (n <- 0 until 20) pair.slot(None, Some(arrive(1, 1, n % 8)))
        for (n <- 0 until 20) pair.slot(Some(post(n % 2, 1, n % 8)), None)
        pair.settle()
      }
    }

    it("R5, R6, R10: in one slot a post is queued and its arrival or its cancel takes it at once") {
      for (made <- Seq(formal, deep)) test(made, "pairs") { (pair, _) =>
        pair(post(0, 2, 6))
        pair.slot(Some(post(0, 1, 3)), Some(arrive(0, 1, 4, length = 5)))
        pair.slot(Some(post(0, 1, 5)), Some(PlainCommand(Opcodes.cancel, 0, handle = 9, id = 5)))
        pair.slot(Some(post(0, 2, 7)), Some(arrive(0, 2, 1)))
        pair.settle()
        import Statuses._
        val expected = Seq(queued, queued, matched, queued, cancelled, queued, matched)
        assert(pair.seen.map(_.status) == expected)
        assert(pair.seen(2).other == 3 && pair.seen(2).truncated && pair.seen(4).other == 5)
        assert(pair.seen(6).other == 6, "R3: the older receive")
        assert(pair.seen.map(_.serial) == expected.indices.map(BigInt(_)), "R7")
      }
    }

    it("R12: says truncated exactly when the message is longer than the receive") {
      test(deep, "truncated") { (pair, _) =>
        for ((length, truncated) <- Seq(3 -> false, 4 -> false, 5 -> true)) {
          pair(post(0, 1, 1))
          assert(pair(arrive(0, 1, 2, length)).map(_.truncated) == Seq(truncated))
          pair(arrive(0, 1, 3, length))
          assert(pair(post(0, 1, 4)).map(_.truncated) == Seq(truncated))
        }
      }
    }

    it("R10: a cancel that names no id is too late, also when a receive without one is there") {
      test(deep, "cancel without an id") { (pair, _) =>
        val none = pair.p.idNone
        val cancel = PlainCommand(Opcodes.cancel, 0, handle = 50, id = none)
        assert(pair.statuses(post(0, 1, 5).copy(id = none)) == Seq(Statuses.queued))
        assert(pair.statuses(cancel) == Seq(Statuses.late))
        pair.slot(Some(post(0, 2, 6).copy(id = none)), Some(cancel))
        val answers = Seq(Statuses.queued, Statuses.late, Statuses.matched)
        assert(pair.statuses(arrive(0, 1, 7)) == answers)
        assert(pair.statuses(arrive(0, 2, 8)) == Seq(Statuses.matched))
      }
    }

    it("R10: cancels once; then, or after a match, it is too late") {
      test(deep, "cancel") { (pair, _) =>
        val cancel = PlainCommand(Opcodes.cancel, 0, handle = 50, id = 7)
        pair(post(0, 1, 7))
        assert(pair.statuses(cancel.copy(endpoint = 1)) == Seq(Statuses.late))
        assert(pair.statuses(cancel) == Seq(Statuses.cancelled))
        assert(pair.statuses(cancel) == Seq(Statuses.late))
        pair(post(0, 1, 7))
        pair(arrive(0, 1, 1))
        assert(pair.statuses(cancel) == Seq(Statuses.late))
      }
    }

    it("R11: a full table refuses posts and stalls arrivals, and matches all the same") {
      for (made <- Seq(formal, deep)) test(made, "full") { (pair, _) =>
        val full = made.p.postedEntries
        for (n <- 0 until full)
          pair.slot(Some(post(n % 2, 1, n % 16)), Some(arrive(n % 2, 2, n % 16)))
        assert(pair.law.posted.size == full && pair.law.unexpected.size == full)
        pair.slot(Some(post(0, 1, 5)), Some(arrive(0, 2, 5)))
        // The post of a slot makes the room that its arrival needs; not the other way round.
        pair.slot(Some(post(0, 2, 5)), Some(arrive(0, 2, 6)))
        pair.slot(Some(post(0, 1, 6)), Some(arrive(0, 1, 6)))
        pair.slot(Some(post(0, 1, 7)), Some(arrive(1, 2, 6)))
        pair.settle()
        import Statuses._
        val last = pair.seen.takeRight(8).map(_.status)
        assert(
          last == Seq(
            refusedQuota,
            stalled,
            matched,
            queued,
            refusedQuota,
            matched,
            queued,
            stalled
          )
        )
        pair.walk(unexpected = false)
        pair.walk(unexpected = true)
      }
    }

    it("R11: entries beyond the arrays keep their order while the arrays empty and fill") {
      test(deep, "beyond") { (pair, r) =>
        for (round <- 0 until 3) {
          for (n <- 0 until 16) pair(post(n % 2, n, n))
          pair.walk(unexpected = false)
          for (n <- r.shuffle((0 until 16).toList).take(10))
            pair(PlainCommand(Opcodes.cancel, n % 2, handle = n, id = n))
          pair.walk(unexpected = false)
          for (n <- 0 until 8) pair(post(3, n, 20 + n + 8 * round))
          pair.walk(unexpected = false)
          for (e <- 0 until 4) pair(PlainCommand(Opcodes.flush, e, ignore = everything(deep.p)))
          assert(pair.law.posted.size == 0)
        }
      }
    }

    it("R14: a flush with traffic waiting behind it reports each removed entry once") {
      for (made <- Seq(formal, deep)) test(made, "flush", pauses = 2) { (pair, _) =>
        val all = everything(made.p)
        val full = made.p.postedEntries
        for (n <- 0 until full) pair.slot(Some(post(n % 2, 1, n)), Some(arrive(n % 2, 2, n)))
        pair.slot(
          Some(PlainCommand(Opcodes.flush, 1, ignore = all, handle = 9)),
          Some(arrive(1, 1, 3))
        )
        pair.slot(Some(post(1, 1, 1)), Some(arrive(1, 1, 4)))
        pair.settle()
        val removed = pair.seen.filter(_.status == Statuses.removed)
        assert(
          removed.size >= full - 1 && removed.map(v => (v.unexpected, v.other)).distinct == removed
            .map(v => (v.unexpected, v.other))
        )
        pair.walk(unexpected = false)
        pair.walk(unexpected = true)
      }
    }

    it("R14: a flush with a key removes only what it selects") {
      test(deep, "flush context") { (pair, _) =>
        for (n <- 1 to 6) pair(post(0, (n % 2) * 16 + n, n))
        val flush = PlainCommand(Opcodes.flush, 0, PlainKey(16, 0), PlainKey(15, 15), handle = 1)
        assert(pair(flush).init.map(_.other) == Seq(1, 3, 5).map(BigInt(_)))
      }
    }

    it("takes a slot in every clock, and its latency is always the walk and a little more") {
      test(formal, "rate") { (pair, _) =>
        for (n <- 0 until 60)
          assert(
            pair.clock(Seq(Some(post(0, 1, n % 8)), Some(arrive(0, 1, n % 8)))).forall(identity)
          )
        pair.settle()
        assert(pair.latencies.distinct == Seq(TableParams.posted(formal.p).walk + 4))
      }
    }
  }
}
