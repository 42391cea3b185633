// SPDX-License-Identifier: Apache-2.0
package tmu

import java.nio.file.{Files, Path, Paths}
import org.scalatest.funspec.AnyFunSpec

class ElaborateSpec extends AnyFunSpec {
  private def refusal(arguments: String*): String =
    intercept[IllegalArgumentException](Elaborate.main(arguments.toArray)).getMessage
  private def folder(): Path = Files.createTempDirectory("tmu-elaborate")

  describe("Elaborate") {
    it("says what it found and how it is called when the arguments are wrong") {
      val usage =
        "usage: Elaborate generate ROOT | " +
          "Elaborate verilog PRESET FOLDER [--card] [FIRTOOL-OPTION ...] | " +
          "Elaborate lanes FOLDER | Elaborate card FOLDER [FIRTOOL-OPTION ...] | " +
          "Elaborate check PRESET[:PARAMETER=VALUE,...] ..."
      assert(refusal() == s"found arguments ''; $usage")
      assert(refusal("generate") == s"found arguments 'generate'; $usage")
      assert(refusal("generate", "a", "b") == s"found arguments 'generate a b'; $usage")
      assert(refusal("verilog", "tiny") == s"found arguments 'verilog tiny'; $usage")
      assert(refusal("vhdl", "tiny", "x") == s"found arguments 'vhdl tiny x'; $usage")
    }

    it("names the known presets when asked for an unknown one, and writes nothing") {
      val target = folder()
      val message = refusal("verilog", "huge", target.toString)
      assert(message == "unknown preset 'huge'; known: nic, tiny, formal, ecp5, max, many, small")
      assert(!Files.list(target).findAny.isPresent)
    }

    it("generates every committed file, byte for byte what it lists") {
      val target = folder()
      Elaborate.main(Array("generate", target.toString))
      assert(Elaborate.generated.size == 11)
      Elaborate.generated.foreach { case (file, text) =>
        assert(Files.readString(target.resolve(Paths.get(file))) == text, file)
      }
    }
  }
}
