// SPDX-License-Identifier: Apache-2.0
package tmu.params

import org.scalatest.funspec.AnyFunSpec

class TmuParamsSpec extends AnyFunSpec {
  private val good = TmuParams("good", 4, 64, 64, 64, 8)

  /** The sentence with which a configuration is refused. */
  private def refusal(make: => TmuParams): String =
    intercept[IllegalArgumentException](make).getMessage.stripPrefix("requirement failed: ")

  describe("TmuParams refuses, naming preset, field, value and what is allowed:") {
    it("a name that is not lower-case letters and digits") {
      for (name <- Seq("", "Nic", "9nic", "n-i-c"))
        assert(
          refusal(good.copy(name = name)) ==
            s"preset name '$name' must be lower-case letters and digits"
        )
    }

    it("endpoints that are no power of two from 2 to 4096") {
      for (n <- Seq(0, 1, 3, 8192, -2))
        assert(
          refusal(good.copy(endpoints = n)) ==
            s"preset good: endpoints is $n; it must be a power of two from 2 to 4096"
        )
    }

    it("lanes that are no power of two from 2 to 256") {
      for (n <- Seq(1, 6, 512))
        assert(
          refusal(good.copy(lanes = n)) ==
            s"preset good: lanes is $n; it must be a power of two from 2 to 256"
        )
    }

    it("arrays of less than a row or no power of two") {
      for (n <- Seq(4, 48, 1 << 13))
        assert(
          refusal(good.copy(arrayEntries = n)) ==
            s"preset good: arrayEntries is $n; it must be a power of two from 8 to ${1 << 12}"
        )
    }

    it("filter ids and memory rows of other sizes") {
      for (n <- Seq(1, 12, 2048))
        assert(
          refusal(good.copy(filterLanes = n)) ==
            s"preset good: filterLanes is $n; it must be a power of two from 2 to 1024"
        )
      for (n <- Seq(0, 12, 64))
        assert(
          refusal(good.copy(filterBits = n)) ==
            s"preset good: filterBits is $n; it must be 8, 16 or 32"
        )
    }

    it("one queue that goes on beyond its array and one that does not") {
      assert(
        refusal(good.copy(unexpectedEntries = 128)) ==
          "preset good: postedEntries is 64 and unexpectedEntries 128; " +
          "both or neither must be more than arrayEntries, 64"
      )
    }

    it("tables smaller than their arrays or no power of two") {
      for (n <- Seq(32, 96, 1 << 21)) {
        val rule = s"it must be a power of two from 64 to ${1 << 20}"
        assert(refusal(good.copy(postedEntries = n)) == s"preset good: postedEntries is $n; $rule")
        assert(
          refusal(
            good.copy(unexpectedEntries = n)
          ) == s"preset good: unexpectedEntries is $n; $rule"
        )
      }
    }

    it("segments of memory that are no power of two; none is a unit without") {
      for (n <- Seq(3, 256))
        assert(
          refusal(good.copy(spillSegments = n)) ==
            s"preset good: spillSegments is $n; it must be 0 or a power of two from 1 to 128"
        )
      assert(!good.copy(spillSegments = 0).hasSpill && good.copy(spillSegments = 128).hasSpill)
    }

    it("widths and depths outside their range") {
      def check(what: String, low: Int, high: Int)(make: Int => TmuParams): Unit = {
        for (n <- Seq(low - 1, high + 1))
          assert(
            refusal(make(n)) == s"preset good: $what is $n; it must lie between $low and $high"
          )
        for (n <- Seq(low, high)) make(n)
      }
      check("matchBits", 2, 64)(n => good.copy(matchBits = n))
      check("sourceBits", 1, 32)(n => good.copy(sourceBits = n))
      check("handleBits", 1, 64)(n => good.copy(handleBits = n))
      check("addressBits", 1, 64)(n => good.copy(addressBits = n))
      check("lengthBits", 1, 48)(n => good.copy(lengthBits = n))
      check("idBits", 2, 31)(n => good.copy(idBits = n))
      check("queues", 2, 4096)(n => good.copy(queues = n))
    }
  }

  describe("TmuParams") {
    it("has one page a submission queue and the privileged one last") {
      val few = good.copy(queues = 6)
      assert(few.pages == 7)
      assert(few.privilegedPage == 6)
      assert(few.pageBits == 3)
      assert(few.endpointBits == 2)
      assert(few.doorbellAddressBits == 15)
    }

    it("counts depths up to a full table, the larger of both") {
      assert(good.depthBits == 7)
      assert(good.copy(postedEntries = 128, unexpectedEntries = 1024).depthBits == 11)
    }

    it("keeps the id of all ones for no receive") {
      assert(good.idNone == 0xfffff)
      assert(good.copy(idBits = 4).idNone == 15)
    }
  }
}
