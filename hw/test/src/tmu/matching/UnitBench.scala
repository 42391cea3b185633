// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import scala.collection.mutable
import scala.util.Random
import tmu.DeviceSpec
import tmu.layout.{Code, Opcodes, Statuses}
import tmu.params.{TableParams, TmuParams}
import tmu.types.{MatchCommand, Verdict}

/** Drives a matching unit through both of its streams beside the law. */
trait UnitBench { this: DeviceSpec =>

  /** @param pauses
    *   of so many clocks, in one the verdicts are taken; 1 takes them always
    */
  protected class UnitPair(dut: MatchUnit, val p: TmuParams, random: Random, pauses: Int = 1) {
    private val positions = TableParams.posted(p).positions
    val law = new UnitModel(p.endpoints, p.postedEntries, p.unexpectedEntries, positions, p.idNone)
    private case class Due(stream: Int, allowed: Seq[PlainVerdict])
    private val due = mutable.Queue[Due]()
    private val opcodes = Opcodes.all.map(c => c.value -> c).toMap
    private val statuses = Statuses.all.map(c => c.value -> c).toMap
    private val ports = Seq(dut.io.post, dut.io.arrival)
    val seen: mutable.Buffer[PlainVerdict] = mutable.Buffer()
    val latencies: mutable.Buffer[Int] = mutable.Buffer()
    ports.foreach(_.valid.poke(false))
    dut.io.endpoint.valid.poke(false)
    // No memory is registered: tables refuse when they are full, and nothing is deferred.
    dut.io.spill.registered.poke(false)
    dut.io.windows.source.poke((BigInt(1) << p.sourceBits) - 1)
    dut.io.windows.low.poke((BigInt(1) << (p.matchBits / 2)) - 1)
    dut.io.windows.high.poke((BigInt(1) << p.matchBits) - (BigInt(1) << (p.matchBits / 2)))
    waitFor(dut, "the sweep")(dut.io.ready.isOn)

    def streamOf(c: PlainCommand): Int =
      if (Set(Opcodes.arrive, Opcodes.cancel)(c.opcode)) 1
      else if (c.opcode == Opcodes.inspect && !c.inspectUnexpected) 1
      else 0

