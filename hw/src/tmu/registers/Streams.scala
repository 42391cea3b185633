// SPDX-License-Identifier: Apache-2.0
package tmu.registers

/** A stream of the unit's traffic, one transfer a clock at most.
  *
  * Each clock of it is active, a transfer; or stalled, something waits and nothing moves; or idle,
  * and idle clocks are all the others, so nothing counts them. Runs of idle clocks are counted by
  * their length when they end: one that is under way is in no bucket yet.
  *
  * @param idle
  *   a counter for each bucket of `Streams.idleFrom`
  */
case class Stream(
    name: String,
    text: String,
    active: Counter,
    stalled: Counter,
    idle: Seq[Counter]
)

/** Every stream whose clocks are counted. */
object Streams {

  /** Shortest run of each bucket of idle lengths; a bucket ends where the next one begins. */
  val idleFrom: Seq[Int] = Seq(1, 4, 16, 64, 256)

  private def stream(name: String, text: String, active: Counter, stalled: Counter): Stream = {
    val upTo = idleFrom.drop(1).map(next => s"to ${next - 1}") :+ "and more"
    val idle = idleFrom.zip(upTo).map { case (from, to) =>
      Counter(s"${name}_idle_$from", s"Runs of $from $to idle clocks that have ended: $text.")
    }
    Stream(name = name, text = text, active = active, stalled = stalled, idle = idle)
  }

  val command: Stream = stream(
    "command",
    "commands from the pages to the matching unit",
    Counters.commands,
    Counters.commandStallClocks
  )
  val completion: Stream = stream(
    "completion",
    "completions to host memory",
    Counters.completions,
    Counters.completionStallClocks
  )
  val spillRead: Stream = stream(
    "spill_read",
    "beats from spill memory",
    Counters.spillReads,
    Counters.spillReadStallClocks
  )
  val spillWrite: Stream = stream(
    "spill_write",
    "beats to spill memory",
    Counters.spillWrites,
    Counters.spillWriteStallClocks
  )

  val all: Seq[Stream] = Seq(command, completion, spillRead, spillWrite)
}
