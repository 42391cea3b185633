// SPDX-License-Identifier: Apache-2.0
package tmu.rules

import chisel3._
import tmu.DeviceSpec
import tmu.layout.{Code, Opcodes, Statuses}
import tmu.params.Presets
import tmu.types.MatchCommand

class MatchRulesHarness extends Module {
  val io = IO(new Bundle {
    val code = Input(UInt(8.W))
    val hasRoom = Input(Bool())
    val inspectUnexpected = Input(Bool())
    val withArrivals = Output(Bool())
    val appends = Output(Bool())
    val takes = Output(Bool())
    val onHit = Output(UInt(8.W))
    val onMiss = Output(UInt(8.W))
    val takesSerial = Output(Bool())
  })
  private val command = WireDefault(0.U.asTypeOf(new MatchCommand(Presets.tiny.unit)))
  command.opcode := io.code
  command.inspectUnexpected := io.inspectUnexpected
  io.withArrivals := MatchRules.withArrivals(command)
  io.appends := MatchRules.appends(io.code)
  io.takes := MatchRules.takes(io.code)
  io.onHit := MatchRules.onHit(io.code)
  io.onMiss := MatchRules.onMiss(io.code, io.hasRoom)
  io.takesSerial := MatchRules.takesSerial(io.code)
}

class MatchRulesSpec extends DeviceSpec {
  private val harness = device(new MatchRulesHarness)

  private def forEach(codes: Seq[Code])(check: (MatchRulesHarness, Code) => Unit): Unit =
    harness.run { dut =>
      codes.foreach { code =>
        dut.io.code.poke(code.value)
        check(dut, code)
      }
    }

  describe("MatchRules") {
    it("R3, R6, R10: what searches receives goes with the arrivals, all others with the posts") {
      val expected = Set(Opcodes.arrive, Opcodes.cancel)
      for (unexpected <- Seq(false, true))
        forEach(Opcodes.all) { (dut, c) =>
          dut.io.inspectUnexpected.poke(unexpected)
          val inspects = c == Opcodes.inspect && !unexpected
          assert(dut.io.withArrivals.isOn == (expected(c) || inspects), c.name)
        }
      harness.run { dut =>
        val known = Opcodes.all.map(_.value).toSet
        for (unknown <- (0 to 255).filterNot(known)) {
          dut.io.code.poke(unknown)
          assert(!dut.io.withArrivals.isOn, s"opcode $unknown")
        }
      }
    }

    it("R5, R6: post and arrive are appended when nothing matches") {
      val expected = Set(Opcodes.post, Opcodes.arrive)
      forEach(Opcodes.all)((dut, c) => assert(dut.io.appends.isOn == expected(c), c.name))
    }

    it("R8, R9, R10, R14: what is found leaves the queue; only probe and inspect keep it") {
      val keeps = Set(Opcodes.probe, Opcodes.inspect)
      forEach(Opcodes.all)((dut, c) => assert(dut.io.takes.isOn == !keeps(c), c.name))
    }

    it("has the verdict of a hit for each opcode") {
      val expected = Map(
        Opcodes.post -> Statuses.matched,
        Opcodes.arrive -> Statuses.matched,
        Opcodes.probe -> Statuses.found,
        Opcodes.claim -> Statuses.matched,
        Opcodes.cancel -> Statuses.cancelled,
        Opcodes.flush -> Statuses.removed,
        Opcodes.inspect -> Statuses.entry
      )
      forEach(Opcodes.all)((dut, c) => assert(dut.io.onHit.value == expected(c).value, c.name))
    }

    it("has the verdict of a miss for each opcode, with room and without (R11)") {
      val always = Map(
        Opcodes.probe -> Statuses.none,
        Opcodes.claim -> Statuses.none,
        Opcodes.cancel -> Statuses.late,
        Opcodes.flush -> Statuses.none,
        Opcodes.inspect -> Statuses.vacant
      )
      val roomy = Map(Opcodes.post -> Statuses.queued, Opcodes.arrive -> Statuses.queued)
      val tight = Map(Opcodes.post -> Statuses.refusedQuota, Opcodes.arrive -> Statuses.stalled)
      forEach(Opcodes.all) { (dut, c) =>
        for ((room, expected) <- Seq(true -> (always ++ roomy), false -> (always ++ tight))) {
          dut.io.hasRoom.poke(room)
          assert(dut.io.onMiss.value == expected(c).value, s"${c.name}, room $room")
        }
      }
    }

    it("R7: verdicts of the law take a serialisation number, reports and refusals of input none") {
      import Statuses._
      val without = Set(removed, refusedEndpoint, malformed, refusedPrivilege, entry, empty, vacant)
      forEach(Statuses.all)((dut, c) => assert(dut.io.takesSerial.isOn == !without(c), c.name))
    }
  }
}
