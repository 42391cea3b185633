// SPDX-License-Identifier: Apache-2.0
package tmu.layout

/** A named number of the host interface with the sentence that documents it. */
case class Code(name: String, value: Int, text: String) {
  require(value >= 1 && value <= 255, s"code $name is $value; codes lie between 1 and 255")
}

/** What a command asks for. Zero is no opcode, so that a cleared slot is malformed. */
object Opcodes {
  val post =
    Code("post", 1, "Receive: takes the oldest matching unexpected message or is queued (R4, R5).")
  val arrive =
    Code("arrive", 2, "Message: takes the oldest matching posted receive or is queued (R3, R6).")
  val probe =
    Code("probe", 3, "Reports the oldest matching unexpected message, changes nothing (R8).")
  val claim =
    Code("claim", 4, "Removes the oldest matching unexpected message for the caller (R9).")
  val cancel = Code("cancel", 5, "Removes the posted receive with the given receive id (R10).")
  val flush = Code("flush", 6, "Removes every entry of the endpoint that the key selects (R14).")
  val inspect =
    Code("inspect", 7, "Privileged: reads the entry at a place of a queue's table, oldest first.")
  val all: Seq[Code] = Seq(post, arrive, probe, claim, cancel, flush, inspect)
}

/** What a completion answers. */
object Statuses {
  val matched = Code("matched", 1, "Matched; the other side's entry is consumed.")
  val queued = Code("queued", 2, "No match; appended to the queue.")
  val found = Code("found", 3, "Probe: a message is there and stays.")
  val none = Code("none", 4, "Probe or claim: no matching message.")
  val cancelled = Code("cancelled", 5, "Cancel: the receive was queued and is removed.")
  val late = Code("late", 6, "Cancel: no such receive is queued; nothing changed.")
  val removed =
    Code("removed", 7, "Flush: one removed entry; more completions of this command follow.")
  val flushed = Code("flushed", 8, "Flush: done; counts of removed entries.")
  val refusedQuota = Code("refused_quota", 9, "Post: quota or table used up; nothing changed.")
  val refusedEndpoint =
    Code("refused_endpoint", 10, "The unit has no such endpoint; nothing changed.")
  val stalled =
    Code("stalled", 11, "Arrive: quota or table used up; nothing changed, offer it again later.")
  val malformed =
    Code("malformed", 12, "Unknown opcode or a field that must be zero is not; nothing changed.")
  val refusedPrivilege =
    Code("refused_privilege", 13, "Needs the privileged page; nothing changed.")
  val entry = Code("entry", 14, "Inspect: the entry at that place.")
  val empty = Code("empty", 15, "Inspect: beyond the table's last place.")
  val vacant = Code("vacant", 16, "Inspect: no entry at that place; there may be later ones.")
  val spillFailed = Code(
    "spill_failed",
    17,
    "Memory beyond the tables has failed: no answer is known until a reset."
  )
  val tableFault = Code(
    "table_fault",
    18,
    "A stored word has lost a bit: no answer of the endpoint until a reset."
  )
  val all: Seq[Code] = Seq(
    matched,
    queued,
    found,
    none,
    cancelled,
    late,
    removed,
    flushed,
    refusedQuota,
    refusedEndpoint,
    stalled,
    malformed,
    refusedPrivilege,
    entry,
    empty,
    vacant,
    spillFailed,
    tableFault
  )
}
