// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import tmu.{DeviceSpec, Seeds}
import tmu.contract.{Code, CommandLayout, Opcodes, Statuses, WordField}
import tmu.matching.{MatchCommand, TableParams}
import tmu.params.{Presets, TmuParams}

class CommandDecodeHarness(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val in = Input(new DoorbellCommand(p))
    val out = Output(new MatchCommand(p))
  })
  io.out := CommandDecode(p, io.in)
}

class CommandDecodeSpec extends DeviceSpec {
  import CommandLayout.{ignore => ignoreBits, _}
  private val tiny = device(new CommandDecodeHarness(Presets.tiny))
  private val formal = device(new CommandDecodeHarness(Presets.formal))
  private val decoder = device(new CommandDecoder(Presets.tiny))
  private val privileged = Presets.tiny.privilegedPage

  /** What the contract lets each opcode use besides opcode and endpoint. */
  private val select = Set(matchBits, ignoreBits, source, sourceIgnore, handle)
  private val uses: Map[Code, Set[WordField]] = Map(
    Opcodes.post -> (select ++ Set(address, length, receiveId)),
    Opcodes.arrive -> Set(matchBits, source, handle, address, length),
    Opcodes.probe -> select,
    Opcodes.claim -> select,
    Opcodes.cancel -> Set(handle, receiveId),
    Opcodes.flush -> select,
    Opcodes.inspect -> Set(handle, address)
  )

  private def record(fields: (WordField, BigInt)*): BigInt =
    fields.map { case (f, v) => v << (64 * f.word + f.low) }.sum
  private def record(code: Code, fields: (WordField, BigInt)*): BigInt =
    record((opcode -> BigInt(code.value)) +: fields: _*)

  private def give(dut: CommandDecodeHarness, r: BigInt, page: Int = 0): MatchCommand = {
    dut.io.in.record.poke(r)
    dut.io.in.page.poke(page)
    dut.io.in.stamp.poke(0)
    dut.io.out
  }
  private def malformed(dut: CommandDecodeHarness, r: BigInt): Boolean =
    give(dut, r).malformed.isOn

