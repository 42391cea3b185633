// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import scala.collection.mutable
import scala.util.Random
import tmu.{DeviceSpec, Seeds}
import tmu.params.TmuParams

class RowTableSpec extends DeviceSpec {
  import SearchOperation.{append, at, find, take, takeId}

  private val matchBits = 6
  private val sourceBits = 3
  private def params(lanes: Int, entries: Int): TmuParams = TmuParams(
    "rows",
    4,
    entries,
    entries,
    lanes,
    matchBits = matchBits,
    sourceBits = sourceBits,
    idBits = 8
  )
  private case class Shape(lanes: Int, entries: Int, receives: Boolean) {
    val p: TmuParams = params(lanes, entries)
    val t: TableParams = if (receives) TableParams.posted(p) else TableParams.unexpected(p)
    val table: Device[RowTable] = device(new RowTable(p, t))
    override def toString: String =
      s"$lanes lanes, $entries ${if (receives) "receives" else "messages"}"
  }
  private val small = Shape(2, 4, receives = true)
  private val narrow = Shape(4, 32, receives = false)
  private val wide = Shape(8, 32, receives = true)

  private case class Reply(hit: Boolean, slot: Int, visited: Int, clocks: Int)

  /** One table with the list that it must equal; slots are kept as handles. */
  private class Pair(dut: RowTable, shape: Shape, random: Random) {
    val model = new TableModel
    private val free = mutable.Queue.from(0 until shape.entries)
    private def rows(n: Int): Int = (n + shape.lanes - 1) / shape.lanes

    def key(): PlainKey = PlainKey.random(random, matchBits, sourceBits, 3)
    def mask(): PlainKey = PlainKey.mask(random, matchBits, sourceBits)

    private def poke(port: MatchKey, k: PlainKey): Unit = {
      port.bits.poke(k.bits)
      port.source.poke(k.source)
    }

    /** Gives a request as soon as the table takes it; the reply with its clocks. */
    private def ask(
        operation: SearchOperation.Type,
        e: PlainEntry,
        position: BigInt = 0
    ): Reply = {
      val in = dut.io.request.bits
      in.operation.poke(operation)
      in.endpoint.poke(e.endpoint)
      poke(in.key, e.key)
      poke(in.ignore, e.ignore)
      in.id.poke(e.id)
      in.slot.poke(e.handle)
      in.position.poke(position)
      dut.io.request.valid.poke(true)
      waitFor(dut, "acceptance")(dut.io.request.ready.isOn)
      dut.clock.step()
      dut.io.request.valid.poke(false)
      val clocks = 1 + waitFor(dut, "reply")(dut.io.reply.valid.isOn)
      val bits = dut.io.reply.bits
      Reply(bits.hit.isOn, bits.slot.value.toInt, bits.visited.value.toInt, clocks)
    }

    def add(e: PlainEntry): Unit = {
      val slot = free.dequeue()
      val reply = ask(append, e.copy(handle = slot))
      assert(!reply.hit && reply.visited == 0)
      assert(reply.clocks == 1, "documented: append answers after 1 clock")
      model.append(e.copy(handle = slot))
      assert(dut.io.count.value == model.size)
    }

    /** A search, checked against the list: the hit, what was visited, the documented clocks. */
    private def search(
        operation: SearchOperation.Type,
        e: PlainEntry,
        expected: Option[Int]
    ): Unit = {
      val n = rows(model.size)
      val reply = ask(operation, e)
      assert(reply.hit == expected.isDefined, s"$operation $e in ${model.entries}")
      expected match {
        case None =>
          assert(reply.visited == model.size)
          assert(reply.clocks == (if (n == 0) 1 else n + 3), s"a miss in $n rows")
        case Some(position) =>
          val row = position / shape.lanes
          assert(reply.slot == model.entries(position).handle, s"$operation $e: not the oldest")
          assert(reply.visited == position + 1)
          assert(reply.clocks == row + 4, s"a hit in row $row")
          if (operation != find) {
            free.enqueue(model.remove(position).handle.toInt)
            assert(dut.io.count.value == model.size, "gone from the moment of the reply")
            val busy = waitFor(dut, "end of rotation")(dut.io.request.ready.isOn)
            assert(busy == n - row + 1, s"documented: a take of row $row of $n keeps it busy")
          }
      }
      assert(dut.io.count.value == model.size)
    }

    def lookUp(operation: SearchOperation.Type, endpoint: Int, k: PlainKey, m: PlainKey): Unit =
      search(operation, PlainEntry(endpoint, k, m, 0), model.find(endpoint, k, m))
    def removeId(endpoint: Int, id: BigInt): Unit = search(
      takeId,
      PlainEntry(endpoint, key(), PlainKey.zero, id),
      model.findId(endpoint, id)
    )

    def read(position: BigInt): Unit = {
      val reply = ask(at, PlainEntry(0, PlainKey.zero, PlainKey.zero, 0), position)
      assert(reply.hit == position < model.size, s"position $position of ${model.size}")
      assert(reply.visited == 0)
      if (reply.hit) assert(reply.slot == model.entries(position.toInt).handle, s"at $position")
    }

