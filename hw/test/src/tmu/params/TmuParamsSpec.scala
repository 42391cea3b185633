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

    it("arrays that are no power of two or have fewer than two rows") {
      for (n <- Seq(2, 48, 1 << 13))
        assert(
          refusal(good.copy(arrayEntries = n)) ==
            s"preset good: arrayEntries is $n; it must be a power of two from 4 to ${1 << 12}"
        )
      for (n <- Seq(4, 8))
        assert(
          refusal(good.copy(arrayEntries = n)) ==
            s"preset good: arrayEntries is $n; it must be at least 2 times lanes, 8: " +
            "an array of one row is not supported"
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
      val rule =
        "it must be more than arrayEntries, 64: both queues have memory rows or neither has"
      assert(
        refusal(good.copy(unexpectedEntries = 128)) ==
          s"preset good: postedEntries is 64; $rule"
      )
      assert(
        refusal(good.copy(postedEntries = 128)) ==
          s"preset good: unexpectedEntries is 64; $rule"
      )
    }

    it("tables smaller than their arrays or no power of two") {
      val power = s"it must be a power of two from 4 to ${1 << 20}"
      for (n <- Seq(2, 96, 1 << 21)) {
        assert(refusal(good.copy(postedEntries = n)) == s"preset good: postedEntries is $n; $power")
        assert(
          refusal(good.copy(unexpectedEntries = n)) ==
            s"preset good: unexpectedEntries is $n; $power"
        )
      }
      val array =
        "it must be at least arrayEntries, 64: the array holds the oldest of a queue's entries"
      assert(refusal(good.copy(postedEntries = 32)) == s"preset good: postedEntries is 32; $array")
      assert(
        refusal(good.copy(unexpectedEntries = 32)) ==
          s"preset good: unexpectedEntries is 32; $array"
      )
    }

    it("fewer receive ids than receives") {
      assert(
        refusal(good.copy(idBits = 6)) ==
          "preset good: 2 to the power of idBits is 64; it must be more than postedEntries, 64: " +
          "each receive that is queued has an id of its own"
      )
    }

    it("receive ids that are wider than handles") {
      assert(
        refusal(good.copy(handleBits = 19)) ==
          "preset good: handleBits is 19; it must be at least idBits, 20: " +
          "the driver finds a receive by a handle of its own"
      )
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
      check("contextBits", 1, 32)(n => good.copy(contextBits = n))
      check("tagBits", 2, 32)(n => good.copy(tagBits = n))
      check("sourceBits", 1, 32)(n => good.copy(sourceBits = n))
      check("addressBits", 1, 64)(n => good.copy(addressBits = n))
      check("lengthBits", 1, 48)(n => good.copy(lengthBits = n))
      for (n <- Seq(1, 32))
        assert(
          refusal(good.copy(idBits = n)) ==
            s"preset good: idBits is $n; it must lie between 2 and 31"
        )
      check("queues", 2, 4096)(n => good.copy(queues = n))
    }
  }

  describe("TmuParams") {
    it("has a range, a help and a line in the schema for each of its fields") {
      assert(Parameters.all.map(_.name) == good.productElementNames.drop(1).toSeq)
      assert(Parameters.all.forall(_.help.endsWith(".")))
      val names = Parameters.all.map(_.name).toSet
      val named = Parameters.rules.flatMap(r =>
        Seq(r.parameter, r.other) ++ r.when.toSeq.flatMap { case (more, less) => Seq(more, less) }
      )
      assert(named.forall(names))
    }

    it("is made of a preset and values, with a number of its own") {
      val own = TmuParams.own("nic:endpoints=16,parity=0,tagBits=24")
      assert(own == Presets.nic.copy("own", endpoints = 16, parity = false, tagBits = 24))
      assert(Presets.number(own) == Presets.ownNumber && own.matchBits == 56)
      assert(refusal(TmuParams.own("nic:speed=1")).contains("there is no parameter 'speed'"))
      assert(refusal(TmuParams.own("nic:lanes=3")).startsWith("preset own: lanes is 3; it must be"))
    }

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
      assert(good.copy(idBits = 8).idNone == 255)
    }
  }
}
