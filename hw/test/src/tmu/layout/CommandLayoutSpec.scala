// SPDX-License-Identifier: Apache-2.0
package tmu.layout

import org.scalatest.funspec.AnyFunSpec

class CommandLayoutSpec extends AnyFunSpec {
  private val layout = CommandLayout.layout

  describe("CommandLayout") {
    it("gives every bit of the 64 bytes to exactly one field") {
      val bits = layout.fields.flatMap(f => (0 until f.width).map(f.word * 64 + f.low + _))
      assert(bits.sorted == (0 until 512))
    }

    it("has each field at the offset of interface version 1") {
      val offsets = layout.fields.map(f => f.name -> ((f.word, f.low, f.width))).toMap
      assert(offsets("opcode") == ((0, 0, 8)))
      assert(offsets("endpoint") == ((0, 32, 32)))
      assert(offsets("match") == ((1, 0, 64)))
      assert(offsets("ignore") == ((2, 0, 64)))
      assert(offsets("source") == ((3, 0, 32)))
      assert(offsets("source_ignore") == ((3, 32, 32)))
      assert(offsets("handle") == ((4, 0, 64)))
      assert(offsets("address") == ((5, 0, 64)))
      assert(offsets("length") == ((6, 0, 48)))
      assert(offsets("receive_id") == ((7, 0, 32)))
    }

    it("inspect reads position and queue from the address word, a card memory beside the id") {
      val overlays = layout.overlays.map(f => f.name -> ((f.word, f.low, f.width))).toMap
      assert(
        overlays == Map(
          "inspect_position" -> ((5, 0, 32)),
          "inspect_queue" -> ((5, 32, 1)),
          "memory" -> ((7, 32, 16))
        )
      )
    }
  }
}
