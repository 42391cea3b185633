// SPDX-License-Identifier: Apache-2.0
package tmu.layout

import org.scalatest.funspec.AnyFunSpec

class CodesSpec extends AnyFunSpec {
  describe("Code") {
    it("refuses a value that a byte does not hold, and 0") {
      for (value <- Seq(-1, 0, 256)) {
        val error = intercept[IllegalArgumentException](Code("odd", value, "Odd."))
        assert(
          error.getMessage ==
            s"requirement failed: code odd is $value; codes lie between 1 and 255"
        )
      }
    }
  }

  describe("Opcodes") {
    it("have the values of interface version 1") {
      assert(
        Opcodes.all.map(c => c.name -> c.value) == Seq(
          "post" -> 1,
          "arrive" -> 2,
          "probe" -> 3,
          "claim" -> 4,
          "cancel" -> 5,
          "flush" -> 6,
          "inspect" -> 7
        )
      )
    }
  }

  describe("Statuses") {
    it("have the values of interface version 1") {
      val names = "matched queued found none cancelled late removed flushed refused_quota " +
        "refused_endpoint stalled malformed refused_privilege entry empty vacant spill_failed " +
        "table_fault"
      assert(Statuses.all.map(_.name) == names.split(' ').toSeq)
      assert(Statuses.all.map(_.value) == (1 to 18))
    }
  }

  it("a card's codes follow the unit's") {
    assert(Opcodes.network.map(c => c.name -> c.value) == Seq("send" -> 8))
    assert(
      Statuses.network.map(c => c.name -> c.value) == Seq(
        "sent" -> 19,
        "undelivered" -> 20,
        "refused_peer" -> 21,
        "refused_memory" -> 22
      )
    )
  }

  it("every code says in a sentence what it means") {
    (Opcodes.all ++ Opcodes.network ++ Statuses.all ++ Statuses.network).foreach(c =>
      assert(c.text.endsWith("."), c.name)
    )
  }
}
