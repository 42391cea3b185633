// SPDX-License-Identifier: Apache-2.0
package tmu.emit

import tmu.params.{Flag, Parameter, Parameters, Presets, Rule, TableParams, TmuParams}

/** Renders parameters, their ranges, rules and help, and the values of each preset, as JSON. */
object ParameterSchema {
  private def quoted(text: String): String =
    "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\""

  private def member(name: String, value: String): String = s"${quoted(name)}: $value"

  private def parameter(p: Parameter): String = Seq(
    member("name", quoted(p.name)),
    member("kind", quoted(p.range.kind)),
    member("numbers", p.range.numbers.mkString("[", ", ", "]")),
    member("must", quoted(p.range.text)),
    member("help", quoted(p.help))
  ).mkString("{", ", ", "}")

  private def rule(r: Rule): String = Seq(
    member("parameter", quoted(r.parameter)),
    member("times", s"${r.times}"),
    member("other", quoted(r.other)),
    member("strict", s"${r.strict}"),
    member("power", s"${r.power}"),
    member(
      "when",
      r.when.fold("null") { case (more, less) => s"[${quoted(more)}, ${quoted(less)}]" }
    ),
    member("text", quoted(r.text))
  ).mkString("{", ", ", "}")

  private def values(p: TmuParams): Seq[String] = Parameters.all.map { one =>
    val value = p.values(one.name)
    member(one.name, if (one.range == Flag) s"${value != 0}" else s"$value")
  }

  private def preset(p: TmuParams): String = member(p.name, values(p).mkString("{", ", ", "}"))

  /** Configuration of an elaborated design, beside its files; with the locations that an inspect
    * can name.
    */
  def configuration(p: TmuParams): String = {
    val positions = Seq(
      member("postedPositions", s"${TableParams.posted(p).positions}"),
      member("unexpectedPositions", s"${TableParams.unexpected(p).positions}")
    )
    (values(p) ++ positions).map("  " + _).mkString("{\n", ",\n", "\n}\n")
  }

  private def lines(all: Seq[String]): String = all.map("    " + _).mkString("\n", ",\n", "\n  ")

  def render: String = Seq(
    member("notice", quoted(Notice.text)),
    member("parameters", s"[${lines(Parameters.all.map(parameter))}]"),
    member("rules", s"[${lines(Parameters.rules.map(rule))}]"),
    member("functional", Parameters.functional.map(p => quoted(p.name)).mkString("[", ", ", "]")),
    member("presets", s"{${lines(Presets.all.map(preset))}}")
  ).map("  " + _).mkString("{\n", ",\n", "\n}\n")
}
