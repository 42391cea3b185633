// SPDX-License-Identifier: Apache-2.0
package tmu.mutant

import _root_.circt.stage.ChiselStage
import chisel3._
import org.scalatest.funspec.AnyFunSpec

class MutantSpec extends AnyFunSpec {

  private class Sum(has: Boolean) extends Module {
    val io = IO(new Bundle {
      val a = Input(UInt(4.W))
      val b = Input(UInt(4.W))
      val sum = Output(UInt(4.W))
    })
    private val right = io.a + io.b
    io.sum := (if (has) Mutant("difference", right)(_ => io.a - io.b) else right)
  }
  private def verilog(has: Boolean) =
    ChiselStage.emitSystemVerilog(new Sum(has), firtoolOpts = Array("-strip-debug-info"))

  describe("Mutant") {
    it("leaves nothing in a design that is not elaborated for tests") {
      assert(verilog(has = true) == verilog(has = false))
    }

    it("chooses between the right value and the wrong one by a switch without a body") {
      val text = Mutant.withSwitches(verilog(has = true))
      assert(text.contains("Mutant_difference"))
      assert(!text.contains("module Mutant_difference"))
      assert("""_\w+_on \? io_a - io_b : io_a \+ io_b""".r.findFirstIn(text).isDefined, text)
    }

    it("ends with the elaboration that asked for it") {
      Mutant.withSwitches(verilog(has = true))
      assert(!verilog(has = true).contains("Mutant_"))
    }
  }
}
