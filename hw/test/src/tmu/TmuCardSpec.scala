// SPDX-License-Identifier: Apache-2.0
package tmu

import _root_.circt.stage.ChiselStage
import org.scalatest.funspec.AnyFunSpec
import tmu.params.Presets

class TmuCardSpec extends AnyFunSpec {
  describe("TmuCard") {
    it("elaborates from preset tiny") {
      val text = ChiselStage.emitCHIRRTL(new TmuCard(Presets.tiny.card))
      assert(text.contains("public module TmuCard") && text.contains("module SendPath"))
    }

    it("refuses queues in memory") {
      val error = intercept[Exception](ChiselStage.emitCHIRRTL(new TmuCard(Presets.tiny)))
      assert(s"$error ${error.getCause}".contains("its card takes none yet"))
    }
  }
}
