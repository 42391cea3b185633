// SPDX-License-Identifier: Apache-2.0
package tmu.layout

import org.scalatest.funspec.AnyFunSpec

class CompletionLayoutSpec extends AnyFunSpec {
  private val layout = CompletionLayout.layout
  private def offsets(fields: Seq[WordField]) =
    fields.map(f => f.name -> ((f.word, f.low, f.width))).toMap

  describe("CompletionLayout") {
    it("has each field at the offset of interface version 1") {
      assert(
        offsets(layout.fields) == Map(
          "opcode" -> ((0, 0, 8)),
          "status" -> ((0, 8, 8)),
          "phase" -> ((0, 16, 1)),
          "truncated" -> ((0, 17, 1)),
          "unexpected" -> ((0, 18, 1)),
          "serial" -> ((0, 32, 32)),
          "handle" -> ((1, 0, 64)),
          "other" -> ((2, 0, 64)),
          "match" -> ((3, 0, 64)),
          "source" -> ((4, 0, 32)),
          "endpoint" -> ((4, 32, 32)),
          "message_length" -> ((5, 0, 48)),
          "host_latency" -> ((5, 48, 16)),
          "receive_length" -> ((6, 0, 48)),
          "unit_latency" -> ((6, 48, 16)),
          "address" -> ((7, 0, 64))
        )
      )
    }

    it("has the other meanings of a finished flush, an inspected entry and a send") {
      assert(
        offsets(layout.overlays) == Map(
          "removed_posted" -> ((2, 0, 32)),
          "removed_unexpected" -> ((2, 32, 32)),
          "entry_source_ignore" -> ((0, 32, 32)),
          "entry_ignore" -> ((6, 0, 64)),
          "peer" -> ((2, 0, 16)),
          "code" -> ((2, 16, 8)),
          "given_up" -> ((2, 24, 1))
        )
      )
    }

    it("keeps the bytes that tell a new completion (opcode, status, phase) out of every overlay") {
      val first = layout.fields.filter(f => f.word == 0 && f.low < 32)
      for (o <- layout.overlays; f <- first)
        assert(o.word != 0 || o.low >= f.low + f.width, s"${o.name} covers ${f.name}")
    }
  }
}
