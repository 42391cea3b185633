// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import scala.collection.mutable
import scala.util.Random
import tmu.layout.{Code, Opcodes, Statuses}
import tmu.{Seeds, Traffic}

class SpillEngineSpec extends SpillSpec {
  private val engine = device(new SpillEngine(s))
  private val endpoint = 2

  private case class Job(opcode: Code, bits: Int, ignore: Int, id: Int, handle: Int, left: Int)

  /** A verdict: its status, the command's handle, and that of the entry, or the counts. */
  private case class Answer(status: Code, handle: Int, other: BigInt)

  /** Both lists of the endpoint, and what the parts that work on them answer, after a while. */
  private class Bench(dut: SpillEngine, random: Random) {
    private val io = dut.io
    val lists = Seq.fill(2)(mutable.Buffer[Plain]()) // receives, messages
    private var read = 0
    private var edit = Option.empty[Int]
    private val hits = mutable.Queue[Option[Plain]]()
    private val injected = mutable.Queue[Boolean]()
    val answers = mutable.Buffer[Answer]()
    val moved = mutable.Buffer[Int]()
    var room = 0 // of the table, for what returns to it
    var released = false
    private def coin = random.nextInt(3) > 0

    Seq(io.deferred.valid, io.failed, io.discard, io.edited.valid, io.hit.valid, io.refused)
      .foreach(_.poke(false))
    Seq(io.packed, io.waits, io.service.valid, io.precedes, io.looks, io.injected.valid)
      .foreach(_.poke(false))
    io.counts.foreach(_.poke(0))
    io.now.poke(0)
    io.lists.done.poke(0)

    private def queue = lists(if (io.lists.at.unexpected.isOn) 1 else 0)

    private def searched(): Unit = {
      val ask = io.range.bits.ask
      val (bits, ignore) = (ask.key.bits.value.toInt, ask.ignore.bits.value.toInt)
      val id = Option.when(ask.byId.isOn)(ask.id.value.toInt)
      assert(ask.endpoint.value == endpoint)
      val all = queue.filter(e => id.fold(((e.bits ^ bits) & ~ignore) == 0)(_ == e.id)).toSeq
      val sweeps = io.range.bits.sweeps.isOn
      hits ++= (if (sweeps) all else all.take(1)).map(Option(_))
      if (sweeps || all.isEmpty) hits += None
    }

    private def show(hit: Option[Plain]): Unit = {
      io.hit.bits.found.poke(hit.isDefined)
      for (e <- hit) {
        io.hit.bits.at.chunk.chunk.poke(e.handle >> 5)
        io.hit.bits.at.slot.poke(e.handle & 31)
        io.hit.bits.entry.handle.poke(e.handle)
        io.hit.bits.entry.endpoint.poke(e.endpoint)
        io.hit.bits.entry.id.poke(e.id)
        io.hit.bits.entry.key.bits.poke(e.bits)
      }
    }

    /** A change of the list that the engine works on, seen by it in this clock. */
    private def edited(count: Option[Int]): Unit = {
      io.edited.valid.poke(count.isDefined)
      count.foreach(io.edited.bits.count.poke(_))
    }

