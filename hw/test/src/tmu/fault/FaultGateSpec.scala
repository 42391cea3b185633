// SPDX-License-Identifier: Apache-2.0
package tmu.fault

import tmu.DeviceSpec
import tmu.layout.{Code, Statuses}
import tmu.params.Presets

class FaultGateSpec extends DeviceSpec {
  private val p = Presets.tiny.unit
  private val gate = device(new FaultGate(p, 2))

  private def start(dut: FaultGate): Unit = {
    dut.io.in.valid.poke(false)
    dut.io.out.ready.poke(true)
    dut.io.raised.foreach(_.valid.poke(false))
    dut.io.everyone.poke(false)
    dut.clock.step(2 * p.endpoints)
    assert(dut.io.ready.isOn)
  }

  private def raise(dut: FaultGate, source: Int, endpoint: Int): Unit = {
    dut.io.raised(source).valid.poke(true)
    dut.io.raised(source).bits.poke(endpoint)
    dut.clock.step()
    dut.io.raised(source).valid.poke(false)
  }

  /** Status and partner of what comes out for a verdict; None if nothing does. */
  private def pass(dut: FaultGate, endpoint: Long, status: Code): Option[(Int, Int, Int)] = {
    val bits = dut.io.in.bits
    bits.endpoint.poke(endpoint)
    bits.status.poke(status.value)
    bits.other.poke(77)
    bits.serial.poke(5)
    dut.io.in.valid.poke(true)
    assert(dut.io.in.ready.isOn)
    dut.clock.step()
    dut.io.in.valid.poke(false)
    val out = dut.io.out
    val found = Option.when(out.valid.isOn)(
      (
        out.bits.status.value.toInt,
        out.bits.other.value.toInt,
        out.bits.serial.value.toInt
      )
    )
    dut.clock.step()
    found
  }

  describe("FaultGate") {
    it("R13: withholds the answers of an endpoint that was raised, and of no other") {
      gate.run { dut =>
        start(dut)
        for ((source, endpoint) <- Seq(0 -> 1, 1 -> 3)) raise(dut, source, endpoint)
        for (endpoint <- 0 until p.endpoints) {
          val expected =
            if (endpoint % 2 == 1) (Statuses.tableFault.value, 0, 5)
            else (Statuses.matched.value, 77, 5)
          assert(pass(dut, endpoint, Statuses.matched).contains(expected), s"endpoint $endpoint")
        }
      }
    }

    it("R13: withholds the answers of all when nobody can tell whose an entry was") {
      gate.run { dut =>
        start(dut)
        assert(pass(dut, 0, Statuses.matched).map(_._1).contains(Statuses.matched.value))
        dut.io.everyone.poke(true)
        dut.clock.step()
        dut.io.everyone.poke(false)
        for (endpoint <- 0 until p.endpoints)
          assert(
            pass(dut, endpoint, Statuses.matched).map(_._1).contains(Statuses.tableFault.value)
          )
        assert(pass(dut, 0, Statuses.malformed).map(_._1).contains(Statuses.malformed.value))
      }
    }

    it("R14: leaves the reports of its flush out, and withholds the end") {
      gate.run { dut =>
        start(dut)
        assert(pass(dut, 2, Statuses.removed).isDefined)
        raise(dut, 0, 2)
        assert(pass(dut, 2, Statuses.removed).isEmpty)
        assert(pass(dut, 2, Statuses.flushed).map(_._1).contains(Statuses.tableFault.value))
      }
    }

    it("R13: passes what depends on no stored word") {
      gate.run { dut =>
        start(dut)
        raise(dut, 1, 0)
        for (
          status <- Seq(
            Statuses.refusedEndpoint,
            Statuses.malformed,
            Statuses.refusedPrivilege,
            Statuses.empty,
            Statuses.vacant
          )
        )
          assert(pass(dut, 1L << 20, status).map(_._1).contains(status.value), status.name)
      }
    }

    it("R14: trusts every endpoint again after a reset") {
      gate.run { dut =>
        start(dut)
        raise(dut, 0, 1)
        dut.reset.poke(true)
        dut.clock.step()
        dut.reset.poke(false)
        start(dut)
        assert(pass(dut, 1, Statuses.queued).map(_._1).contains(Statuses.queued.value))
      }
    }
  }
}
