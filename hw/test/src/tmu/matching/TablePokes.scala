// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import tmu.DeviceSpec
import tmu.types.{ArrayOperation, LaneEntry, MatchKey}

/** Request to a table, as plain numbers. */
case class PlainAsk(
    endpoint: Int,
    key: PlainKey,
    ignore: PlainKey = PlainKey.zero,
    takes: Boolean = true,
    id: Option[BigInt] = None
)

/** Puts plain keys, questions and entries on the ports of tables. */
trait TablePokes { this: DeviceSpec =>
  protected def pokeKey(port: MatchKey, key: PlainKey): Unit = {
    port.bits.poke(key.bits)
    port.source.poke(key.source)
  }

  /** By key or by id; whether it searches at all is left to the caller. */
  protected def pokeAsk(port: ArrayOperation, ask: PlainAsk): Unit = {
    port.byPosition.poke(false)
    port.takes.poke(ask.takes)
    port.endpoint.poke(ask.endpoint)
    pokeKey(port.key, ask.key)
    pokeKey(port.ignore, ask.ignore)
    port.byId.foreach(_.poke(ask.id.isDefined))
    port.id.foreach(_.poke(ask.id.getOrElse(BigInt(0))))
  }

  /** Fields of an entry that are compared; its handle is the slot. */
  protected def pokeLane(port: LaneEntry, entry: PlainEntry): Unit = {
    port.endpoint.poke(entry.endpoint)
    pokeKey(port.key, entry.key)
    port.ignore.foreach(pokeKey(_, entry.ignore))
    port.id.foreach(_.poke(entry.id))
    port.slot.poke(entry.handle)
  }
}
