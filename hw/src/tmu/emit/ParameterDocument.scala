// SPDX-License-Identifier: Apache-2.0
package tmu.emit

import tmu.params.{Flag, Parameters, Presets, Rule}

/** Renders the parameters of a configuration as a Markdown document. */
object ParameterDocument {
  private def row(cells: Seq[String]): String = cells.mkString("| ", " | ", " |")

  private def table(head: Seq[String], rows: Seq[Seq[String]]): Seq[String] =
    Seq(row(head), row(head.map(_ => "---"))) ++ rows.map(row)

  private def parameters: Seq[String] = table(
    Seq("parameter", "must", "meaning"),
    Parameters.all.map(p => Seq(s"`${p.name}`", p.range.text, p.help))
  )

  private def rule(r: Rule): String = {
    val bound = s"${if (r.strict) "more than" else "at least"} " +
      s"${if (r.times == 1) "" else s"${r.times} times "}`${r.other}`"
    val when = r.when.fold("") { case (more, less) => s" where `$more` is more than `$less`" }
    s"- ${r.subject(s"`${r.parameter}`")} is $bound$when: ${r.text}."
  }

  private def presets: Seq[String] = table(
    "parameter" +: Presets.all.map(p => s"`${p.name}`"),
    Parameters.all.map { one =>
      s"`${one.name}`" +: Presets.all.map { p =>
        val value = p.values(one.name)
        if (one.range == Flag) s"${value != 0}" else s"$value"
      }
    }
  )

  def render: String = (Seq(
    s"<!-- ${Notice.text} -->",
    "# Parameters",
    "",
    "Every parameter of a [configuration](configuration.md), and its value in each preset.",
    ""
  ) ++ parameters ++ Seq("", "## Rules between parameters", "") ++ Parameters.rules.map(rule) ++
    Seq("", "## Presets", "") ++ presets).mkString("", "\n", "\n")
}
