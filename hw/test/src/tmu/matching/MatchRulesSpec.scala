// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import tmu.DeviceSpec
import tmu.contract.{Code, Opcodes, Statuses}

class MatchRulesHarness extends Module {
  val capacity = 8
  val io = IO(new Bundle {
    val code = Input(UInt(8.W))
    val hasRoom = Input(Bool())
    val searchesUnexpected = Output(Bool())
    val appends = Output(Bool())
    val operation = Output(SearchOperation())
    val onHit = Output(UInt(8.W))
    val onMiss = Output(UInt(8.W))
    val takesSerial = Output(Bool())
    val depth = Input(UInt(4.W))
    val quota = Input(UInt(32.W))
    val count = Input(UInt(4.W))
    val room = Output(Bool())
  })
  io.searchesUnexpected := MatchRules.searchesUnexpected(io.code)
  io.appends := MatchRules.appends(io.code)
  io.operation := MatchRules.operation(io.code)
  io.onHit := MatchRules.onHit(io.code)
  io.onMiss := MatchRules.onMiss(io.code, io.hasRoom)
  io.takesSerial := MatchRules.takesSerial(io.code)
  io.room := MatchRules.room(io.depth, io.quota, io.count, capacity)
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
    it("R4, R8, R9: post, probe and claim search the messages first, all others the receives") {
      val expected = Set(Opcodes.post, Opcodes.probe, Opcodes.claim)
      forEach(Opcodes.all)((dut, c) =>
        assert(dut.io.searchesUnexpected.isOn == expected(c), c.name)
      )
    }

    it("R5, R6: post and arrive are appended when nothing matches") {
      val expected = Set(Opcodes.post, Opcodes.arrive)
      forEach(Opcodes.all)((dut, c) => assert(dut.io.appends.isOn == expected(c), c.name))
    }

    it("R8, R9, R10, R14: each opcode has its queue operation; only probe and inspect keep it") {
      val expected = Map(
        Opcodes.probe -> SearchOperation.find,
        Opcodes.cancel -> SearchOperation.takeId,
        Opcodes.inspect -> SearchOperation.at
      )
      forEach(Opcodes.all) { (dut, c) =>
        val operation = expected.getOrElse(c, SearchOperation.take)
        assert(dut.io.operation.peek().litValue == operation.litValue, c.name)
      }
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
        Opcodes.flush -> Statuses.flushed,
        Opcodes.inspect -> Statuses.empty
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
      val without = Set(removed, refusedEndpoint, malformed, refusedPrivilege, entry, empty)
      forEach(Statuses.all)((dut, c) => assert(dut.io.takesSerial.isOn == !without(c), c.name))
    }

    it("R11: there is room below the quota, if there is one, while the table is not full") {
      harness.run { dut =>
        for (depth <- 0 to 8; quota <- Seq(0L, 1L, 4L, 8L, 9L, 0xffffffffL); count <- depth to 8) {
          dut.io.depth.poke(depth)
          dut.io.quota.poke(BigInt(quota))
          dut.io.count.poke(count)
          val expected = count < dut.capacity && (quota == 0 || depth < quota)
          assert(dut.io.room.isOn == expected, s"depth $depth, quota $quota, count $count")
        }
      }
    }
  }
}
