// SPDX-License-Identifier: Apache-2.0
package tmu.emit

import tmu.registers.{Discovered, Discovery}

/** Renders what software knows of the discovery block: two structures and a table. */
object DiscoveryHeaders {
  private val licence = "/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */"

  private def header(guard: String, body: Seq[String]): String =
    (Seq(licence, s"/* ${Notice.text} */", s"#ifndef $guard", s"#define $guard") ++ body ++
      Seq("", "#endif")).mkString("", "\n", "\n")

  /** A text as the comment above a member, at most 100 columns wide. */
  private def comment(text: String, opening: String): Seq[String] = {
    val lines = text.split(' ').foldLeft(Seq.empty[String]) {
      case (rest :+ last, word) if last.length + word.length < 84 => rest :+ s"$last $word"
      case (all, word)                                            => all :+ word
    }
    val marked = s"    $opening ${lines.head}" +: lines.tail.map(one => s"     * $one")
    marked.init :+ s"${marked.last} */"
  }

  private def member(kind: String, one: Discovered, opening: String): Seq[String] =
    comment(one.text, opening) :+ s"    $kind ${one.member};"

  /** Answer of `tmu_query`. */
  def info: String = header(
    "TMU_TMU_INFO_H",
    Seq(
      "#include <stdbool.h>",
      "#include <stdint.h>",
      "",
      "/* clang-format off */",
      "/** What the device says that it is: the discovery block. */",
      "typedef struct tmu_info {",
      "    const char *scheme; /**< of the URI; lives as long as the library */",
      "    uint16_t interface_major;",
      "    uint16_t interface_minor;",
      "    /** A session beside others: endpoints are those of the session alone. */",
      "    bool shared;"
    ) ++ Discovery.all.flatMap(member("uint32_t", _, "/**")) ++
      Seq("} tmu_info_t;", "/* clang-format on */")
  )

  /** Answer to a session: memory is counted as it was registered. */
  def query: String = {
    val members = Discovery.all.sortBy(_.offset).flatMap {
      case one if one.name == "SPILL_SEGMENTS" =>
        Seq(
          "    /* Interrupts; pages from this number on have none. */",
          "    __u32 vectors;",
          "    /* Memory that is registered with the unit, in segments. */",
          "    __u32 spill_segments;",
          "    /* Chunks of it in which nothing lies. */",
          "    __u32 spill_free;"
        )
      case one => member("__u32", one, "/*")
    }
    header(
      "TMU_QUERY_H",
      Seq(
        "#include <linux/types.h>",
        "",
        "/* clang-format off */",
        "/* The unit, as its discovery registers have it, and its memory. */",
        "struct tmu_ioctl_query {",
        "    __u32 size;",
        "    __u32 version;",
        "    __u32 interface_version;"
      ) ++ members ++ Seq("};", "/* clang-format on */")
    )
  }

  private def rows(all: Seq[String]): Seq[String] = Seq(all.mkString(" \\\n"))

  /** The tables of `tmu_regs.h`. */
  def tables: Seq[String] = {
    val members = Discovery.all.map { one =>
      val needs = one.needs.map(n => 1 << Discovery.abilities.indexWhere(_.name == n)).getOrElse(0)
      s"    X(${one.member}, TMU_REG_${one.name}, ${one.since}, 0x${needs.toHexString}, ${one.older})"
    }
    val parameters =
      for (one <- Discovery.all; parameter <- one.parameter)
        yield s"    X(TMU_REG_${one.name}, ${CHeader.snakeCase(parameter)})"
    Seq(
      "/* X(member, offset, since, needs, older): of discovery. A unit of a minor version before",
      " * `since`, or without the capabilities `needs`, has no such register, and `older` holds. */",
      "#define TMU_DISCOVERY_TABLE(X) \\"
    ) ++ rows(members) ++
      Seq(
        "/* X(offset, parameter): of discovery, what tells a parameter of TMU_PARAMETER_TABLE */",
        "#define TMU_DISCOVERY_PARAMETER_TABLE(X) \\"
      ) ++ rows(parameters) ++
      Seq("/* X(name, bit): of CAPABILITIES */", "#define TMU_CAPABILITY_TABLE(X) \\") ++
      rows(Discovery.abilities.zipWithIndex.map { case (one, bit) =>
        s"    X(${one.name.toLowerCase}, $bit)"
      })
  }
}