    private def poke(in: MatchCommand, c: PlainCommand): Unit = {
      in.opcode.poke(c.opcode.value)
      in.malformed.poke(c.malformed)
      in.privileged.poke(c.privileged)
      val early = law.early(c)
      in.flushes.poke(c.opcode == Opcodes.flush && early.isEmpty)
      in.searches.poke(early.isEmpty)
      in.status.poke(early.fold(0)(_.value))
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

    private def plain(v: Verdict): PlainVerdict = {
      val status = statuses(v.status.value.toInt)
      assert(v.stamp.value == (v.handle.value & 0xff) && v.page.value == p.privilegedPage)
      PlainVerdict(
        opcodes(v.opcode.value.toInt),
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

    /** Log of accepted commands, with their clocks. */
    private val story = mutable.Buffer[String]()
    private var now = 0

    private def tell(c: PlainCommand): String =
      s"clock $now: ${c.opcode.name} at ${c.endpoint}, ${c.key} but ${c.ignore}, " +
        s"handle ${c.handle}, id ${c.id}, bad ${c.malformed}; " +
        s"receives ${law.posted.entries.map(_.handle)}, " +
        s"messages ${law.unexpected.entries.map(_.handle)}"

    private def expect(stream: Int, c: PlainCommand): Unit = law(c).foreach { v =>
      story += s"${tell(c)}: ${v.status.name} ${v.other}"
      val looks = v.status == Statuses.entry
      due += Due(stream, if (looks) law.sights(c) else Seq(v))
    }

    private def take(): Unit = {
      val slot = dut.io.verdicts.bits
      for ((port, stream) <- Seq(slot.post, slot.arrival).zipWithIndex if port.valid.isOn) {
        val verdict = plain(port.bits)
        assert(due.nonEmpty, s"nobody expects $verdict")
        val next = due.dequeue()
        if (!next.allowed.contains(verdict))
          fail(
            s"expected ${next.allowed}, found $verdict after\n${story.takeRight(30).mkString("\n")}"
          )
        // A flush's answers come through the stream of their queue.
        if (verdict.opcode != Opcodes.flush) assert(next.stream == stream, s"stream of $verdict")
        seen += verdict
        latencies += port.bits.latency.value.toInt
      }
    }

    /** One clock with these commands at the two ports; which of them were accepted. */
    def clock(commands: Seq[Option[PlainCommand]]): Seq[Boolean] = {
      for ((port, command) <- ports.zip(commands)) {
        port.valid.poke(command.isDefined)
        command.foreach(poke(port.bits, _))
      }
      val takes = random.nextInt(pauses) == 0
      dut.io.verdicts.ready.poke(takes)
      val accepted = ports.zip(commands).map { case (port, c) => c.isDefined && port.ready.isOn }
      for (((c, yes), stream) <- commands.zip(accepted).zipWithIndex if yes) expect(stream, c.get)
      if (takes && dut.io.verdicts.valid.isOn) take()
      assert(!dut.io.spill.deferred.valid.isOn, "R11: deferred, and no memory is registered")
      assert(!dut.io.spill.injected.valid.isOn, "nothing was injected")
      dut.clock.step()
      now += 1
      ports.foreach(_.valid.poke(false))
      accepted
    }

    /** Offers both commands from the same clock on, until both are accepted. */
    def slot(post: Option[PlainCommand], arrival: Option[PlainCommand]): Unit = {
      var left = Seq(post, arrival)
      for (clocks <- Iterator.from(0).takeWhile(_ => left.exists(_.isDefined))) {
        assert(clocks < 1000, s"nobody accepts $left")
        val accepted = clock(left)
        left = left.zip(accepted).map { case (c, yes) => c.filterNot(_ => yes) }
      }
    }
    def rest(clocks: Int): Unit = for (_ <- 0 until clocks) clock(Seq(None, None))

    /** Waits for the last answer. */
    def settle(): Unit = {
      for (clocks <- Iterator.from(0).takeWhile(_ => due.nonEmpty || !dut.io.idle.isOn)) {
        assert(clocks < 3000, s"the unit does not answer ${due.take(3)}")
        clock(Seq(None, None))
      }
    }

    /** One command alone; its verdicts. */
    def apply(c: PlainCommand): Seq[PlainVerdict] = {
      val before = seen.size
      if (streamOf(c) == 0) slot(Some(c), None) else slot(None, Some(c))
      settle()
      seen.drop(before).toSeq
    }
    def statuses(c: PlainCommand): Seq[Code] = apply(c).map(_.status)

    /** R3, R4: the positions of a queue show its entries, oldest first; then comes its end. */
    def walk(unexpected: Boolean): Unit = {
      settle()
      val table = if (unexpected) law.unexpected else law.posted
      val look = PlainCommand(Opcodes.inspect, 0, inspectUnexpected = unexpected)
      val before = seen.size
      for (index <- 0 to positions) {
        val c = look.copy(position = index)
        if (unexpected) slot(Some(c), None) else slot(None, Some(c))
      }
      settle()
      val shown = seen.drop(before)
      assert(shown.last.status == Statuses.empty)
      assert(shown.filter(_.status == Statuses.entry).map(_.other) == table.entries.map(_.handle))
      assert(shown.init.forall(_.status != Statuses.empty))
    }

    /** Sets quotas, or asks only; the depths before. */
    def endpoint(e: Int, quotas: Option[(Int, Int)]): (Int, Int) = {
      settle()
      dut.io.endpoint.bits.endpoint.poke(e)
      dut.io.endpoint.bits.setQuota.poke(quotas.isDefined)
      dut.io.endpoint.bits.quotaPosted.poke(quotas.fold(7)(_._1))
      dut.io.endpoint.bits.quotaUnexpected.poke(quotas.fold(7)(_._2))
      dut.io.endpoint.bits.reservePosted.poke(0)
      dut.io.endpoint.bits.reserveUnexpected.poke(0)
      dut.io.endpoint.valid.poke(true)
      waitFor(dut, "the endpoint's turn")(dut.io.endpoint.ready.isOn)
      dut.clock.step()
      dut.io.endpoint.valid.poke(false)
      waitFor(dut, "the endpoint's state")(dut.io.endpointState.valid.isOn)
      val state = dut.io.endpointState.bits
      val depths = (state.posted.value.toInt, state.unexpected.value.toInt)
      dut.clock.step()
      assert(depths == law.depths(e), s"depths of endpoint $e")
      quotas.foreach(law.quotas(e) = _)
      depths
    }
  }
}
