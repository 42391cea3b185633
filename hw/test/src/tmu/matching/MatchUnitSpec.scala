// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import scala.util.Random
import tmu.{DeviceSpec, Seeds}
import tmu.contract.{Code, Opcodes, Statuses}
import tmu.params.{Presets, TmuParams}

class MatchUnitSpec extends DeviceSpec {
  private class Preset(val p: TmuParams) {
    val unit: Device[MatchUnit] = device(new MatchUnit(p))
  }
  private val formal = new Preset(Presets.formal)
  private val tiny = new Preset(Presets.tiny)

  /** The unit beside the law; `pauses` lets verdicts wait at random. */
  private class Pair(dut: MatchUnit, p: TmuParams, random: Random, pauses: Boolean) {
    val law = new UnitModel(p.endpoints, p.postedEntries, p.unexpectedEntries)
    private val byValue = (Opcodes.all ++ Nil).map(c => c.value -> c).toMap
    private val statusByValue = Statuses.all.map(c => c.value -> c).toMap
    waitFor(dut, "the sweep")(dut.io.ready.isOn)

    private def poke(c: PlainCommand): Unit = {
      val in = dut.io.command.bits
      in.opcode.poke(c.opcode.value)
      in.malformed.poke(c.malformed)
      in.privileged.poke(c.privileged)
      in.page.poke(p.privilegedPage)
      in.endpoint.poke(c.endpoint)
      in.key.bits.poke(c.key.bits)
      in.key.source.poke(c.key.source)
      in.ignore.bits.poke(c.ignore.bits)
      in.ignore.source.poke(c.ignore.source)
      in.handle.poke(c.handle)
      in.address.poke(c.address)
      in.length.poke(c.length)
      in.id.poke(c.id)
      in.position.poke(c.position)
      in.inspectUnexpected.poke(c.inspectUnexpected)
      in.stamp.poke(c.handle & 0xff)
    }

    private def verdict(): PlainVerdict = {
      val v = dut.io.verdict.bits
      val status = statusByValue(v.status.value.toInt)
      PlainVerdict(
        byValue(v.opcode.value.toInt),
        status,
        v.endpoint.value.toInt,
        v.handle.value,
        v.serial.value,
        v.other.value,
        PlainKey(v.key.bits.value, v.key.source.value),
        if (status == Statuses.entry) PlainKey(v.ignore.bits.value, v.ignore.source.value)
        else PlainKey.zero,
        v.messageLength.value,
        v.receiveLength.value,
        v.address.value,
        v.truncated.isOn,
        v.unexpected.isOn
      )
    }

    private def take(c: PlainCommand): PlainVerdict = {
      dut.io.verdict.ready.poke(false)
      waitFor(dut, s"a verdict of $c")(dut.io.verdict.valid.isOn)
      val seen = verdict()
      assert(dut.io.verdict.bits.stamp.value == (c.handle & 0xff))
      assert(dut.io.verdict.bits.page.value == p.privilegedPage)
      if (pauses)
        for (_ <- 0 until random.nextInt(4)) {
          dut.clock.step()
          assert(dut.io.verdict.valid.isOn && verdict() == seen, "a waiting verdict stays")
          assert(!dut.io.command.ready.isOn, "no command overtakes a waiting verdict")
        }
      dut.io.verdict.ready.poke(true)
      dut.clock.step()
      dut.io.verdict.ready.poke(false)
      seen
    }

    /** Gives a command and compares each verdict with the law's. */
    def apply(c: PlainCommand): Seq[PlainVerdict] = {
      poke(c)
      dut.io.command.valid.poke(true)
      waitFor(dut, s"acceptance of $c")(dut.io.command.ready.isOn)
      dut.clock.step()
      dut.io.command.valid.poke(false)
      val expected = law(c)
      expected.foreach(v => assert(take(c) == v, s"answering $c"))
      expected
    }
    def statuses(c: PlainCommand): Seq[Code] = apply(c).map(_.status)

    /** Sets quotas, or asks only; the depths before. */
    def endpoint(e: Int, quotas: Option[(Int, Int)]): (Int, Int) = {
      dut.io.endpoint.bits.endpoint.poke(e)
      dut.io.endpoint.bits.setQuota.poke(quotas.isDefined)
      dut.io.endpoint.bits.quotaPosted.poke(quotas.fold(7)(_._1))
      dut.io.endpoint.bits.quotaUnexpected.poke(quotas.fold(7)(_._2))
      dut.io.endpoint.valid.poke(true)
      waitFor(dut, "the endpoint's turn")(dut.io.endpoint.ready.isOn)
      dut.clock.step()
      dut.io.endpoint.valid.poke(false)
      waitFor(dut, "the endpoint's state")(dut.io.endpointState.valid.isOn)
      val state = dut.io.endpointState.bits
      val depths = (state.posted.value.toInt, state.unexpected.value.toInt)
      dut.clock.step()
      quotas.foreach(law.quotas(e) = _)
      assert(depths == law.depths(e), s"depths of endpoint $e")
      depths
    }
  }

