// SPDX-License-Identifier: Apache-2.0
package tmu.matching.array

import tmu.DeviceSpec
import tmu.matching.{PlainAsk, PlainEntry, TableModel, TablePokes}
import tmu.params.TableParams

/** Drives a match array beside a list, clock by clock. */
trait ArrayBench extends TablePokes { this: DeviceSpec =>
  protected class ArrayPair(dut: MatchArray, t: TableParams) {
    val law = new TableModel
    private var pending = Vector.fill[Option[PlainAsk]](t.walk)(None)
    private var slotDue: Option[BigInt] = None

    /** Answers that were an entry, and those that were one that came in the clock before. */
    var hits = 0
    var hitsIncoming = 0
    var mostHeld = 0
    private var justAppended: Option[BigInt] = None

    // Operations that a reset finds in flight through the rows leave them first: the unit's own
    // sweep takes longer than that.
    dut.io.ask.searches.poke(false)
    dut.io.append.valid.poke(false)
    dut.clock.step(t.walk + 1)

    /** One clock: an operation may start, an entry may be appended; the one at its end is checked.
      */
    def clock(ask: Option[PlainAsk] = None, append: Option[PlainEntry] = None): Unit = {
      dut.io.ask.searches.poke(ask.isDefined)
      ask.foreach(pokeAsk(dut.io.ask, _))
      dut.io.append.valid.poke(append.isDefined)
      append.foreach(pokeLane(dut.io.append.bits, _))
      slotDue.foreach(s => assert(dut.io.lane.slot.value == s, "slot of what was found"))
      pending = pending :+ ask
      val atEnd = pending.head
      pending = pending.tail
      val position = atEnd.flatMap { a =>
        a.id.fold(law.find(a.endpoint, a.key, a.ignore))(law.findId(a.endpoint, _))
      }
      assert(dut.io.found.isOn == position.isDefined, s"$atEnd in ${law.entries}")
      val entry = position.map(at => if (atEnd.get.takes) law.remove(at) else law.entries(at))
      slotDue = entry.map(_.handle)
      hits += entry.size
      if (entry.isDefined && slotDue == justAppended) hitsIncoming += 1
      append.foreach(law.append)
      mostHeld = mostHeld.max(law.size)
      justAppended = append.map(_.handle)
      dut.clock.step()
    }
    def rest(clocks: Int = t.walk + 2): Unit = for (_ <- 0 until clocks) clock()

    /** The entries that the positions show, oldest first. */
    def walk(): Seq[BigInt] = {
      rest()
      val port = dut.io.ask
      (0 until t.arrayEntries).flatMap { position =>
        port.searches.poke(true)
        port.takes.poke(false)
        port.byPosition.poke(true)
        port.byId.foreach(_.poke(false))
        port.position.poke(position)
        dut.clock.step()
        port.searches.poke(false)
        dut.clock.step(t.walk - 1)
        val found = dut.io.found.isOn
        dut.clock.step()
        Option.when(found)(dut.io.lane.slot.value)
      }
    }
    def checkWalk(): Unit = assert(walk() == law.entries.map(_.handle), "order of positions")
  }
}
