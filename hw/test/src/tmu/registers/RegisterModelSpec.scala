// SPDX-License-Identifier: Apache-2.0
package tmu.registers

import org.scalatest.funspec.AnyFunSpec
import tmu.registers.Access.ReadWrite

class RegisterModelSpec extends AnyFunSpec {
  private def refusal(make: => Any): String =
    intercept[IllegalArgumentException](make).getMessage.stripPrefix("requirement failed: ")
  private def register(name: String, offset: Int, fields: RegisterField*) =
    Register(name, offset, ReadWrite, "Text.", fields)
  private def field(name: String, low: Int, width: Int) = RegisterField(name, low, width, "Text.")

  describe("RegisterField") {
    it("refuses bits that a register does not have") {
      val range = "a register has bits 0 to 31"
      assert(refusal(field("F", 31, 2)) == s"register field F takes bits 31 to 32; $range")
      assert(refusal(field("F", -1, 2)) == s"register field F takes bits -1 to 0; $range")
      assert(refusal(field("F", 3, 0)) == s"register field F takes bits 3 to 2; $range")
    }

    it("takes bit 31 alone and all 32 bits") {
      field("F", 31, 1)
      field("F", 0, 32)
    }
  }

  describe("Register") {
    it("refuses a name that is not upper case") {
      for (name <- Seq("", "Status", "9LIVES", "A-B"))
        assert(refusal(register(name, 0)) == s"register name '$name' must be upper case")
    }

    it("refuses an offset that is no multiple of 4") {
      assert(
        refusal(register("R", 6)) == "register R is at offset 6; offsets are multiples of 4"
      )
    }

    it("refuses fields that overlap") {
      assert(
        refusal(register("R", 0, field("A", 0, 5), field("B", 4, 1))) ==
          "register R: fields A and B overlap"
      )
    }

    it("has the bits of its fields, or all 32 without fields") {
      assert(register("R", 0).mask == BigInt("ffffffff", 16))
      assert(register("R", 0, field("A", 0, 1), field("B", 31, 1)).mask == BigInt("80000001", 16))
      assert(register("R", 0, field("A", 1, 31)).mask == BigInt("fffffffe", 16))
    }
  }

  describe("RegisterMap") {
    it("refuses two registers at one offset, naming both") {
      assert(
        refusal(RegisterMap("block", 64, Seq(register("A", 8), register("B", 8)))) ==
          "A and B share offset 0x8"
      )
    }

    it("refuses a name that is used twice") {
      assert(
        refusal(RegisterMap("block", 64, Seq(register("A", 8), register("A", 12)))) ==
          "register name A is used twice"
      )
    }

    it("refuses a register beyond the block") {
      assert(
        refusal(RegisterMap("block", 64, Seq(register("A", 64)))) ==
          "a register lies beyond the 64 bytes of block"
      )
    }

    it("finds a register by name, and says which one is missing") {
      val map = RegisterMap("block", 64, Seq(register("A", 8)))
      assert(map("A").offset == 8)
      assert(
        intercept[NoSuchElementException](map("B")).getMessage == "block has no register B"
      )
    }

    it("finds a field by its register and name, and says which one is missing") {
      val field = RegisterField("LOW", 3, 5, "A field.")
      val map = RegisterMap("block", 64, Seq(register("A", 8).copy(fields = Seq(field))))
      assert(map.field("A", "LOW") == field)
      assert(
        intercept[NoSuchElementException](map.field("A", "HIGH")).getMessage ==
          "register A has no field HIGH"
      )
    }
  }
}
