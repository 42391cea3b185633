// SPDX-License-Identifier: Apache-2.0
package tmu.params

/** Parameter of `TmuParams`: the values that it can have, and its help. */
case class Parameter(name: String, range: Range, help: String)

/** Every parameter and every rule between two of them: what `TmuParams` checks, and what generated
  * files state for those who check a configuration without a JVM.
  */
object Parameters {

  /** In the order of the fields of `TmuParams`, whose names they have. */
  val all: Seq[Parameter] = Seq(
    Parameter(
      name = "endpoints",
      range = PowerOfTwo(low = 2, high = 4096),
      help = "Pairs of queues; endpoint numbers are 0 until endpoints."
    ),
    Parameter(
      name = "postedEntries",
      range = PowerOfTwo(low = 4, high = 1 << 20),
      help = "Posted receives on chip, over all endpoints together."
    ),
    Parameter(
      name = "unexpectedEntries",
      range = PowerOfTwo(low = 4, high = 1 << 20),
      help = "Unexpected messages on chip, over all endpoints together."
    ),
    Parameter(
      name = "arrayEntries",
      range = PowerOfTwo(low = 4, high = 1 << 12),
      help =
        "Of each queue, the oldest entries, which exact lanes hold: searched at one operation a clock."
    ),
    Parameter(
      name = "lanes",
      range = PowerOfTwo(low = 2, high = 256),
      help = "Lanes of a row: what one clock settles; a search walks arrayEntries / lanes rows."
    ),
    Parameter(
      name = "filterLanes",
      range = PowerOfTwo(low = 2, high = 1024),
      help =
        "Lanes of a memory row of filter ids, which hold the younger entries: read in one clock."
    ),
    Parameter(name = "filterBits", range = OneOf(8, 16, 32), help = "Bits of a filter id."),
    Parameter(
      name = "contextBits",
      range = Between(1, 32),
      help = "Context bits kept per entry: the upper match bits."
    ),
    Parameter(
      name = "tagBits",
      range = Between(2, 32),
      help = "Tag bits kept per entry, its sign included: the lower match bits."
    ),
    Parameter(name = "sourceBits", range = Between(1, 32), help = "Source bits kept per entry."),
    Parameter(name = "handleBits", range = Between(1, 64), help = "Bits of the caller's handle."),
    Parameter(
      name = "addressBits",
      range = Between(1, 64),
      help = "Bits of a buffer's address or of where a message waits."
    ),
    Parameter(
      name = "lengthBits",
      range = Between(1, 48),
      help = "Bits of a buffer's or message's length in bytes."
    ),
    Parameter(
      name = "idBits",
      range = Between(2, 31),
      help = "Bits of the driver's receive id; the value with all bits set means none."
    ),
    Parameter(
      name = "queues",
      range = Between(2, 4096),
      help = "Submission queues: doorbell pages without privilege."
    ),
    Parameter(
      name = "commandSlots",
      range = PowerOfTwo(low = 4, high = 1 << 15),
      help = "Commands that wait on chip before the matching unit, shared out among the pages."
    ),
    Parameter(
      name = "spillSegments",
      range = PowerOfTwo(low = 1, high = 128, orNone = true),
      help =
        "Segments of memory that the unit can take for queues that outgrow the tables; 0: a full table refuses."
    ),
    Parameter(
      name = "parity",
      range = Flag,
      help = "Stored words have a parity bit, and what depends on a flipped one is not answered."
    ),
    Parameter(
      name = "reserve",
      range = Flag,
      help = "An endpoint can have slots of the tables that others do not fill."
    ),
    Parameter(
      name = "pdcs",
      range = PowerOfTwo(low = 2, high = 4096, orNone = true),
      help = "Connections of peers to a card; 0: the unit without a network."
    ),
    Parameter(
      name = "messages",
      range = PowerOfTwo(low = 16, high = 4096, orNone = true),
      help = "Messages of the network that are under way or unexpected."
    ),
    Parameter(
      name = "wireNames",
      range = PowerOfTwo(low = 8, high = 1 << 16),
      help = "Entries of each table of names: jobs, processes and endpoints of a card."
    ),
    Parameter(
      name = "sendPdcs",
      range = PowerOfTwo(low = 2, high = 256, orNone = true),
      help = "Connections that a card opens to peers at a time; 0: it does not send."
    ),
    Parameter(
      name = "sends",
      range = PowerOfTwo(low = 2, high = 4096),
      help = "Messages that a card has on their way out."
    ),
    Parameter(
      name = "peers",
      range = PowerOfTwo(low = 2, high = 1 << 16),
      help = "Entries of the table of peers of a card that sends."
    ),
    Parameter(
      name = "memories",
      range = PowerOfTwo(low = 2, high = 1 << 16),
      help = "Entries of the table of registered memory of a card that sends."
    )
  )

  /** Parameters that the functional device has to know. */
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
      parameter = "arrayEntries",
      times = 2,
      other = "lanes",
      text = "an array of one row is not supported"
    ),
    Rule(
      parameter = "postedEntries",
      times = 1,
      other = "arrayEntries",
      text = "the array holds the oldest of a queue's entries"
    ),
    Rule(
      parameter = "unexpectedEntries",
      times = 1,
      other = "arrayEntries",
      text = "the array holds the oldest of a queue's entries"
    ),
    Rule(
      parameter = "unexpectedEntries",
      times = 1,
      other = "arrayEntries",
      text = "both queues have memory rows or neither has",
      strict = true,
      when = Some("postedEntries" -> "arrayEntries")
    ),
    Rule(
      parameter = "postedEntries",
      times = 1,
      other = "arrayEntries",
      text = "both queues have memory rows or neither has",
      strict = true,
      when = Some("unexpectedEntries" -> "arrayEntries")
    ),
    Rule(
      parameter = "messages",
      times = 1,
      other = "pdcs",
      text = "each connection can have a message under way"
    ),
    Rule(
      parameter = "pdcs",
      times = 1,
      other = "sendPdcs",
      text = "a card that sends receives as well"
    ),
    Rule(
      parameter = "unexpectedEntries",
      times = 1,
      other = "messages",
      text = "the unit has room for every message of the network"
    ),
    Rule(
      parameter = "handleBits",
      times = 1,
      other = "idBits",
      text = "the driver finds a receive by a handle of its own"
    ),
    Rule(
      parameter = "idBits",
      times = 1,
      other = "postedEntries",
      text = "each receive that is queued has an id of its own",
      strict = true,
      power = true
    )
  )

  /** Complaint about a configuration, as the end of a sentence; None when it is legal. */
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