  private def freshId(r: Random, both: Pair, p: TmuParams, endpoint: Int): BigInt =
    Iterator
      .continually(BigInt(p.idBits, r))
      .find(id => id != p.idNone && both.law.posted.findId(endpoint, id).isEmpty)
      .get

  /** Commands that meet each other: few keys, many wildcards, some input that is refused. */
  private def randomCommand(r: Random, both: Pair, p: TmuParams, endpoints: Int): PlainCommand = {
    val opcode = r.nextInt(40) match {
      case n if n < 15 => Opcodes.post
      case n if n < 28 => Opcodes.arrive
      case n if n < 30 => Opcodes.probe
      case n if n < 32 => Opcodes.claim
      case n if n < 36 => Opcodes.cancel
      case n if n < 37 => Opcodes.flush
      case _           => Opcodes.inspect
    }
    val endpoint = if (r.nextInt(30) == 0) p.endpoints + r.nextInt(3) else r.nextInt(endpoints)
    val live = both.law.posted.entries.filter(_.endpoint == endpoint).map(_.id)
    val id = opcode match {
      case Opcodes.post                                        => freshId(r, both, p, endpoint)
      case Opcodes.cancel if live.nonEmpty && r.nextInt(4) > 0 => live(r.nextInt(live.size))
      case Opcodes.cancel                                      => BigInt(p.idBits, r)
      case _                                                   => BigInt(0)
    }
    val message = opcode == Opcodes.arrive
    PlainCommand(
      opcode,
      endpoint,
      PlainKey.random(r, p.matchBits, p.sourceBits, 4),
      if (message) PlainKey.zero else PlainKey.mask(r, p.matchBits, p.sourceBits),
      BigInt(p.handleBits, r),
      BigInt(p.addressBits, r),
      if (opcode == Opcodes.post || message) BigInt(p.lengthBits, r) else 0,
      id,
      position = r.nextInt(p.postedEntries + 2),
      inspectUnexpected = r.nextBoolean(),
      privileged = r.nextInt(4) > 0,
      malformed = r.nextInt(30) == 0
    )
  }

  private def test(preset: Preset, name: String, pauses: Boolean)(
      body: (Pair, Random) => Unit
  ): Unit = {
    val random = Seeds.random(s"MatchUnit ${preset.p.name}: $name")
    preset.unit.run(dut => body(new Pair(dut, preset.p, random, pauses), random))
  }
  private val key = PlainKey(0x123, 5)
  private val other = PlainKey(0x124, 5)
  private def post(e: Int, k: PlainKey, n: Int): PlainCommand =
    PlainCommand(Opcodes.post, e, k, handle = n, id = n, length = 100, address = 16 * n)
  private def arrive(e: Int, k: PlainKey, n: Int, length: Int = 100): PlainCommand =
    PlainCommand(Opcodes.arrive, e, k, handle = n, length = length, address = 32 * n)

