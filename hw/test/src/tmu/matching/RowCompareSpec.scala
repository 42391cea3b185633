// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import scala.util.Random
import tmu.{DeviceSpec, Seeds}
import tmu.params.TmuParams

class RowCompareHarness(p: TmuParams, t: TableParams) extends Module {
  val io = IO(new Bundle {
    val lanes = Input(Vec(t.lanes, new LaneEntry(p, t)))
    val request = Input(new SearchRequest(p, t))
    val valid = Input(UInt(8.W))
    val hits = Output(UInt(t.lanes.W))
  })
  io.hits := RowCompare.hits(p, io.lanes, io.request, io.valid)
}

class RowCompareSpec extends DeviceSpec {
  private val p = TmuParams("rows", 4, 16, 16, 4, matchBits = 6, sourceBits = 3, idBits = 4)
  private val receives = device(new RowCompareHarness(p, TableParams.posted(p)))
  private val messages = device(new RowCompareHarness(p, TableParams.unexpected(p)))

  private def pokeKey(port: MatchKey, key: PlainKey): Unit = {
    port.bits.poke(key.bits)
    port.source.poke(key.source)
  }
  private def key(r: Random) = PlainKey.random(r, p.matchBits, p.sourceBits, 2)
  private def mask(r: Random) = PlainKey.mask(r, p.matchBits, p.sourceBits)

  private def entries(r: Random, wildcards: Boolean): Seq[PlainEntry] = Seq.fill(p.lanes)(
    PlainEntry(r.nextInt(2), key(r), if (wildcards) mask(r) else PlainKey.zero, r.nextInt(4))
  )

  private def load(dut: RowCompareHarness, row: Seq[PlainEntry]): Unit =
    row.zip(dut.io.lanes).foreach { case (e, lane) =>
      lane.endpoint.poke(e.endpoint)
      pokeKey(lane.key, e.key)
      lane.ignore.foreach(pokeKey(_, e.ignore))
      lane.id.foreach(_.poke(e.id))
      lane.slot.poke(0)
    }

  private def ask(dut: RowCompareHarness, endpoint: Int, k: PlainKey, ignore: PlainKey): Unit = {
    dut.io.request.operation.poke(SearchOperation.find)
    dut.io.request.endpoint.poke(endpoint)
    pokeKey(dut.io.request.key, k)
    pokeKey(dut.io.request.ignore, ignore)
  }

  private def mask(row: Seq[PlainEntry], valid: Int)(hit: PlainEntry => Boolean): BigInt =
    row.zipWithIndex.collect { case (e, i) if i < valid && hit(e) => BigInt(1) << i }.sum

  private def compareAtRandom(r: Random, dut: RowCompareHarness, wildcards: Boolean): Unit =
    for (_ <- 0 until 400) {
      val row = entries(r, wildcards)
      val (endpoint, k, ignore) = (r.nextInt(2), key(r), mask(r))
      val valid = r.nextInt(p.lanes + 3)
      load(dut, row)
      ask(dut, endpoint, k, ignore)
      dut.io.valid.poke(valid)
      val expected =
        mask(row, valid)(e => e.endpoint == endpoint && PlainKey.matches(e, k, ignore))
      assert(dut.io.hits.value == expected, s"$row asked $endpoint $k $ignore, $valid valid")
    }

  describe("RowCompare") {
    it("R1, R13: posted receives hit where endpoint and unignored bits are equal") {
      val random = Seeds.random("RowCompare receives")
      receives.run(compareAtRandom(random, _, wildcards = true))
    }

    it("R1, R13: messages, which ignore nothing, hit under the request's mask") {
      val random = Seeds.random("RowCompare messages")
      messages.run(compareAtRandom(random, _, wildcards = false))
    }

    it("R13: an equal key of another endpoint never hits, even with everything ignored") {
      receives.run { dut =>
        val all = PlainKey(63, 7)
        load(dut, Seq(0, 1, 2, 3).map(e => PlainEntry(e, PlainKey.zero, all, 0)))
        dut.io.valid.poke(4)
        for (endpoint <- 0 to 3) {
          ask(dut, endpoint, PlainKey.zero, all)
          assert(dut.io.hits.value == (1 << endpoint))
        }
      }
    }

    it("R10: takeId hits the endpoint's receive with that id, whatever the key") {
      val random = Seeds.random("RowCompare ids")
      receives.run { dut =>
        for (_ <- 0 until 200) {
          val row = entries(random, wildcards = true)
          val (endpoint, id, valid) = (random.nextInt(2), random.nextInt(4), random.nextInt(5))
          load(dut, row)
          ask(dut, endpoint, key(random), PlainKey.zero)
          dut.io.request.operation.poke(SearchOperation.takeId)
          dut.io.request.id.poke(id)
          dut.io.valid.poke(valid)
          val expected = mask(row, valid)(e => e.endpoint == endpoint && e.id == id)
          assert(dut.io.hits.value == expected, s"$row asked $endpoint id $id")
        }
      }
    }

    it("R10: takeId never hits a message") {
      messages.run { dut =>
        load(dut, Seq.fill(p.lanes)(PlainEntry(0, PlainKey.zero, PlainKey.zero, 0)))
        ask(dut, 0, PlainKey.zero, PlainKey.zero)
        dut.io.request.operation.poke(SearchOperation.takeId)
        dut.io.request.id.poke(0)
        dut.io.valid.poke(4)
        assert(dut.io.hits.value == 0)
      }
    }
  }
}
