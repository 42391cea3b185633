// SPDX-License-Identifier: Apache-2.0
package tmu.layout

/** A named number of the host interface with the sentence that documents it. */
case class Code(name: String, value: Int, text: String) {
  require(value >= 1 && value <= 255, s"code $name is $value; codes lie between 1 and 255")
}

/** Operation that a command asks for. Zero is no opcode, so that a cleared slot is malformed. */
object Opcodes {
  val post =
    Code(
      name = "post",
      value = 1,
      text = "Receive: takes the oldest matching unexpected message or is queued (R4, R5)."
    )
  val arrive =
    Code(
      name = "arrive",
      value = 2,
      text = "Message: takes the oldest matching posted receive or is queued (R3, R6)."
    )
  val probe =
    Code(
      name = "probe",
      value = 3,
      text = "Reports the oldest matching unexpected message, changes nothing (R8)."
    )
  val claim =
    Code(
      name = "claim",
      value = 4,
      text = "Removes the oldest matching unexpected message for the caller (R9)."
    )
  val cancel = Code(
    name = "cancel",
    value = 5,
    text = "Removes the posted receive with the given receive id (R10)."
  )
  val flush = Code(
    name = "flush",
    value = 6,
    text = "Removes every entry of the endpoint that the key selects (R14)."
  )
  val inspect =
    Code(
      name = "inspect",
      value = 7,
      text = "Privileged: reads the entry at a position of a queue's table, oldest first."
    )
  val send =
    Code(
      name = "send",
      value = 8,
      text = "Sends a message to a peer over the card's network (W4)."
    )

  /** The matching unit's. */
  val all: Seq[Code] = Seq(post, arrive, probe, claim, cancel, flush, inspect)

  /** Of a card beside them; a unit without a network answers `malformed`. */
  val network: Seq[Code] = Seq(send)
}

/** Status that a completion answers. */
object Statuses {
  val matched =
    Code(name = "matched", value = 1, text = "Matched; the other side's entry is consumed.")
  val queued = Code(name = "queued", value = 2, text = "No match; appended to the queue.")
  val found = Code(name = "found", value = 3, text = "Probe: a message is there and stays.")
  val none = Code(name = "none", value = 4, text = "Probe or claim: no matching message.")
  val cancelled =
    Code(name = "cancelled", value = 5, text = "Cancel: the receive was queued and is removed.")
  val late =
    Code(name = "late", value = 6, text = "Cancel: no such receive is queued; nothing changed.")
  val removed =
    Code(
      name = "removed",
      value = 7,
      text = "Flush: one removed entry; more completions of this command follow."
    )
  val flushed = Code(name = "flushed", value = 8, text = "Flush: done; counts of removed entries.")
  val refusedQuota =
    Code(name = "refused_quota", value = 9, text = "Post: quota or table used up; nothing changed.")
  val refusedEndpoint =
    Code(
      name = "refused_endpoint",
      value = 10,
      text = "The unit has no such endpoint; nothing changed."
    )
  val stalled =
    Code(
      name = "stalled",
      value = 11,
      text = "Arrive: quota or table used up; nothing changed, offer it again later."
    )
  val malformed =
    Code(
      name = "malformed",
      value = 12,
      text = "Unknown opcode or a field that must be zero is not; nothing changed."
    )
  val refusedPrivilege =
    Code(
      name = "refused_privilege",
      value = 13,
      text = "Needs the privileged page; nothing changed."
    )
  val entry = Code(name = "entry", value = 14, text = "Inspect: the entry at that position.")
  val empty = Code(name = "empty", value = 15, text = "Inspect: beyond the table's last position.")
  val vacant = Code(
    name = "vacant",
    value = 16,
    text = "Inspect: no entry at that position; there may be later ones."
  )
  val spillFailed = Code(
    name = "spill_failed",
    value = 17,
    text = "Memory beyond the tables has failed: no answer is known until a reset."
  )
  val tableFault = Code(
    name = "table_fault",
    value = 18,
    text = "A stored word has lost a bit: no answer of the endpoint until a reset."
  )
  val sent = Code(
    name = "sent",
    value = 19,
    text = "Send: the target has the message, and its buffer is the caller's (W4)."
  )
  val undelivered = Code(
    name = "undelivered",
    value = 20,
    text = "Send: the target refused it, or was given up (W7)."
  )
  val refusedPeer = Code(
    name = "refused_peer",
    value = 21,
    text = "Send: no such peer of the endpoint; nothing changed (W8)."
  )
  val refusedMemory = Code(
    name = "refused_memory",
    value = 22,
    text = "Bytes that the endpoint has not registered; nothing changed (W8)."
  )

  /** The matching unit's. */
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

  /** Of a card beside them. */
  val network: Seq[Code] = Seq(sent, undelivered, refusedPeer, refusedMemory)
}
