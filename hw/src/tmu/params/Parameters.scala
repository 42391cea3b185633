// SPDX-License-Identifier: Apache-2.0
package tmu.params

/** What is said about a parameter of `TmuParams`: the values that it can have, and its help. */
case class Parameter(name: String, range: Range, help: String)

/** Every parameter and every rule between two of them: what `TmuParams` checks, and what generated
  * files state for those who check a configuration without a JVM.
  */
object Parameters {

  /** In the order of the fields of `TmuParams`, whose names they have. */
  val all: Seq[Parameter] = Seq(
    Parameter(
      "endpoints",
      PowerOfTwo(2, 4096),
      "Pairs of queues; endpoint numbers are 0 until endpoints."
    ),
    Parameter(
      "postedEntries",
      PowerOfTwo(4, 1 << 20),
      "Posted receives on chip, over all endpoints together."
    ),
    Parameter(
      "unexpectedEntries",
      PowerOfTwo(4, 1 << 20),
      "Unexpected messages on chip, over all endpoints together."
    ),
    Parameter(
      "arrayEntries",
      PowerOfTwo(4, 1 << 12),
      "Of each queue, the oldest entries, which exact lanes hold: searched at one operation a clock."
    ),
    Parameter(
      "lanes",
      PowerOfTwo(2, 256),
      "Lanes of a row: what one clock settles; a search walks arrayEntries / lanes rows."
    ),
    Parameter(
      "filterLanes",
      PowerOfTwo(2, 1024),
      "Lanes of a memory row of filter ids, which hold the younger entries: read in one clock."
    ),
    Parameter("filterBits", OneOf(8, 16, 32), "Bits of a filter id."),
    Parameter("contextBits", Between(1, 32), "Context bits kept per entry: the upper match bits."),
    Parameter(
      "tagBits",
      Between(2, 32),
      "Tag bits kept per entry, its sign included: the lower match bits."
    ),
    Parameter("sourceBits", Between(1, 32), "Source bits kept per entry."),
    Parameter("handleBits", Between(1, 64), "Bits of the caller's handle."),
    Parameter(
      "addressBits",
      Between(1, 64),
      "Bits of a buffer's address or of where a message waits."
    ),
    Parameter("lengthBits", Between(1, 48), "Bits of a buffer's or message's length in bytes."),
    Parameter(
      "idBits",
      Between(2, 31),
      "Bits of the driver's receive id; the value with all bits set means none."
    ),
    Parameter("queues", Between(2, 4096), "Submission queues: doorbell pages without privilege."),
    Parameter(
      "commandSlots",
      PowerOfTwo(4, 1 << 15),
      "Commands that wait on chip before the matching unit, shared out among the pages."
    ),
    Parameter(
      "spillSegments",
      PowerOfTwo(1, 128, orNone = true),
      "Segments of memory that the unit can take for queues that outgrow the tables; 0: a full table refuses."
    ),
    Parameter(
      "parity",
      Flag,
      "Stored words have a parity bit, and what depends on a flipped one is not answered."
    ),
    Parameter("reserve", Flag, "An endpoint can have places of the tables that others do not fill.")
  )

  /** What the functional device has to know of a configuration. */
  val functional: Seq[Parameter] = Seq(
    "endpoints",
    "postedEntries",
    "unexpectedEntries",
    "lanes",
    "contextBits",
    "tagBits",
    "sourceBits",
    "handleBits",
    "addressBits",
    "lengthBits",
    "idBits",
    "queues",
    "commandSlots",
    "spillSegments"
  ).map(name => all.find(_.name == name).get)

  val rules: Seq[Rule] = Seq(
    Rule(
      "arrayEntries",
      2,
      "lanes",
      "an array of one row is not supported"
    ),
    Rule("postedEntries", 1, "arrayEntries", "the array holds the oldest of a queue's entries"),
    Rule("unexpectedEntries", 1, "arrayEntries", "the array holds the oldest of a queue's entries"),
    Rule(
      "unexpectedEntries",
      1,
      "arrayEntries",
      "both queues have memory rows or neither has",
      strict = true,
      when = Some("postedEntries" -> "arrayEntries")
    ),
    Rule(
      "postedEntries",
      1,
      "arrayEntries",
      "both queues have memory rows or neither has",
      strict = true,
      when = Some("unexpectedEntries" -> "arrayEntries")
    ),
    Rule("handleBits", 1, "idBits", "the driver finds a receive by a handle of its own"),
    Rule(
      "idBits",
      1,
      "postedEntries",
      "each receive that is queued has an id of its own",
      strict = true,
      power = true
    )
  )

  /** What is wrong with a configuration, as the end of a sentence; nothing when it is legal. */
  def complaint(value: String => Int): Option[String] = {
    def shown(p: Parameter) = if (p.range == Flag) s"${value(p.name) != 0}" else s"${value(p.name)}"
    val outside = all.collectFirst {
      case p if !p.range.allows(value(p.name)) =>
        s"${p.name} is ${shown(p)}; it must ${p.range.text}"
    }
    outside.orElse(rules.find(!_.holds(value)).map { r =>
      val bound = s"${if (r.strict) "more than" else "at least"} " +
        s"${if (r.times == 1) "" else s"${r.times} times "}${r.other}, ${value(r.other)}"
      s"${r.subject(r.parameter)} is ${r.found(value)}; it must be $bound: ${r.text}"
    })
  }
}