  describe("MatchUnit") {
    it("R1-R15: answers random commands as the law does, tables full at times (formal)") {
      test(formal, "random", pauses = true) { (both, r) =>
        for (_ <- 0 until 900) both(randomCommand(r, both, formal.p, 2))
      }
    }

    it("R1-R15: answers random commands as the law does under changing quotas (tiny)") {
      test(tiny, "random", pauses = true) { (both, r) =>
        for (i <- 0 until 700) {
          if (r.nextInt(20) == 0)
            both.endpoint(r.nextInt(4), Some((r.nextInt(10), r.nextInt(10))))
          if (r.nextInt(20) == 0) both.endpoint(r.nextInt(4), None)
          // Long stretches at one endpoint fill it, others spread.
          both(randomCommand(r, both, tiny.p, if (i % 300 < 150) 1 else 4))
        }
      }
    }

    it("R3, R5, R6: arrivals take receives of one key in the order of their posts") {
      test(tiny, "order", pauses = false) { (both, _) =>
        for (n <- 1 to 9) assert(both.statuses(post(1, key, n)) == Seq(Statuses.queued))
        for (n <- 1 to 9) assert(both(arrive(1, key, n)).map(_.other) == Seq(BigInt(n)))
        assert(both.statuses(arrive(1, key, 10)) == Seq(Statuses.queued))
      }
    }

    it("R4: posts take messages of one key in the order of their arrivals") {
      test(tiny, "order", pauses = false) { (both, _) =>
        for (n <- 1 to 9) both(arrive(2, key, n))
        for (n <- 1 to 9) assert(both(post(2, key, n)).map(_.other) == Seq(BigInt(n)))
      }
    }

    it("R12: says truncated exactly when the message is longer than the receive") {
      test(tiny, "truncated", pauses = false) { (both, _) =>
        for ((length, truncated) <- Seq(99 -> false, 100 -> false, 101 -> true)) {
          both(post(0, key, 1))
          assert(both(arrive(0, key, 2, length)).map(_.truncated) == Seq(truncated))
          both(arrive(0, key, 3, length))
          assert(both(post(0, key, 4)).map(_.truncated) == Seq(truncated))
        }
      }
    }

    it("R10: cancels once; then, or after a match, it is too late") {
      test(tiny, "cancel", pauses = false) { (both, _) =>
        val cancel = PlainCommand(Opcodes.cancel, 0, handle = 50, id = 7)
        both(post(0, key, 7))
        assert(both.statuses(cancel.copy(endpoint = 1)) == Seq(Statuses.late))
        assert(both.statuses(cancel) == Seq(Statuses.cancelled))
        assert(both.statuses(cancel) == Seq(Statuses.late))
        both(post(0, key, 7))
        both(arrive(0, key, 1))
        assert(both.statuses(cancel) == Seq(Statuses.late))
      }
    }

    it("R11: a full table refuses posts and stalls arrivals, and matches all the same") {
      test(formal, "full", pauses = false) { (both, _) =>
        val (k, o) = (PlainKey(1, 1), PlainKey(2, 1))
        for (n <- 1 to 4) both(post(n % 2, k, n).copy(length = 1, address = n))
        for (n <- 1 to 4) both(arrive(n % 2, o, n, 1).copy(address = n))
        val more = post(0, k, 5).copy(length = 1, address = 5)
        val late = arrive(0, o, 5, 1).copy(address = 5)
        assert(both.statuses(more) == Seq(Statuses.refusedQuota))
        assert(both.statuses(late) == Seq(Statuses.stalled))
        assert(both.statuses(more.copy(key = o)) == Seq(Statuses.matched))
        assert(both.statuses(late) == Seq(Statuses.queued), "room again")
        assert(both.statuses(late.copy(key = k)) == Seq(Statuses.matched))
        assert(both.statuses(more) == Seq(Statuses.queued), "room again")
      }
    }

    it("R11, R13: a quota used up at one endpoint holds no other up") {
      test(tiny, "quota", pauses = false) { (both, _) =>
        both.endpoint(0, Some((2, 1)))
        for (n <- 1 to 2) assert(both.statuses(post(0, key, n)) == Seq(Statuses.queued))
        assert(both.statuses(post(0, key, 3)) == Seq(Statuses.refusedQuota))
        assert(both.statuses(arrive(0, other, 1)) == Seq(Statuses.queued))
        assert(both.statuses(arrive(0, other, 2)) == Seq(Statuses.stalled))
        assert(both.statuses(post(1, key, 4)) == Seq(Statuses.queued))
        assert(both.statuses(arrive(1, other, 3)) == Seq(Statuses.queued))
        assert(both.endpoint(0, None) == ((2, 1)))
      }
    }

    it("R14: a flush reports each removed entry once, oldest first, and counts both queues") {
      test(tiny, "flush", pauses = true) { (both, _) =>
        for (n <- 1 to 5) both(post(3, key, n))
        for (n <- 6 to 8) both(arrive(3, other, n))
        both(post(2, key, 9))
        val all = PlainKey((BigInt(1) << 64) - 1, BigInt("ffffffff", 16))
        val verdicts = both(PlainCommand(Opcodes.flush, 3, ignore = all, handle = 99))
        assert(verdicts.init.map(_.other) == (1 to 8).map(BigInt(_)))
        assert(verdicts.last.other == (BigInt(3) << 32 | 5))
        assert(both.endpoint(3, None) == ((0, 0)))
        assert(both.endpoint(2, None) == ((1, 0)))
      }
    }

    it("R14: a flush with a key removes only what it selects: one context of an endpoint") {
      test(tiny, "flush context", pauses = false) { (both, _) =>
        def in(context: Int, tag: Int) = PlainKey((BigInt(context) << 32) | tag, 1)
        for (n <- 1 to 6) both(post(0, in(n % 2, n), n))
        val mask = PlainKey(BigInt("ffffffff", 16), BigInt("ffffffff", 16))
        val flush = PlainCommand(Opcodes.flush, 0, in(1, 0), mask, handle = 1)
        assert(both(flush).init.map(_.other) == Seq(1, 3, 5).map(BigInt(_)))
      }
    }

    it("latency runs from acceptance to the verdict, waiting included, and stops at 65,535") {
      tiny.unit.run { dut =>
        waitFor(dut, "the sweep")(dut.io.ready.isOn)
        dut.io.command.bits.opcode.poke(Opcodes.probe.value)
        dut.io.command.bits.malformed.poke(false)
        dut.io.command.bits.endpoint.poke(0)
        dut.io.command.valid.poke(true)
        dut.clock.step()
        dut.io.command.valid.poke(false)
        val clocks = 1 + waitFor(dut, "the verdict")(dut.io.verdict.valid.isOn)
        assert(dut.io.verdict.bits.latency.value == clocks)
        dut.clock.step(100)
        assert(dut.io.verdict.bits.latency.value == clocks + 100)
        dut.clock.step(70000)
        assert(dut.io.verdict.bits.latency.value == 65535)
      }
    }
  }
}