    def tick(): Unit = {
      io.lists.list.count.poke(lists(read).size)
      val appends = io.append.valid.isOn && coin
      io.append.ready.poke(appends)
      if (appends) {
        val e = io.append.bits.entry
        queue += Plain(
          e.endpoint.value.toInt,
          e.key.bits.value.toInt,
          e.key.source.value.toInt,
          e.id.value.toInt,
          e.handle.value.toInt
        )
      }
      edited(if (appends) Some(queue.size) else edit)
      edit = None
      io.range.ready.poke(coin)
      io.verdict.ready.poke(coin)
      io.inject.ready.poke(coin)
      io.hit.valid.poke(hits.nonEmpty && coin)
      hits.headOption.foreach(show)
      val answer = Option.when(injected.nonEmpty && coin)(injected.dequeue())
      io.injected.valid.poke(answer.isDefined)
      io.injected.bits.found.poke(false)
      answer.foreach(io.injected.bits.done.poke(_))
      io.remove.ready.poke(coin)
      if (io.hit.valid.isOn && io.hit.ready.isOn) hits.dequeue()
      if (io.stop.isOn) hits.clear()
      if (io.range.valid.isOn && io.range.ready.isOn) searched()
      if (io.remove.valid.isOn && io.remove.ready.isOn) {
        val at = io.remove.bits
        val handle = at.chunk.chunk.value.toInt << 5 | at.slot.value.toInt
        assert(queue.exists(_.handle == handle), s"entry $handle is not in the list")
        queue --= queue.filter(_.handle == handle)
        if (io.refilling.isOn) moved += handle
        edit = Some(queue.size)
      }
      if (io.inject.valid.isOn && io.inject.ready.isOn) {
        val releases = io.inject.bits.command.spill.releases.isOn
        injected += (releases || room > 0)
        if (!releases && room > 0) room -= 1
      }
      if (io.released.valid.isOn) released = true
      if (io.verdict.valid.isOn && io.verdict.ready.isOn) {
        val v = io.verdict.bits
        val status = Statuses.all.find(_.value == v.status.value.toInt).get
        answers += Answer(status, v.handle.value.toInt, v.other.value)
      }
      read = if (io.lists.read.unexpected.isOn) 1 else 0
      if (io.lists.write.valid.isOn) {
        val write = io.lists.write.bits
        assert(write.list.count.value == lists(if (write.at.unexpected.isOn) 1 else 0).size)
      }
      dut.clock.step()
    }

    def defer(job: Job, serial: Int): Unit = {
      val (deferred, op) = (io.deferred.bits, io.deferred.bits.operation)
      deferred.serial.poke(serial)
      deferred.allowance.unlimited.poke(job.left < 0)
      deferred.allowance.left.poke(math.max(job.left, 0))
      deferred.removed.foreach(_.poke(0))
      op.takes.poke(job.opcode != Opcodes.probe)
      op.appends.poke(Seq(Opcodes.post, Opcodes.arrive).contains(job.opcode))
      op.serial.poke(true)
      op.command.opcode.poke(job.opcode.value)
      op.command.endpoint.poke(endpoint)
      op.command.key.bits.poke(job.bits)
      op.command.ignore.bits.poke(job.ignore)
      op.command.id.poke(job.id)
      op.command.handle.poke(job.handle)
      io.deferred.valid.poke(true)
      for (n <- Iterator.from(0).takeWhile(_ => !io.deferred.ready.isOn)) {
        assert(n < 2000, s"$job is not taken")
        tick()
      }
      tick()
      io.deferred.valid.poke(false)
    }

    def rest(): Unit = for (n <- Iterator.from(0).takeWhile(_ => !io.idle.isOn)) {
      assert(n < 2000, "the engine does not come to rest")
      tick()
    }

    /** Serves the endpoint once, while nothing is deferred. */
    def serve(): Unit = {
      io.service.bits.poke(endpoint)
      io.service.valid.poke(true)
      for (n <- Iterator.from(0).takeWhile(_ => !io.service.ready.isOn)) {
        assert(n < 100, "the endpoint is not served")
        tick()
      }
      tick()
      io.service.valid.poke(false)
      rest()
    }
    def fail(): Unit = io.failed.poke(true)
  }

  /** The law of one endpoint (R1 to R14), on lists of its own. */
  private class Law {
    val lists: Seq[mutable.Buffer[Plain]] = Seq.fill(2)(mutable.Buffer[Plain]())

