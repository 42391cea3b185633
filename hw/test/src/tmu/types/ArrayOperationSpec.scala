// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import scala.util.Random
import tmu.{DeviceSpec, Seeds}
import tmu.matching.{PlainEntry, PlainKey, TablePokes}
import tmu.params.{TableParams, TmuParams}

class ArrayOperationHarness(p: TmuParams, t: TableParams) extends Module {
  val io = IO(new Bundle {
    val asks = Input(new ArrayOperation(p, t))
    val entry = Input(new LaneEntry(p, t))
    val hits = Output(Bool())
  })
  io.hits := ArrayOperation.hits(p, t, io.asks, io.entry)
}

class ArrayOperationSpec extends DeviceSpec with TablePokes {
  private val p =
    TmuParams("lane", 4, 16, 16, 16, 4, contextBits = 3, tagBits = 3, sourceBits = 3, idBits = 5)
  private val receives = device(new ArrayOperationHarness(p, TableParams.posted(p)))
  private val messages = device(new ArrayOperationHarness(p, TableParams.unexpected(p)))

  private def key(r: Random) = PlainKey.random(r, p.matchBits, p.sourceBits, 2)
  private def mask(r: Random) = PlainKey.mask(r, p.matchBits, p.sourceBits)
  private val all = PlainKey(63, 7)

  private def load(dut: ArrayOperationHarness, e: PlainEntry): Unit = {
    dut.io.entry.endpoint.poke(e.endpoint)
    pokeKey(dut.io.entry.key, e.key)
    dut.io.entry.ignore.foreach(pokeKey(_, e.ignore))
    dut.io.entry.id.foreach(_.poke(e.id))
  }
  private def ask(
      dut: ArrayOperationHarness,
      endpoint: Int,
      k: PlainKey,
      ignore: PlainKey
  ): Unit = {
    dut.io.asks.endpoint.poke(endpoint)
    pokeKey(dut.io.asks.key, k)
    pokeKey(dut.io.asks.ignore, ignore)
    dut.io.asks.byId.foreach(_.poke(false))
  }
  private def compareAtRandom(r: Random, dut: ArrayOperationHarness, wildcards: Boolean): Unit = {
    var hits = 0
    for (_ <- 0 until 500) {
      val ignored = if (wildcards) mask(r) else PlainKey.zero
      val e = PlainEntry(r.nextInt(2), key(r), ignored, r.nextInt(4))
      val (endpoint, k, ignore) = (r.nextInt(2), key(r), mask(r))
      load(dut, e)
      ask(dut, endpoint, k, ignore)
      val expected = e.endpoint == endpoint && PlainKey.matches(e, k, ignore)
      assert(dut.io.hits.isOn == expected, s"$e asked $endpoint $k $ignore")
      if (expected) hits += 1
    }
    assert(hits > 20 && hits < 480)
  }

  describe("ArrayOperation") {
    it("R1, R13: a posted receive is hit where endpoint and unignored bits are equal") {
      val random = Seeds.random("ArrayOperation receives")
      receives.run(compareAtRandom(random, _, wildcards = true))
    }

    it("R1, R13: a message, which ignores nothing, is hit under the asker's mask") {
      val random = Seeds.random("ArrayOperation messages")
      messages.run(compareAtRandom(random, _, wildcards = false))
    }

    it("R13: an equal key of another endpoint never hits, even with everything ignored") {
      receives.run { dut =>
        for (mine <- 0 to 3; asked <- 0 to 3) {
          load(dut, PlainEntry(mine, PlainKey.zero, all, 0))
          ask(dut, asked, PlainKey.zero, all)
          assert(dut.io.hits.isOn == (mine == asked), s"endpoints $mine and $asked")
        }
      }
    }

    it("R10: by id hits the endpoint's receive with that id, whatever the key") {
      val random = Seeds.random("ArrayOperation ids")
      receives.run { dut =>
        for (_ <- 0 until 200) {
          val e = PlainEntry(random.nextInt(2), key(random), mask(random), random.nextInt(4))
          val (endpoint, id) = (random.nextInt(2), random.nextInt(4))
          load(dut, e)
          ask(dut, endpoint, key(random), PlainKey.zero)
          dut.io.asks.byId.get.poke(true)
          dut.io.asks.id.get.poke(id)
          assert(dut.io.hits.isOn == (e.endpoint == endpoint && e.id == id), s"$e, id $id")
        }
      }
    }

    it("R10: a message has no id that could be named") {
      assert(new ArrayOperation(p, TableParams.unexpected(p)).byId.isEmpty)
    }
  }
}
