// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import scala.util.Random
import tmu.{DeviceSpec, Seeds}
import tmu.params.TmuParams

class MatchQueueSpec extends DeviceSpec {
  import SearchOperation.{append, at, find, take, takeId}

  private val p = TmuParams(
    "queue",
    4,
    8,
    8,
    4,
    matchBits = 6,
    sourceBits = 3,
    handleBits = 16,
    addressBits = 20,
    lengthBits = 10,
    idBits = 8
  )
  private val receives = device(new MatchQueue(p, TableParams.posted(p)))
  private val messages = device(new MatchQueue(p, TableParams.unexpected(p)))

  private class Pair(dut: MatchQueue, random: Random, hasReceives: Boolean) {
    val model = new TableModel
    private def key() = PlainKey.random(random, p.matchBits, p.sourceBits, 3)
    private def mask() = PlainKey.mask(random, p.matchBits, p.sourceBits)

    def randomEntry(): PlainEntry = PlainEntry(
      random.nextInt(2),
      key(),
      if (hasReceives) mask() else PlainKey.zero,
      random.nextInt(20),
      BigInt(p.handleBits, random),
      BigInt(p.addressBits, random),
      BigInt(p.lengthBits, random)
    )

    private def ask(operation: SearchOperation.Type, e: PlainEntry, position: Int = 0): Int = {
      val in = dut.io.request.bits
      in.operation.poke(operation)
      in.id.poke(e.id)
      in.position.poke(position)
      in.entry.endpoint.poke(e.endpoint)
      in.entry.key.bits.poke(e.key.bits)
      in.entry.key.source.poke(e.key.source)
      in.entry.ignore.bits.poke(e.ignore.bits)
      in.entry.ignore.source.poke(e.ignore.source)
      in.entry.handle.poke(e.handle)
      in.entry.address.poke(e.address)
      in.entry.length.poke(e.length)
      dut.io.request.valid.poke(true)
      waitFor(dut, "acceptance")(dut.io.request.ready.isOn)
      dut.clock.step()
      dut.io.request.valid.poke(false)
      1 + waitFor(dut, "reply")(dut.io.reply.valid.isOn)
    }

    private def found(): PlainEntry = {
      val e = dut.io.reply.bits.entry
      PlainEntry(
        e.endpoint.value.toInt,
        PlainKey(e.key.bits.value, e.key.source.value),
        PlainKey(e.ignore.bits.value, e.ignore.source.value),
        0,
        e.handle.value,
        e.address.value,
        e.length.value
      )
    }

    def add(e: PlainEntry): Unit = {
      val clocks = ask(append, e)
      assert(clocks == 3, "documented: two clocks after the engine's reply")
      assert(!dut.io.reply.bits.hit.isOn)
      model.append(e)
      assert(dut.io.count.value == model.size)
    }

    private def expect(position: Option[Int], clue: String): Unit = {
      assert(dut.io.reply.bits.hit.isOn == position.isDefined, clue)
      position.foreach(i => assert(found() == model.entries(i).copy(id = 0), clue))
    }

    def step(): Unit = random.nextInt(10) match {
      case n if n < 5 && model.size < p.postedEntries => add(randomEntry())
      case 5                                          =>
        val e = randomEntry()
        ask(find, e)
        expect(model.find(e.endpoint, e.key, e.ignore), s"find $e")
      case 6 =>
        val position = random.nextInt(p.postedEntries + 1)
        ask(at, randomEntry(), position)
        expect(Some(position).filter(_ < model.size), s"at $position")
      case 7 if hasReceives =>
        val e = randomEntry()
        ask(takeId, e)
        val position = model.findId(e.endpoint, e.id)
        expect(position, s"takeId $e")
        position.foreach(model.remove)
      case _ =>
        val e = randomEntry()
        ask(take, e)
        val position = model.find(e.endpoint, e.key, e.ignore)
        expect(position, s"take $e")
        position.foreach(model.remove)
    }
  }

  describe("MatchQueue") {
    it("R3, R10, R15: receives come back whole and in order, through many laps of all slots") {
      val random = Seeds.random("MatchQueue receives")
      receives.run { dut =>
        val both = new Pair(dut, random, hasReceives = true)
        for (_ <- 0 until 400) both.step()
      }
    }

    it("R4, R8, R9, R15: messages come back whole and in order, through many laps of all slots") {
      val random = Seeds.random("MatchQueue messages")
      messages.run { dut =>
        val both = new Pair(dut, random, hasReceives = false)
        for (_ <- 0 until 400) both.step()
      }
    }

    it("R11: takes as many entries as the table has, also right after one has left") {
      val random = Seeds.random("MatchQueue full")
      messages.run { dut =>
        val both = new Pair(dut, random, hasReceives = false)
        for (_ <- 0 until p.unexpectedEntries) both.add(both.randomEntry())
        for (_ <- 0 until 30) {
          if (both.model.size == p.unexpectedEntries) both.step()
          else both.add(both.randomEntry())
        }
      }
    }

    it("is not idle before the reply, and takes one request at a time") {
      messages.run { dut =>
        assert(dut.io.idle.isOn)
        dut.io.request.bits.operation.poke(append)
        dut.io.request.valid.poke(true)
        dut.clock.step()
        for (_ <- 0 until 2) {
          assert(!dut.io.idle.isOn && !dut.io.request.ready.isOn && !dut.io.reply.valid.isOn)
          dut.clock.step()
        }
        assert(dut.io.reply.valid.isOn)
        dut.io.request.valid.poke(false)
        dut.clock.step()
        assert(dut.io.idle.isOn && !dut.io.reply.valid.isOn)
      }
    }
  }
}
