// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import tmu.{DeviceSpec, Seeds}
import tmu.layout.{CompletionLayout, KeyLayout, Statuses, WordField}
import tmu.params.{Presets, TmuParams}
import tmu.types.Verdict

class CompletionEncodeHarness(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val verdict = Input(new Verdict(p))
    val record = Output(UInt(512.W))
  })
  io.record := CompletionEncode(p, io.verdict)
}

class CompletionEncodeSpec extends DeviceSpec {
  import CompletionLayout._
  private val harness = device(new CompletionEncodeHarness(Presets.tiny.unit))

  private def field(record: BigInt, f: WordField): BigInt =
    (record >> (64 * f.word + f.low)) & ((BigInt(1) << f.width) - 1)

  /** Random values in every port of the verdict; the record and the values by name. */
  private def encode(dut: CompletionEncodeHarness, status: Int, r: scala.util.Random) = {
    val v = dut.io.verdict
    val ports = Seq[(String, UInt)](
      "opcode" -> v.opcode,
      "truncated" -> v.truncated,
      "unexpected" -> v.unexpected,
      "serial" -> v.serial,
      "endpoint" -> v.endpoint,
      "handle" -> v.handle,
      "other" -> v.other,
      "match" -> v.key.bits,
      "source" -> v.key.source,
      "ignore" -> v.ignore.bits,
      "source_ignore" -> v.ignore.source,
      "message_length" -> v.messageLength,
      "receive_length" -> v.receiveLength,
      "address" -> v.address,
      "unit_latency" -> v.latency
    )
    val values = ports.map { case (name, port) =>
      val value = BigInt(port.getWidth, r)
      port.poke(value)
      name -> value
    }
    v.status.poke(status)
    (dut.io.record.value, values.toMap)
  }

  describe("CompletionEncode") {
    it("R7, R12, R15: puts every part of a verdict into its field, phase and host latency free") {
      val random = Seeds.random("CompletionEncode verdicts")
      harness.run { dut =>
        for (s <- Statuses.all if s != Statuses.entry; _ <- 0 until 15) {
          val (record, values) = encode(dut, s.value, random)
          assert(field(record, status) == s.value)
          for (f <- layout.fields if !Set(status, phase, hostLatency)(f))
            assert(field(record, f) == values(f.name), s"${f.name} of ${s.name}")
          assert(field(record, phase) == 0 && field(record, hostLatency) == 0)
        }
      }
    }

    it("shows an inspected entry's wildcards, and the length of whichever side it is") {
      val random = Seeds.random("CompletionEncode entries")
      harness.run { dut =>
        for (_ <- 0 until 60) {
          val (record, values) = encode(dut, Statuses.entry.value, random)
          assert(field(record, KeyLayout.source.inspected) == values("source_ignore"))
          assert(field(record, KeyLayout.matchBits.inspected) == values("ignore"))
          val side = if (values("unexpected") == 1) "message_length" else "receive_length"
          assert(field(record, messageLength) == values(side))
          for (f <- Seq(opcode, handle, other, endpoint, address) ++ KeyLayout.all.map(_.completed))
            assert(field(record, f) == values(f.name), f.name)
          assert(field(record, phase) == 0 && field(record, hostLatency) == 0)
        }
      }
    }
  }
}