    /** Every position holds what the list holds there: order kept, no holes. */
    def compareAll(): Unit = (0 to model.size).foreach(i => read(BigInt(i)))

    def entry(endpoint: Int, k: PlainKey): PlainEntry = PlainEntry(endpoint, k, PlainKey.zero, 0)

    def randomEntry(): PlainEntry = PlainEntry(
      random.nextInt(2),
      key(),
      if (shape.receives) mask() else PlainKey.zero,
      random.nextInt(40)
    )

    def randomStep(fillFirst: Boolean): Unit = random.nextInt(if (fillFirst) 14 else 24) match {
      case n if n < 10 && model.size < shape.entries => add(randomEntry())
      case n if n < 12                   => lookUp(find, random.nextInt(2), key(), mask())
      case n if n < 13                   => read(BigInt(random.nextInt(shape.entries + 4)))
      case n if n < 16 && shape.receives => removeId(random.nextInt(2), random.nextInt(40))
      case _                             => lookUp(take, random.nextInt(2), key(), mask())
    }
  }

  private def pair(shape: Shape, test: String)(body: Pair => Unit): Unit = {
    val random = Seeds.random(s"RowTable $shape: $test")
    shape.table.run(dut => body(new Pair(dut, shape, random)))
  }

  private val k = PlainKey(5, 2)
  private val other = PlainKey(6, 2)
  private val exact = PlainKey.zero

  describe("RowTable") {
    for (shape <- Seq(small, narrow, wide))
      it(s"R1, R3, R4, R10: equals a plain list in random operations ($shape)") {
        pair(shape, "random operations") { both =>
          for (i <- 0 until 500) {
            both.randomStep(fillFirst = i % 100 < 50)
            if (i % 100 == 99) both.compareAll()
          }
        }
      }

    it("R14: is empty after reset and misses at once") {
      pair(wide, "empty") { both =>
        both.lookUp(find, 0, k, PlainKey(63, 7))
        both.lookUp(take, 0, k, exact)
        both.removeId(0, 1)
        both.read(0)
      }
    }

    it("R3: takes the oldest of several matching entries, one after another in order") {
      pair(wide, "oldest") { both =>
        for (i <- 0 until 24) both.add(both.entry(0, if (i % 3 == 0) k else other))
        for (_ <- 0 until 9) both.lookUp(take, 0, k, exact)
        both.compareAll()
      }
    }

    it("R8: find leaves everything as it is") {
      pair(narrow, "find") { both =>
        for (_ <- 0 until 10) both.add(both.entry(1, k))
        for (_ <- 0 until 5) both.lookUp(find, 1, k, exact)
        both.compareAll()
      }
    }

    it("R13: an entry of another endpoint is neither found nor counted as a hit") {
      pair(narrow, "endpoints") { both =>
        for (i <- 0 until 12) both.add(both.entry(i % 3, k))
        both.lookUp(find, 3, k, PlainKey(63, 7))
        for (e <- Seq(2, 0, 1, 2)) both.lookUp(take, e, k, exact)
        both.compareAll()
      }
    }

    it("closes the hole wherever it is in a full table: first, last, and at each row's ends") {
      pair(wide, "holes") { both =>
        val ids = Iterator.from(0)
        for (hole <- Seq(31, 0, 7, 8, 15, 16, 24, 30)) {
          while (both.model.size < wide.entries)
            both.add(both.entry(0, other).copy(id = ids.next()))
          both.removeId(0, both.model.entries(hole).id)
          assert(both.model.size == wide.entries - 1)
          both.compareAll()
        }
      }
    }

    it("R10: takes receives by id in every position of a full table") {
      pair(wide, "ids") { both =>
        val order = new Random(1).shuffle((0 until wide.entries).toList)
        for (id <- 0 until wide.entries) both.add(both.entry(id % 2, k).copy(id = id))
        for (id <- order) {
          both.removeId(1 - id % 2, id)
          both.removeId(id % 2, id)
          both.compareAll()
        }
        assert(both.model.size == 0)
      }
    }

    it("is idle only when no request is accepted and unfinished") {
      pair(wide, "idle") { both =>
        for (_ <- 0 until 20) both.add(both.entry(0, k))
        both.lookUp(take, 0, k, exact)
      }
      wide.table.run { dut =>
        assert(dut.io.idle.isOn && dut.io.request.ready.isOn)
        dut.io.request.bits.operation.poke(append)
        dut.io.request.valid.poke(true)
        dut.clock.step()
        dut.io.request.valid.poke(false)
        assert(!dut.io.idle.isOn)
        dut.clock.step()
        assert(dut.io.idle.isOn)
      }
    }

    it("R11: an append to a full table stops the simulation") {
      val error = intercept[Exception] {
        small.table.run { dut =>
          dut.io.request.bits.operation.poke(append)
          dut.io.request.valid.poke(true)
          dut.clock.step(small.entries + 2)
          assert(dut.io.count.value <= small.entries)
        }
      }
      assert(error.getMessage.contains("R11: append to a full table"), error)
    }
  }
}
