// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import tmu.DeviceSpec

/** What is asked of an array, as plain numbers. */
case class PlainAsk(
    endpoint: Int,
    key: PlainKey,
    ignore: PlainKey = PlainKey.zero,
    takes: Boolean = true,
    id: Option[BigInt] = None
)

/** Drives a match array beside a list, clock by clock. */
trait ArrayBench { this: DeviceSpec =>
  protected class ArrayPair(dut: MatchArray, t: TableParams) {
    val law = new TableModel
    private var pending = Vector.fill[Option[PlainAsk]](t.walk)(None)
    private var slotDue: Option[BigInt] = None

    /** How often an answer was an entry, and how often one that came in the clock before. */
    var hits = 0
    var hitsIncoming = 0
    var mostHeld = 0
    private var justAppended: Option[BigInt] = None

    // What a reset finds on its way through the rows goes out of them first: the unit's own sweep
    // takes longer than that.
    dut.io.ask.searches.poke(false)
    dut.io.append.valid.poke(false)
    dut.clock.step(t.walk + 1)

    private def pokeKey(port: MatchKey, key: PlainKey): Unit = {
      port.bits.poke(key.bits)
      port.source.poke(key.source)
    }
    private def pokeAsk(ask: Option[PlainAsk]): Unit = {
      val port = dut.io.ask
      port.searches.poke(ask.isDefined)
      port.byPlace.poke(false)
      ask.foreach { a =>
        port.takes.poke(a.takes)
        port.endpoint.poke(a.endpoint)
        pokeKey(port.key, a.key)
        pokeKey(port.ignore, a.ignore)
        port.byId.foreach(_.poke(a.id.isDefined))
        port.id.foreach(_.poke(a.id.getOrElse(BigInt(0))))
      }
    }
    private def pokeEntry(entry: Option[PlainEntry]): Unit = {
      dut.io.append.valid.poke(entry.isDefined)
      entry.foreach { e =>
        val lane = dut.io.append.bits
        lane.endpoint.poke(e.endpoint)
        pokeKey(lane.key, e.key)
        lane.ignore.foreach(pokeKey(_, e.ignore))
        lane.id.foreach(_.poke(e.id))
        lane.slot.poke(e.handle)
      }
    }
    def free(from: Int): BigInt = {
      val used = law.entries.map(_.handle).toSet
      Iterator.from(0).map(n => BigInt((from + n) % t.slots)).find(!used(_)).get
    }

    /** One clock: an operation may start, an entry may be appended; the one at its end is checked.
      */
    def clock(ask: Option[PlainAsk] = None, append: Option[PlainEntry] = None): Unit = {
      pokeAsk(ask)
      pokeEntry(append)
      slotDue.foreach(s => assert(dut.io.slot.value == s, "slot of what was found"))
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

    /** The entries that the places show, oldest first. */
    def walk(): Seq[BigInt] = {
      rest()
      val port = dut.io.ask
      (0 until t.arrayEntries).flatMap { place =>
        port.searches.poke(true)
        port.takes.poke(false)
        port.byPlace.poke(true)
        port.byId.foreach(_.poke(false))
        port.place.poke(place)
        dut.clock.step()
        port.searches.poke(false)
        dut.clock.step(t.walk - 1)
        val found = dut.io.found.isOn
        dut.clock.step()
        Option.when(found)(dut.io.slot.value)
      }
    }
    def checkWalk(): Unit = assert(walk() == law.entries.map(_.handle), "order of places")
  }
}