  describe("CommandDecode") {
    for (code <- Opcodes.all)
      it(s"R13: ${code.name} is malformed when any bit that it does not use is set, else not") {
        tiny.run { dut =>
          assert(!malformed(dut, record(code)))
          for (f <- layout.fields if f != opcode; bit <- Seq(0, f.width / 2, f.width - 1)) {
            val expected = f != endpoint && !uses(code)(f) || code == Opcodes.inspect &&
              f == address && bit > 32 || code == Opcodes.post && f == receiveId && bit > 19
            val seen = malformed(dut, record(code, f -> (BigInt(1) << bit)))
            assert(seen == expected, s"bit $bit of ${f.name}")
          }
        }
      }

    it("R13: every value that is no opcode is malformed, 0 among them") {
      tiny.run { dut =>
        val known = Opcodes.all.map(_.value).toSet
        for (value <- 0 to 255)
          assert(malformed(dut, record(opcode -> BigInt(value))) == !known(value), s"$value")
      }
    }
    it("R10: a post with the id of no receive or beyond is malformed; a cancel of it means none") {
      tiny.run { dut =>
        for (id <- Seq(0xfffffL, 0x100000L, 0xffffffffL).map(BigInt(_))) {
          assert(malformed(dut, record(Opcodes.post, receiveId -> id)), s"id $id")
          val cancel = give(dut, record(Opcodes.cancel, receiveId -> id))
          assert(!cancel.malformed.isOn && cancel.id.value == 0xfffff, s"id $id")
        }
        assert(!malformed(dut, record(Opcodes.post, receiveId -> BigInt(0xffffe))))
      }
    }
    it("a narrow configuration finds values that it cannot keep malformed") {
      formal.run { dut =>
        val p = Presets.formal
        val widths = Seq(
          matchBits -> p.matchBits,
          ignoreBits -> p.matchBits,
          source -> p.sourceBits,
          sourceIgnore -> p.sourceBits,
          handle -> p.handleBits,
          address -> p.addressBits,
          length -> p.lengthBits
        )
        for ((f, kept) <- widths) {
          assert(malformed(dut, record(Opcodes.post, f -> (BigInt(1) << kept))), f.name)
          assert(!malformed(dut, record(Opcodes.post, f -> ((BigInt(1) << kept) - 1))), f.name)
        }
      }
    }
    it("R13: the endpoint is the page's, except on the privileged page, which names it") {
      tiny.run { dut =>
        val r = record(Opcodes.post, endpoint -> BigInt(0x12345678))
        for (page <- 0 until Presets.tiny.endpoints) {
          val out = give(dut, r, page)
          assert(out.endpoint.value == page && !out.privileged.isOn && out.page.value == page)
        }
        val out = give(dut, r, privileged)
        assert(out.endpoint.value == 0x12345678 && out.privileged.isOn)
      }
    }

    it("R10, R13: tells what searches nothing, and its answer, the worst reason first") {
      val p = Presets.tiny
      tiny.run { dut =>
        def early(r: BigInt, page: Int): Option[Int] = {
          val out = give(dut, r, page)
          Option.unless(out.searches.isOn)(out.status.value.toInt)
        }
        val (own, other) = (0, privileged)
        for (code <- Opcodes.all if code != Opcodes.inspect)
          assert(early(record(code), own).isEmpty, code.name)
        val strange = record(Opcodes.post, endpoint -> BigInt(p.endpoints))
        assert(early(strange, other).contains(Statuses.refusedEndpoint.value))
        assert(early(strange, own).isEmpty, "the endpoint is the page's")
        val nameless = record(Opcodes.cancel, receiveId -> p.idNone)
        assert(early(nameless, own).contains(Statuses.late.value))
        val bad = record(Opcodes.cancel, receiveId -> p.idNone, length -> BigInt(1))
        assert(early(bad, own).contains(Statuses.malformed.value))
        assert(early(record(Opcodes.inspect), own).contains(Statuses.refusedPrivilege.value))
        val end = TableParams.posted(p).places
        for ((place, is) <- Seq(0 -> None, end - 1 -> None, end -> Some(Statuses.empty.value)))
          for (queue <- Seq(0, 1)) {
            val asked = BigInt(place) | BigInt(queue) << 32
            val seen = early(record(Opcodes.inspect, address -> asked), other)
            assert(seen == is, s"place $place of queue $queue")
          }
      }
    }

    it("R15: hands on every field of a random command unchanged") {
      val random = Seeds.random("CommandDecode fields")
      tiny.run { dut =>
        for (_ <- 0 until 200) {
          val values = layout.fields.map(f => f -> BigInt(f.width, random)).toMap
          val r = record(values.toSeq: _*)
          val out = give(dut, r, random.nextInt(5))
          assert(out.opcode.value == values(opcode))
          assert(out.key.bits.value == values(matchBits))
          assert(out.key.source.value == values(source))
          assert(out.ignore.bits.value == values(ignoreBits))
          assert(out.ignore.source.value == values(sourceIgnore))
          assert(out.handle.value == values(handle))
          assert(out.address.value == values(address))
          assert(out.length.value == values(length))
          assert(out.position.value == (values(address) & 0xffffffffL))
          assert(out.inspectUnexpected.isOn == values(address).testBit(32))
          assert(out.id.value == values(receiveId).min(Presets.tiny.idNone))
        }
      }
    }
  }

  private def offer(dut: CommandDecoder, page: Int, n: Int): Unit = {
    dut.io.in.valid.poke(true)
    dut.io.in.bits.page.poke(page)
    dut.io.in.bits.record.poke(record(Opcodes.probe, handle -> BigInt(n)))
  }
  private def quiet(dut: CommandDecoder): Unit = {
    dut.io.in.valid.poke(false)
    dut.io.post.ready.poke(false)
    dut.io.arrival.ready.poke(false)
    dut.io.discard.poke(false)
    dut.io.enabled.poke(false)
  }

