// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import tmu.{DeviceSpec, Seeds}
import tmu.params.TmuParams

class EndpointTableSpec extends DeviceSpec {
  private val p = TmuParams("endpoints", 8, 16, 16, 4)
  private val table = device(new EndpointTable(p))

  private def fields(s: EndpointState): Seq[UInt] =
    Seq(s.serial, s.posted, s.unexpected, s.quotaPosted, s.quotaUnexpected)

  private def read(dut: EndpointTable, endpoint: Int): Seq[BigInt] = {
    dut.io.read.valid.poke(true)
    dut.io.read.bits.poke(endpoint)
    dut.clock.step()
    dut.io.read.valid.poke(false)
    fields(dut.io.state).map(_.value)
  }
  private def write(dut: EndpointTable, endpoint: Int, values: Seq[BigInt]): Unit = {
    dut.io.write.valid.poke(true)
    dut.io.write.bits.endpoint.poke(endpoint)
    fields(dut.io.write.bits.state).zip(values).foreach { case (f, v) => f.poke(v) }
    dut.clock.step()
    dut.io.write.valid.poke(false)
  }
  private def swept(dut: EndpointTable): Int =
    waitFor(dut, "the sweep's end")(dut.io.ready.isOn)

  describe("EndpointTable") {
    it("R14: is ready after a clock an endpoint, all cleared, whatever was there before") {
      table.run { dut =>
        swept(dut)
        for (e <- 0 until p.endpoints) write(dut, e, Seq(1, 2, 3, 4, 5).map(BigInt(_)))
        dut.reset.poke(true)
        dut.clock.step()
        dut.reset.poke(false)
        assert(!dut.io.ready.isOn)
        assert(swept(dut) == p.endpoints)
        for (e <- 0 until p.endpoints) assert(read(dut, e) == Seq.fill(5)(BigInt(0)))
      }
    }

    it("R7, R13: each endpoint keeps its own state through reads and writes in any order") {
      val random = Seeds.random("EndpointTable")
      table.run { dut =>
        swept(dut)
        val model = Array.fill(p.endpoints)(Seq.fill(5)(BigInt(0)))
        for (_ <- 0 until 300) {
          val e = random.nextInt(p.endpoints)
          if (random.nextBoolean()) {
            val seen = read(dut, e)
            assert(seen == model(e), s"endpoint $e")
            val next = fields(dut.io.state).map(f => BigInt(f.getWidth, random))
            write(dut, e, next)
            model(e) = next
            dut.clock.step()
          } else assert(read(dut, e) == model(e), s"endpoint $e")
        }
      }
    }

    it("R14: a write during the sweep stops the simulation") {
      val error = intercept[Exception](table.run(write(_, 3, Seq.fill(5)(BigInt(0)))))
      assert(error.getMessage.contains("R14: endpoint 3 written during reset"), error)
    }
  }
}