    def apply(job: Job): Seq[Answer] = {
      def wanted(e: Plain) =
        if (job.opcode == Opcodes.cancel) e.id == job.id
        else ((e.bits ^ job.bits) & ~job.ignore) == 0
      def answer(status: Code, other: BigInt = 0) = Seq(Answer(status, job.handle, other))
      val onReceives = job.opcode == Opcodes.arrive || job.opcode == Opcodes.cancel
      val (searched, own) = if (onReceives) (lists(0), lists(1)) else (lists(1), lists(0))
      val hit = searched.find(wanted)
      def append(refusal: Code) = if (job.left >= 0 && job.left <= own.size) answer(refusal)
      else {
        val id = if (job.opcode == Opcodes.post) job.id else p.idNone.toInt
        own += Plain(endpoint, job.bits, 0, id, job.handle)
        answer(Statuses.queued)
      }
      def take(status: Code) = answer(status, { searched -= hit.get; hit.get.handle })
      job.opcode match {
        case Opcodes.flush =>
          val gone = lists.map(_.filter(wanted).toSeq)
          gone.zip(lists).foreach { case (entries, list) => list --= entries }
          gone.flatten.flatMap(e => answer(Statuses.removed, e.handle)) ++
            answer(Statuses.flushed, BigInt(gone(1).size) << 32 | gone(0).size)
        case Opcodes.probe if hit.isDefined  => answer(Statuses.found, hit.get.handle)
        case Opcodes.cancel if hit.isDefined => take(Statuses.cancelled)
        case _ if hit.isDefined              => take(Statuses.matched)
        case Opcodes.post                    => append(Statuses.refusedQuota)
        case Opcodes.arrive                  => append(Statuses.stalled)
        case Opcodes.cancel                  => answer(Statuses.late)
        case _                               => answer(Statuses.none)
      }
    }
  }

  private def job(random: Random, handle: Int): Job = {
    val opcodes = Seq.fill(4)(Seq(Opcodes.post, Opcodes.arrive)).flatten ++
      Seq(Opcodes.probe, Opcodes.claim, Opcodes.cancel, Opcodes.flush)
    val opcode = opcodes(random.nextInt(opcodes.size))
    val appends = opcode == Opcodes.post || opcode == Opcodes.arrive
    val ignore = if (appends || random.nextBoolean()) 0 else 3
    val left = if (random.nextInt(3) == 0) random.nextInt(4) else -1
    Job(opcode, random.nextInt(8), ignore, random.nextInt(64), handle, left)
  }

  describe("SpillEngine") {
    it("R5, R6, R7, R11, R14: answers deferred commands in their order, as the law does") {
      val random = Seeds.random("SpillEngine")
      engine.run { dut =>
        val (bench, law) = (new Bench(dut, random), new Law)
        val seen = mutable.Set[Code]()
        val all = Seq(Statuses.matched, Statuses.queued, Statuses.found, Statuses.removed) ++
          Seq(Statuses.flushed, Statuses.refusedQuota, Statuses.stalled, Statuses.none)
        for (n <- Traffic.until(200)(all.forall(seen))) {
          val next = job(random, n + 1)
          bench.defer(next, n)
          bench.rest()
          assert(bench.answers.toSeq == law(next), s"command $n: $next")
          assert(bench.lists == law.lists, s"behind command $n: $next")
          seen ++= bench.answers.map(_.status)
          bench.answers.clear()
        }
        assert(all.forall(seen), all.filterNot(seen))
      }
    }

    it("R3, R11: a service moves the oldest that have room, and releases what has nothing left") {
      val random = Seeds.random("SpillEngine service")
      engine.run { dut =>
        val bench = new Bench(dut, random)
        for (n <- 1 to 6) bench.lists(n % 2) += Plain(endpoint, n, 0, n, n)
        bench.room = 2
        bench.serve()
        assert(bench.moved.size <= 2 && !bench.released)
        bench.room = 100
        for (_ <- 0 until 8 if !bench.released) bench.serve()
        assert(bench.released && bench.lists.forall(_.isEmpty))
        for (q <- 0 to 1) assert(bench.moved.filter(_ % 2 == q) == (1 to 6).filter(_ % 2 == q))
        assert(bench.answers.isEmpty)
      }
    }

    it("R13: once memory has failed every command is told so, and no list changes") {
      val random = Seeds.random("SpillEngine failed")
      engine.run { dut =>
        val bench = new Bench(dut, random)
        for (n <- 1 to 4) bench.lists(n % 2) += Plain(endpoint, n, 0, n, n)
        bench.fail()
        for (n <- 1 to 12) bench.defer(job(random, 100 + n), n)
        bench.rest()
        assert(bench.answers.toSeq == (1 to 12).map(n => Answer(Statuses.spillFailed, 100 + n, 0)))
        assert(bench.lists.map(_.size) == Seq(2, 2))
      }
    }
  }
}
