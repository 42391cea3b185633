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
      "match",
      1,
      0,
      64,
      "Match bits (MPI: the tag in the lowest TAG_BITS, the context above)."
    ),
    ignore = WordField(
      "ignore",
      2,
      0,
      64,
      "Match bits that are not compared (post, probe, claim, flush)."
    ),
    completed = WordField("match", 3, 0, 64, "Match bits of the message or of the removed entry."),
    inspected = WordField("entry_ignore", 6, 0, 64, "Entry: ignored match bits."),
    told = Some("MATCH_BITS")
  )

  val source: KeyField = KeyField(
    signal = "source",
    kept = _.sourceBits,
    value = WordField("source", 3, 0, 32, "Source."),
    ignore = WordField("source_ignore", 3, 32, 32, "Source bits that are not compared."),
    completed = WordField("source", 4, 0, 32, "Source of the message or of the removed entry."),
    inspected = WordField("entry_source_ignore", 0, 32, 32, "Entry: ignored source bits."),
    told = Some("SOURCE_BITS")
  )

  val all: Seq[KeyField] = Seq(matchBits, source)

  /** In the order of structures: of each field its value, then its mask. */
  val fields: Seq[WordField] = all.flatMap(f => Seq(f.value, f.ignore))
}