  describe("CommandDecoder") {
    it("R13: drops and counts a command of a page that is not enabled, hands on any other") {
      decoder.run { dut =>
        for (enabled <- Seq(false, true, true, false)) {
          quiet(dut)
          offer(dut, 2, 5)
          assert(dut.io.enableRead.valid.isOn && dut.io.enableRead.bits.value == 2)
          dut.clock.step()
          quiet(dut)
          dut.io.enabled.poke(enabled)
          dut.io.post.ready.poke(true)
          dut.clock.step()
          assert(dut.io.post.valid.isOn == enabled && dut.io.dropped.isOn == !enabled)
          dut.clock.step()
          assert(!dut.io.post.valid.isOn && !dut.io.dropped.isOn && dut.io.idle.isOn)
        }
      }
    }

    it("keeps a command that waits, whatever the page table answers to later questions") {
      decoder.run { dut =>
        quiet(dut)
        offer(dut, 1, 9)
        dut.clock.step()
        quiet(dut)
        dut.io.enabled.poke(true)
        dut.clock.step()
        dut.io.enabled.poke(false)
        for (_ <- 0 until 5) {
          assert(dut.io.post.valid.isOn && dut.io.post.bits.handle.value == 9)
          assert(dut.io.stalled.isOn && !dut.io.idle.isOn)
          dut.clock.step()
        }
      }
    }

    it("holds four while nothing leaves, and loses none") {
      decoder.run { dut =>
        quiet(dut)
        var taken = 0
        for (_ <- 0 until 8) {
          offer(dut, 1, taken)
          dut.io.enabled.poke(true)
          if (dut.io.in.ready.isOn) taken += 1
          dut.clock.step()
        }
        assert(taken == 4)
        dut.io.in.valid.poke(false)
        dut.io.post.ready.poke(true)
        for (n <- 0 until 4) {
          assert(dut.io.post.valid.isOn && dut.io.post.bits.handle.value == n)
          dut.clock.step()
        }
        assert(!dut.io.post.valid.isOn && dut.io.idle.isOn)
      }
    }

    it("R7: gives each command to its stream, in the order in which they came") {
      decoder.run { dut =>
        quiet(dut)
        val sent = Seq(Opcodes.arrive, Opcodes.probe, Opcodes.cancel, Opcodes.arrive)
        for ((opcode, n) <- sent.zipWithIndex) {
          dut.io.in.valid.poke(true)
          dut.io.in.bits.page.poke(1)
          dut.io.in.bits.record.poke(record(opcode, handle -> BigInt(n)))
          dut.io.enabled.poke(true)
          dut.clock.step()
        }
        quiet(dut)
        dut.io.enabled.poke(true)
        for ((opcode, n) <- sent.zipWithIndex) {
          val (at, other) =
            if (opcode == Opcodes.probe) (dut.io.post, dut.io.arrival)
            else (dut.io.arrival, dut.io.post)
          other.ready.poke(true)
          at.ready.poke(false)
          dut.clock.step()
          assert(at.valid.isOn && at.bits.handle.value == n && !other.valid.isOn)
          at.ready.poke(true)
          dut.clock.step()
        }
        assert(dut.io.idle.isOn)
      }
    }

    it("drops what it holds while the unit is being reset, without counting") {
      decoder.run { dut =>
        quiet(dut)
        offer(dut, 1, 9)
        dut.clock.step()
        quiet(dut)
        dut.io.enabled.poke(true)
        dut.io.discard.poke(true)
        assert(!dut.io.idle.isOn && dut.io.taken.isOn)
        dut.clock.step()
        for (_ <- 0 until 2) {
          assert(!dut.io.post.valid.isOn && !dut.io.dropped.isOn && dut.io.idle.isOn)
          dut.clock.step()
        }
      }
    }

    it("hands over what it has decoded while the unit is being reset, and says so") {
      decoder.run { dut =>
        quiet(dut)
        offer(dut, 1, 9)
        dut.clock.step()
        quiet(dut)
        dut.io.enabled.poke(true)
        dut.clock.step()
        dut.io.discard.poke(true)
        dut.io.post.ready.poke(false)
        dut.io.arrival.ready.poke(false)
        for (_ <- 0 until 3) {
          assert(!dut.io.taken.isOn && (dut.io.post.valid.isOn || dut.io.arrival.valid.isOn))
          dut.clock.step()
        }
        dut.io.post.ready.poke(true)
        dut.io.arrival.ready.poke(true)
        dut.clock.step()
        assert(dut.io.taken.isOn && dut.io.idle.isOn && !dut.io.dropped.isOn)
      }
    }
  }
}
