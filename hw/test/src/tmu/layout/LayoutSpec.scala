// SPDX-License-Identifier: Apache-2.0
package tmu.layout

import chisel3._
import tmu.{DeviceSpec, Seeds}

/** Packs a record from the widths at both ends and takes it apart again. */
class LayoutHarness extends Module {
  val widths: Seq[WordField] = Seq(
    WordField("one", 0, 0, 1, "One."),
    WordField("most", 0, 1, 63, "Most."),
    WordField("low", 3, 0, 32, "Low."),
    WordField("middle", 3, 32, 31, "Middle."),
    WordField("top", 3, 63, 1, "Top."),
    WordField("whole", 7, 0, 64, "Whole.")
  )
  private val layout = Layout("record", widths)
  val io = IO(new Bundle {
    val fields = Input(Vec(widths.size, UInt(64.W)))
    val record = Output(UInt(512.W))
    val back = Output(Vec(widths.size, UInt(64.W)))
  })
  io.record := layout.pack(widths.zip(io.fields): _*)
  widths.zip(io.back).foreach { case (field, value) => value := field.of(io.record) }
}

class LayoutSpec extends DeviceSpec {
  private val harness = device(new LayoutHarness)
  private def refusal(make: => Any): String =
    intercept[IllegalArgumentException](make).getMessage.stripPrefix("requirement failed: ")
  private def field(name: String, low: Int, width: Int) = WordField(name, 2, low, width, "Text.")

  describe("WordField") {
    it("refuses a word that a record of 64 bytes does not have") {
      for (word <- Seq(-1, 8))
        assert(
          refusal(WordField("f", word, 0, 8, "Text.")) ==
            s"field f is in word $word; records have words 0 to 7"
        )
    }

    it("refuses bits beyond its word, negative ones and none at all") {
      assert(refusal(field("f", 60, 5)) == "field f takes bits 60 to 64; a word has bits 0 to 63")
      assert(refusal(field("f", -1, 5)) == "field f takes bits -1 to 3; a word has bits 0 to 63")
      assert(refusal(field("f", 4, 0)) == "field f takes bits 4 to 3; a word has bits 0 to 63")
    }
  }

  describe("Layout") {
    it("refuses fields that overlap, whichever comes first") {
      val a = field("a", 0, 9)
      val b = field("b", 8, 8)
      assert(refusal(Layout("record", Seq(a, b))) == "record: a and b overlap in word 2")
      assert(refusal(Layout("record", Seq(b, a))) == "record: b and a overlap in word 2")
    }

    it("takes fields that touch, and the same bits in another word") {
      Layout("record", Seq(field("a", 0, 8), field("b", 8, 8), WordField("c", 3, 0, 8, "Text.")))
    }

    it("takes overlays over fields") {
      Layout("record", Seq(field("a", 0, 8)), overlays = Seq(field("b", 0, 64)))
    }

    it("packs fields of width 1, 31, 32, 63 and 64 where they belong and finds them again") {
      val random = Seeds.random("Layout.pack")
      harness.run { dut =>
        for (_ <- 0 until 200) {
          val values = dut.widths.map(f => BigInt(f.width, random))
          values.zip(dut.io.fields).foreach { case (v, port) => port.poke(v) }
          val expected = dut.widths.zip(values).map { case (f, v) => v << (64 * f.word + f.low) }
          assert(dut.io.record.value == expected.sum)
          dut.io.back.zip(values).foreach { case (port, v) => assert(port.value == v) }
        }
      }
    }

    it("cuts a value that is wider than its field, so that no neighbour is touched") {
      harness.run { dut =>
        dut.io.fields.foreach(_.poke(0))
        dut.io.fields(0).poke(2)
        dut.io.fields(2).poke(BigInt(1) << 40)
        assert(dut.io.record.value == 0)
      }
    }
  }
}
