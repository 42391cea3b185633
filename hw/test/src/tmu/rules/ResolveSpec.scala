// SPDX-License-Identifier: Apache-2.0
package tmu.rules

import chisel3._
import chisel3.util.Valid
import tmu.{DeviceSpec, Seeds}
import tmu.layout.{Code, Opcodes, Statuses}
import tmu.params.{Presets, TableParams, TmuParams}
import tmu.types.{Entry, Operation, SpillView, TallyStep, Verdict}

/** The pure functions behind ports, for both streams. */
class ResolveHarness(p: TmuParams) extends Module {
  val t = TableParams.posted(p)
  val io = IO(new Bundle {
    val op = Input(Valid(new Operation(p)))
    val found = Input(Bool())
    val room = Input(Bool())
    val spill = Input(new SpillView)
    val serial = Input(UInt(32.W))
    val outcome = Output(new Outcome(p))
    val status = Output(UInt(8.W))
    val step = Output(new TallyStep(p))
    val message = Input(new Entry(p, TableParams.unexpected(p)))
    val receive = Input(new Entry(p, t))
    val onMessage = Output(new Verdict(p))
    val onReceive = Output(new Verdict(p))
  })
  private val op = WireDefault(io.op)
  OperationRules.follow(op.bits)
  io.outcome := Resolve(p, op, io.found, io.room, io.spill)
  io.status := Resolve.status(op.bits, io.outcome)
  io.step := Resolve.step(p, op, io.outcome)
  private val none = VecInit(3.U(32.W), 4.U(32.W))
  private def verdict(e: Entry, onMessages: Boolean) = {
    val (kind, found) = (Resolve.kind(op.bits), io.outcome.found)
    val out = WireDefault(
      Resolve.verdict(p, op.bits, kind, found, io.status, io.serial, e, onMessages, none)
    )
    out.truncated := Resolve.truncated(op.bits, found, Resolve.longer(op.bits, e, onMessages))
    out
  }
  io.onMessage := verdict(io.message, onMessages = true)
  io.onReceive := verdict(io.receive, onMessages = false)
}

class ResolveSpec extends DeviceSpec {
  private val p = Presets.formal
  private val harness = device(new ResolveHarness(p))

  private def ask(
      dut: ResolveHarness,
      code: Code,
      found: Boolean,
      searches: Boolean = true
  ): Unit = {
    dut.io.op.valid.poke(true)
    dut.io.op.bits.command.searches.poke(searches)
    dut.io.op.bits.sweeps.poke(false)
    dut.io.op.bits.command.opcode.poke(code.value)
    dut.io.found.poke(found)
    spill(dut)
  }

  /** View of memory beyond the tables: by default there is none. */
  private def spill(
      dut: ResolveHarness,
      defers: Boolean = false,
      refills: Option[Boolean] = None,
      releases: Option[Boolean] = None
  ): Unit = {
    dut.io.spill.defers.poke(defers)
    dut.io.spill.refills.poke(refills.contains(true))
    dut.io.spill.releases.poke(releases.contains(true))
    dut.io.op.bits.command.spill.refills.poke(refills.isDefined)
    dut.io.op.bits.command.spill.releases.poke(releases.isDefined)
  }
  private def outcome(dut: ResolveHarness) = {
    val o = dut.io.outcome
    (dut.io.status.value.toInt, o.takes.isOn, o.appends.isOn)
  }

