// SPDX-License-Identifier: Apache-2.0
package tmu.layout

import tmu.params.TmuParams

/** A field of the key: a value and a mask of the bits that are not compared (R1, R2).
  *
  * Value and mask have the names of their command fields in structures, traces and logs, and in the
  * unit the name `signal`. An entry in memory has both where a command has them.
  */
case class KeyField(
    signal: String,

    /** Bits that a unit keeps of each. */
    kept: TmuParams => Int,

    /** Of a command. */
    value: WordField,
    ignore: WordField,

    /** The value of the message or of the removed entry, in a completion. */
    completed: WordField,

    /** The mask of an entry, in the completion of an inspect. */
    inspected: WordField,

    /** The discovery register that tells `kept`; without one it is the width of the field. */
    told: Option[String] = None
) {
  require(
    Seq(ignore, completed, inspected).forall(_.width == value.width),
    s"key field ${value.name}: its mask, or a completion, has another width"
  )
}

/** The fields of the key: here one is added.
  *
  * Decoding, comparison, completions, entries in memory, the driver's structures and formats, and
  * the benches follow the list; `docs/matching-rules.md` and the model of `sim/law` come first.
  */
object KeyLayout {
  val matchBits: KeyField = KeyField(
    signal = "bits",
    kept = _.matchBits,
    value = WordField(
      name = "match",
      word = 1,
      low = 0,
      width = 64,
      text = "Match bits (MPI: the tag in the lowest TAG_BITS, the context above)."
    ),
    ignore = WordField(
      name = "ignore",
      word = 2,
      low = 0,
      width = 64,
      text = "Match bits that are not compared (post, probe, claim, flush)."
    ),
    completed = WordField(
      name = "match",
      word = 3,
      low = 0,
      width = 64,
      text = "Match bits of the message or of the removed entry."
    ),
    inspected = WordField(
      name = "entry_ignore",
      word = 6,
      low = 0,
      width = 64,
      text = "Entry: ignored match bits."
    ),
    told = Some("MATCH_BITS")
  )

  val source: KeyField = KeyField(
    signal = "source",
    kept = _.sourceBits,
    value = WordField(name = "source", word = 3, low = 0, width = 32, text = "Source."),
    ignore = WordField(
      name = "source_ignore",
      word = 3,
      low = 32,
      width = 32,
      text = "Source bits that are not compared."
    ),
    completed = WordField(
      name = "source",
      word = 4,
      low = 0,
      width = 32,
      text = "Source of the message or of the removed entry."
    ),
    inspected = WordField(
      name = "entry_source_ignore",
      word = 0,
      low = 32,
      width = 32,
      text = "Entry: ignored source bits."
    ),
    told = Some("SOURCE_BITS")
  )

  val all: Seq[KeyField] = Seq(matchBits, source)

  /** In the order of structures: of each field its value, then its mask. */
  val fields: Seq[WordField] = all.flatMap(f => Seq(f.value, f.ignore))
}
