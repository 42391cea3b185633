// SPDX-License-Identifier: Apache-2.0
package tmu.emit

import tmu.layout.{KeyField, KeyLayout}

/** Renders what C knows of the key: the structures that have it, and tables of its fields.
  *
  * A released member keeps its offset, so a field that is added later is the last member.
  */
object KeyHeader {
  private def kind(width: Int): String = s"uint${Seq(8, 16, 32, 64).find(_ >= width).get}_t"
  private def member(name: String, width: Int): String = s"    ${kind(width)} $name;"
  private def value(f: KeyField): String = member(f.value.name, f.value.width)
  private def values(all: Seq[KeyField]): Seq[String] = all.map(value)
  private val first: Seq[KeyField] = KeyLayout.all.take(2)
  private val later: Seq[KeyField] = KeyLayout.all.drop(2)

  private def key: Seq[String] =
    Seq(
      "/** What a receive, probe, claim or flush compares; a 1 in an ignore mask leaves a bit out (R1). */",
      "typedef struct tmu_key {"
    ) ++ KeyLayout.fields.map(f => member(f.name, f.width)) :+ "} tmu_key_t;"

  private def message: Seq[String] =
    Seq("/** A message that arrives. */", "typedef struct tmu_message {") ++ values(first) ++ Seq(
      "    uint64_t handle; /**< the caller's, returned unchanged (R15) */",
      "    uint64_t place;  /**< where the message waits while it is unexpected */",
      "    uint64_t length; /**< in bytes, below 2^48 */"
    ) ++ values(later) :+ "} tmu_message_t;"

  private def completion: Seq[String] = Seq(
    "/** A decoded completion.  Fields that an opcode does not have are 0. */",
    "typedef struct tmu_completion {",
    "    uint8_t opcode;   /**< TMU_OPCODE_*: the operation that it answers */",
    "    uint8_t status;   /**< TMU_STATUS_*: the verdict */",
    "    bool truncated;   /**< the message is longer than its receive (R12) */",
    "    bool unexpected;  /**< status removed: the entry was a message, not a receive */",
    "    uint32_t endpoint; /**< endpoint of the operation */",
    "    uint32_t serial;  /**< the verdict's number in its endpoint's order (R7) */",
    s"${value(KeyLayout.source)}  /**< of the message or entry */",
    "    uint64_t handle;  /**< of the operation */",
    "    uint64_t other;   /**< of the partner: receive, message or removed entry */",
    s"${value(KeyLayout.matchBits)}   /**< match bits of the message or entry */",
    "    uint64_t message_length;     /**< bytes of the message */",
    "    uint64_t receive_length;     /**< bytes of the receive */",
    "    uint64_t address;            /**< receive's buffer, message's address, or the entry's own */",
    "    uint32_t removed_posted;     /**< status flushed: receives removed */",
    "    uint32_t removed_unexpected; /**< status flushed: messages removed */",
    "    uint16_t unit_latency;       /**< clocks in the matching unit, saturating */",
    "    uint16_t host_latency;       /**< clocks including the host interface, saturating */"
  ) ++ values(later) :+ "} tmu_completion_t;"

  private def table(name: String, rows: Seq[String]): Seq[String] =
    Seq(s"#define $name \\") :+ rows.mkString(" \\\n")

  /** Of `tmu_regs.h`. */
  def tables: Seq[String] = {
    def copies(names: Seq[String]): String =
      names.map(name => s"(to).$name = (from).$name").mkString("    ((void)(", "), (void)(", "))")
    val all = KeyLayout.all
    Seq(
      "/* X(value, mask, VALUE, MASK, type, kept, signal): for each field of the key the members of",
      " * structures, the names in records, the members' type, the bits that the unit of `info` keeps,",
      " * and the name in the hardware. */"
    ) ++
      table(
        "TMU_KEY_TABLE(X)",
        all.map { f =>
          val (v, m) = (f.value.name, f.ignore.name)
          val kept = f.told.map(t => s"(info)->${t.toLowerCase}").getOrElse(s"${f.value.width}u")
          s"    X($v, $m, ${v.toUpperCase}, ${m.toUpperCase}, ${kind(f.value.width)}, $kept, ${f.signal})"
        }
      ) ++
      Seq(
        "/* Copies or compares a key, or its values alone, in structures with members of these names. */"
      ) ++
      table("TMU_KEY_COPY(to, from)", Seq(copies(KeyLayout.fields.map(_.name)))) ++
      table("TMU_KEY_COPY_VALUES(to, from)", Seq(copies(all.map(_.value.name)))) ++
      table(
        "TMU_KEY_SAME_VALUES(a, b)",
        Seq(
          all.map(f => s"(a).${f.value.name} == (b).${f.value.name}").mkString("    (", " && ", ")")
        )
      )
  }

  def render: String = (Seq(
    "/* SPDX-License-Identifier: Apache-2.0 */",
    s"/* ${Notice.text} */",
    "#ifndef TMU_TMU_KEY_H",
    "#define TMU_TMU_KEY_H",
    "#include <stdbool.h>",
    "#include <stdint.h>",
    "",
    "/* clang-format off */"
  ) ++ Seq(key, message, completion).flatMap(_ :+ "") ++
    Seq("/* clang-format on */", "#endif")).mkString("", "\n", "\n")
}
