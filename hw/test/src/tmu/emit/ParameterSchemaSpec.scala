// SPDX-License-Identifier: Apache-2.0
package tmu.emit

import org.scalatest.funspec.AnyFunSpec
import tmu.params.{Parameters, Presets, TableParams}

class ParameterSchemaSpec extends AnyFunSpec {
  private val text = ParameterSchema.render
  private val document = ParameterDocument.render.linesIterator.toSet

  describe("ParameterSchema") {
    it("has every parameter with its range and its help") {
      Parameters.all.foreach { p =>
        val head = s"""{"name": "${p.name}", "kind": "${p.range.kind}", """
        val line = text.linesIterator.find(_.trim.startsWith(head))
        assert(line.exists(l => l.contains(p.help) && l.contains(p.range.text)), p.name)
      }
    }

    it("has every rule, and every preset with all its values") {
      assert(
        text.linesIterator.count(_.trim.startsWith("{\"parameter\":")) == Parameters.rules.size
      )
      Presets.all.foreach { p =>
        val line = text.linesIterator.find(_.trim.startsWith(s""""${p.name}": {""")).get
        assert(line.contains(s""""endpoints": ${p.endpoints}, """), p.name)
        assert(line.contains(s""""parity": ${p.parity}, "reserve": ${p.reserve}"""), p.name)
        Parameters.all.foreach(one => assert(line.contains(s""""${one.name}": """)))
      }
    }

    it("tells of a design what it was elaborated from, and how many positions its tables have") {
      val own = ParameterSchema.configuration(Presets.tiny.copy(tagBits = 24, parity = false))
      assert(own.contains("\"tagBits\": 24,\n") && own.contains("\"parity\": false,\n"))
      val positions = TableParams.posted(Presets.tiny).positions
      assert(
        ParameterSchema.configuration(Presets.tiny).contains(s"\"postedPositions\": $positions,\n")
      )
    }
  }

  describe("ParameterDocument") {
    it("has a row for every parameter, and its value in every preset") {
      Parameters.all.foreach { p =>
        assert(document(s"| `${p.name}` | ${p.range.text} | ${p.help} |"))
      }
      val endpoints = Presets.all.map(_.endpoints).mkString(" | ")
      assert(document(s"| `endpoints` | $endpoints |"))
    }
  }
}
