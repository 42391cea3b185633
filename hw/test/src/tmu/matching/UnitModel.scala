// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import scala.collection.mutable
import tmu.layout.{Code, Opcodes, Statuses}

/** A command as plain numbers. */
case class PlainCommand(
    opcode: Code,
    endpoint: Int,
    key: PlainKey = PlainKey.zero,
    ignore: PlainKey = PlainKey.zero,
    handle: BigInt = 0,
    address: BigInt = 0,
    length: BigInt = 0,
    id: BigInt = 0,
    position: Int = 0,
    inspectUnexpected: Boolean = false,
    privileged: Boolean = true,
    malformed: Boolean = false
)

/** A verdict as plain numbers; `ignore` only where an entry is inspected. */
case class PlainVerdict(
    opcode: Code,
    status: Code,
    endpoint: Int,
    handle: BigInt,
    serial: BigInt = 0,
    other: BigInt = 0,
    key: PlainKey = PlainKey.zero,
    ignore: PlainKey = PlainKey.zero,
    messageLength: BigInt = 0,
    receiveLength: BigInt = 0,
    address: BigInt = 0,
    truncated: Boolean = false,
    unexpected: Boolean = false
)

/** The law with plain lists: what the matching unit must answer to each command. */
class UnitModel(
    endpoints: Int,
    postedEntries: Int,
    unexpectedEntries: Int,
    positions: Int,
    idNone: BigInt
) {
  val posted = new TableModel
  val unexpected = new TableModel
  private val serials = mutable.Map[Int, BigInt]().withDefaultValue(0)
  val quotas: mutable.Map[Int, (Int, Int)] =
    mutable.Map[Int, (Int, Int)]().withDefaultValue((0, 0))

  def depths(endpoint: Int): (Int, Int) =
    (posted.entries.count(_.endpoint == endpoint), unexpected.entries.count(_.endpoint == endpoint))

  private def room(table: TableModel, capacity: Int, endpoint: Int, quota: Int): Boolean =
    table.size < capacity &&
      (quota == 0 || table.entries.count(_.endpoint == endpoint) < quota)

  private def entry(c: PlainCommand): PlainEntry =
    PlainEntry(c.endpoint, c.key, c.ignore, c.id, c.handle, c.address, c.length)

  private def numbered(v: PlainVerdict): PlainVerdict = {
    val serial = serials(v.endpoint)
    serials(v.endpoint) = serial + 1
    v.copy(serial = serial)
  }

  /** Reason to refuse a command before any queue is searched, the worst first (R13). */
  private def refusal(c: PlainCommand): Option[Code] =
    if (c.malformed) Some(Statuses.malformed)
    else if (c.opcode == Opcodes.inspect && !c.privileged) Some(Statuses.refusedPrivilege)
    else Option.when(c.endpoint >= endpoints)(Statuses.refusedEndpoint)

  /** The status of a command that searches nothing (R10, R13). */
  def early(c: PlainCommand): Option[Code] = refusal(c).orElse(c.opcode match {
    case Opcodes.cancel if c.id == idNone           => Some(Statuses.late)
    case Opcodes.inspect if c.position >= positions => Some(Statuses.empty)
    case _                                          => None
  })

  /** All verdicts of a command, in order; an inspect within the table has further `sights`. */
  def apply(c: PlainCommand): Seq[PlainVerdict] = {
    val blank = PlainVerdict(c.opcode, Statuses.malformed, c.endpoint, c.handle)
    refusal(c).map(status => Seq(blank.copy(status = status))).getOrElse {
      c.opcode match {
        case Opcodes.post    => Seq(numbered(post(c, blank)))
        case Opcodes.arrive  => Seq(numbered(arrive(c, blank)))
        case Opcodes.probe   => Seq(numbered(look(c, blank, Statuses.found)))
        case Opcodes.claim   => Seq(numbered(look(c, blank, Statuses.matched)))
        case Opcodes.cancel  => Seq(numbered(cancel(c, blank)))
        case Opcodes.flush   => flush(c, blank)
        case Opcodes.inspect =>
          Seq(blank.copy(status = if (c.position < positions) Statuses.entry else Statuses.empty))
        case unknown => throw new IllegalArgumentException(s"no opcode $unknown")
      }
    }
  }

  private def withMessage(v: PlainVerdict, m: PlainEntry): PlainVerdict =
    v.copy(other = m.handle, key = m.key, address = m.address, messageLength = m.length)
  private def withReceive(v: PlainVerdict, r: PlainEntry): PlainVerdict =
    v.copy(other = r.handle, key = r.key, address = r.address, receiveLength = r.length)

  private def post(c: PlainCommand, blank: PlainVerdict): PlainVerdict =
    unexpected.find(c.endpoint, c.key, c.ignore) match {
      case Some(position) =>
        val m = unexpected.remove(position)
        withMessage(blank, m).copy(
          status = Statuses.matched,
          receiveLength = c.length,
          truncated = m.length > c.length
        )
      case None if room(posted, postedEntries, c.endpoint, quotas(c.endpoint)._1) =>
        posted.append(entry(c))
        blank.copy(status = Statuses.queued)
      case None => blank.copy(status = Statuses.refusedQuota)
    }

  private def arrive(c: PlainCommand, blank: PlainVerdict): PlainVerdict =
    posted.find(c.endpoint, c.key, c.ignore) match {
      case Some(position) =>
        val r = posted.remove(position)
        withReceive(blank, r).copy(
          status = Statuses.matched,
          key = c.key,
          messageLength = c.length,
          truncated = c.length > r.length
        )
      case None if room(unexpected, unexpectedEntries, c.endpoint, quotas(c.endpoint)._2) =>
        unexpected.append(entry(c))
        blank.copy(status = Statuses.queued)
      case None => blank.copy(status = Statuses.stalled)
    }

  private def look(c: PlainCommand, blank: PlainVerdict, onHit: Code): PlainVerdict =
    unexpected.find(c.endpoint, c.key, c.ignore) match {
      case Some(position) =>
        val m = unexpected.entries(position)
        if (c.opcode == Opcodes.claim) unexpected.remove(position)
        withMessage(blank, m).copy(status = onHit)
      case None => blank.copy(status = Statuses.none)
    }

  private def cancel(c: PlainCommand, blank: PlainVerdict): PlainVerdict =
    posted.findId(c.endpoint, c.id) match {
      case Some(position) if c.id != idNone =>
        withReceive(blank, posted.remove(position)).copy(status = Statuses.cancelled)
      case _ => blank.copy(status = Statuses.late)
    }

  private def flush(c: PlainCommand, blank: PlainVerdict): Seq[PlainVerdict] = {
    def all(table: TableModel): Seq[PlainEntry] =
      Iterator
        .continually(table.find(c.endpoint, c.key, c.ignore))
        .takeWhile(_.isDefined)
        .flatten
        .map(table.remove)
        .toList
    val receives = all(posted)
    val messages = all(unexpected)
    val removed = blank.copy(status = Statuses.removed)
    receives.map(withReceive(removed, _)) ++
      messages.map(withMessage(removed, _).copy(unexpected = true)) :+
      numbered(
        blank.copy(
          status = Statuses.flushed,
          other = (BigInt(messages.size) << 32) | receives.size
        )
      )
  }

  /** Possible answers of an inspect: any entry of the table, for positions have holes; or that
    * there is none. A walk over all positions has to give all entries in their order.
    */
  def sights(c: PlainCommand): Seq[PlainVerdict] = {
    val blank = PlainVerdict(c.opcode, Statuses.vacant, c.endpoint, c.handle)
    val table = if (c.inspectUnexpected) unexpected else posted
    blank +: table.entries.map { e =>
      val whole =
        if (c.inspectUnexpected) withMessage(blank, e).copy(unexpected = true)
        else withReceive(blank, e)
      whole.copy(status = Statuses.entry, endpoint = e.endpoint, ignore = e.ignore)
    }
  }
}
