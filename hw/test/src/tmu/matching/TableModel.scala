// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import scala.util.Random

/** A key or a mask as plain numbers. */
case class PlainKey(bits: BigInt, source: BigInt)

/** An entry of a table as plain numbers. */
case class PlainEntry(
    endpoint: Int,
    key: PlainKey,
    ignore: PlainKey,
    id: BigInt,
    handle: BigInt = 0,
    address: BigInt = 0,
    length: BigInt = 0
)

/** An ordered table as a plain list, oldest first: what every table must equal. */
class TableModel {
  private var list: Vector[PlainEntry] = Vector.empty
  def entries: Vector[PlainEntry] = list
  def size: Int = list.size

  def append(e: PlainEntry): Unit = list = list :+ e

  /** The first of `slots` handles, from one on, that no entry has. */
  def freeSlot(slots: Int, from: Int): BigInt = {
    val used = list.map(_.handle).toSet
    Iterator.from(0).map(n => BigInt((from + n) % slots)).find(!used(_)).get
  }

  /** Position of the oldest entry of `endpoint` that matches (R1). */
  def find(endpoint: Int, key: PlainKey, ignore: PlainKey): Option[Int] =
    Some(list.indexWhere(e => e.endpoint == endpoint && PlainKey.matches(e, key, ignore)))
      .filter(_ >= 0)

  def findId(endpoint: Int, id: BigInt): Option[Int] =
    Some(list.indexWhere(e => e.endpoint == endpoint && e.id == id)).filter(_ >= 0)

  def remove(position: Int): PlainEntry = {
    val entry = list(position)
    list = list.patch(position, Nil, 1)
    entry
  }
}

object PlainKey {
  val zero: PlainKey = PlainKey(0, 0)

  /** Rule R1 between an entry and a key with a mask. */
  def matches(e: PlainEntry, key: PlainKey, ignore: PlainKey): Boolean =
    ((e.key.bits ^ key.bits) &~ e.ignore.bits &~ ignore.bits) == 0 &&
      ((e.key.source ^ key.source) &~ e.ignore.source &~ ignore.source) == 0

  /** A key out of few, so that random searches hit. */
  def random(r: Random, matchBits: Int, sourceBits: Int, few: Int): PlainKey = {
    def spread(width: Int) = {
      val n = BigInt(r.nextInt(few))
      // The same small number at both ends of a wide field, so that every end of it is compared.
      (n | (n << (width - 3).max(0))) & ((BigInt(1) << width) - 1)
    }
    PlainKey(spread(matchBits), spread(sourceBits))
  }

  /** No bit, some bits, or all bits ignored. */
  def mask(r: Random, matchBits: Int, sourceBits: Int): PlainKey = {
    def one(width: Int): BigInt = r.nextInt(5) match {
      case 0 => (BigInt(1) << width) - 1
      case 1 => BigInt(width, r)
      case _ => 0
    }
    PlainKey(one(matchBits), one(sourceBits))
  }
}