  describe("Resolve") {
    it("R3-R10: a hit takes, but for probe and inspect; a miss appends a post or an arrival") {
      harness.run { dut =>
        dut.io.room.poke(true)
        for (code <- Opcodes.all; found <- Seq(false, true)) {
          ask(dut, code, found)
          val keeps = Set(Opcodes.probe, Opcodes.inspect)(code)
          val appends = Set(Opcodes.post, Opcodes.arrive)(code)
          val (_, takes, appended) = outcome(dut)
          assert(takes == (found && !keeps), code.name)
          assert(appended == (!found && appends), code.name)
          assert(dut.io.outcome.answers.isOn && dut.io.step.take.isOn == takes)
          assert(dut.io.step.append.isOn == appended)
        }
      }
    }

    it("R11: without room a post is refused and an arrival stalled; a hit needs no room") {
      harness.run { dut =>
        import Statuses._
        for (room <- Seq(false, true)) {
          dut.io.room.poke(room)
          ask(dut, Opcodes.post, found = false)
          assert(outcome(dut) == (((if (room) queued else refusedQuota).value, false, room)))
          ask(dut, Opcodes.arrive, found = false)
          assert(outcome(dut) == (((if (room) queued else stalled).value, false, room)))
          for (code <- Seq(Opcodes.post, Opcodes.arrive)) {
            ask(dut, code, found = true)
            assert(outcome(dut) == ((matched.value, true, false)))
          }
        }
      }
    }

    it("R13: what is refused at the door finds nothing, takes nothing, appends nothing") {
      harness.run { dut =>
        val refusals = Seq(Statuses.malformed, Statuses.refusedEndpoint, Statuses.empty)
        for (code <- Opcodes.all; status <- refusals; found <- Seq(false, true)) {
          ask(dut, code, found, searches = false)
          dut.io.op.bits.command.status.poke(status.value)
          assert(outcome(dut) == ((status.value, false, false)), code.name)
          assert(!dut.io.step.serial.isOn)
        }
        dut.io.op.valid.poke(false)
        dut.io.found.poke(true)
        assert(!dut.io.outcome.answers.isOn && !dut.io.outcome.takes.isOn)
      }
    }

    it("R14: a sweep that finds nothing is not answered") {
      harness.run { dut =>
        for (found <- Seq(false, true)) {
          ask(dut, Opcodes.flush, found)
          dut.io.op.bits.sweeps.poke(true)
          assert(dut.io.outcome.answers.isOn == found && !dut.io.step.serial.isOn)
        }
      }
    }

    it("R11: what the tables miss is deferred; it is not answered yet, and changes nothing") {
      harness.run { dut =>
        dut.io.room.poke(false)
        for (code <- Opcodes.all.filter(_ != Opcodes.inspect); found <- Seq(false, true)) {
          ask(dut, code, found)
          spill(dut, defers = true)
          assert(dut.io.outcome.defers.isOn == !found, code.name)
          assert(dut.io.outcome.answers.isOn == found && !dut.io.outcome.appends.isOn)
          assert(dut.io.step.serial.isOn, "its position in the order is that of its decision (R7)")
        }
        // Refused at the door: no queue has to say anything.
        for (status <- Seq(Statuses.malformed, Statuses.late)) {
          ask(dut, Opcodes.cancel, found = false, searches = false)
          dut.io.op.bits.command.status.poke(status.value)
          spill(dut, defers = true)
          assert(!dut.io.outcome.defers.isOn && dut.io.outcome.answers.isOn)
        }
        // The end of a flush, which goes on in memory (R14).
        ask(dut, Opcodes.flush, found = false, searches = false)
        dut.io.op.bits.command.status.poke(Statuses.flushed.value)
        spill(dut, defers = true)
        assert(dut.io.outcome.defers.isOn && !dut.io.outcome.answers.isOn)
      }
    }

    it("R3, R11: what is injected appends or releases as it may, and is never answered") {
      harness.run { dut =>
        for (room <- Seq(false, true); may <- Seq(false, true)) {
          dut.io.room.poke(room)
          for (code <- Seq(Opcodes.post, Opcodes.arrive)) {
            ask(dut, code, found = false, searches = false)
            dut.io.op.bits.command.status.poke(0)
            spill(dut, defers = true, refills = Some(may))
            val out = dut.io.outcome
            assert(out.appends.isOn == may && !out.answers.isOn && !out.defers.isOn, code.name)
            assert(!dut.io.step.serial.isOn && dut.io.step.append.isOn == may)
          }
          ask(dut, Opcodes.probe, found = false, searches = false)
          dut.io.op.bits.command.status.poke(0)
          spill(dut, releases = Some(may))
          assert(dut.io.outcome.releases.isOn == may && !dut.io.outcome.answers.isOn)
          assert(!dut.io.outcome.appends.isOn && !dut.io.step.serial.isOn)
        }
      }
    }

    it("R5, R6, R11: a retry takes what it finds, and is appended only where that is sure") {
      harness.run { dut =>
        val retry = dut.io.op.bits.command.spill
        for (found <- Seq(false, true); room <- Seq(false, true); sure <- Seq(false, true)) {
          dut.io.room.poke(room)
          dut.io.spill.spilling.poke(true)
          ask(dut, Opcodes.arrive, found)
          dut.io.op.bits.command.status.poke(0)
          retry.retries.poke(true)
          retry.sure.poke(sure)
          val out = dut.io.outcome
          assert(out.found.isOn == found && out.takes.isOn == found)
          assert(out.appends.isOn == (!found && room && sure))
          assert(!out.answers.isOn && !out.defers.isOn && !dut.io.step.serial.isOn)
        }
        Seq(retry.retries, retry.sure, dut.io.spill.spilling).foreach(_.poke(false))
      }
    }

    it("R7: only verdicts of the law bear a serial number") {
      harness.run { dut =>
        dut.io.serial.poke(10)
        ask(dut, Opcodes.post, found = true)
        assert(dut.io.onMessage.serial.value == 10 && dut.io.step.serial.isOn)
        ask(dut, Opcodes.inspect, found = true)
        assert(dut.io.onMessage.serial.value == 0 && !dut.io.step.serial.isOn)
      }
    }

    it("R12, R15: the verdict has both lengths, the other's handle, and truncated when it is") {
      val r = Seeds.random("Resolve")
      harness.run { dut =>
        for (_ <- 0 until 100) {
          val (own, other, handle) = (r.nextInt(8), r.nextInt(8), r.nextInt(16))
          for (entry <- Seq(dut.io.message, dut.io.receive)) {
            entry.length.poke(other)
            entry.handle.poke(handle)
          }
          dut.io.op.bits.command.length.poke(own)
          ask(dut, Opcodes.post, found = true)
          val onMessage = dut.io.onMessage
          assert(onMessage.truncated.isOn == (other > own) && onMessage.other.value == handle)
          assert(onMessage.messageLength.value == other && onMessage.receiveLength.value == own)
          ask(dut, Opcodes.arrive, found = true)
          val onReceive = dut.io.onReceive
          assert(onReceive.truncated.isOn == (own > other) && onReceive.other.value == handle)
          assert(onReceive.messageLength.value == own && onReceive.receiveLength.value == other)
          ask(dut, Opcodes.arrive, found = false)
          assert(onReceive.other.value == 0 && !onReceive.truncated.isOn)
        }
      }
    }
  }
}
