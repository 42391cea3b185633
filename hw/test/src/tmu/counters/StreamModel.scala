// SPDX-License-Identifier: Apache-2.0
package tmu.counters

import scala.collection.mutable
import scala.util.Random
import tmu.registers.Streams

/** Clocks of a stream, and what has to be counted of them. */
object StreamModel {

  /** One clock: whether something moves, and whether something waits. */
  case class Clock(moves: Boolean, waits: Boolean)
  val idle: Clock = Clock(moves = false, waits = false)

  case class Counts(active: Int, stalled: Int, ended: Seq[Int])

  /** Active and stalled clocks, and the runs of idle clocks that have ended, by bucket. */
  def count(clocks: Seq[Clock]): Counts = {
    val ended = mutable.Buffer.fill(Streams.idleFrom.size)(0)
    var run = 0
    for (clock <- clocks)
      if (clock == idle) run += 1
      else {
        if (run > 0) ended(Streams.idleFrom.lastIndexWhere(_ <= run)) += 1
        run = 0
      }
    val (active, others) = clocks.partition(_.moves)
    Counts(active.size, others.count(_.waits), ended.toSeq)
  }

  /** Idle runs of every bucket, as often at its ends as within, and runs of all else. */
  def random(random: Random, runs: Int): Seq[Clock] = Seq
    .fill(runs) {
      val from = Streams.idleFrom(random.nextInt(Streams.idleFrom.size))
      val length = random.nextInt(3) match {
        case 0 => from
        case 1 => 4 * from - 1
        case _ => from + random.nextInt(3 * from)
      }
      val busy = Seq.fill(1 + random.nextInt(5)) {
        val moves = random.nextBoolean()
        Clock(moves, !moves || random.nextBoolean())
      }
      Seq.fill(length)(idle) ++ busy
    }
    .flatten
}
