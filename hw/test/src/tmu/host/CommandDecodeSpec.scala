// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import tmu.{DeviceSpec, Seeds}
import tmu.layout.{Code, CommandLayout, KeyLayout, Opcodes, Statuses, WordField}
import tmu.params.{Presets, TableParams, TmuParams}
import tmu.types.MatchCommand

class CommandDecodeHarness(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val in = Input(new PageCommand(p))
    val out = Output(new MatchCommand(p))
  })
  io.out := CommandDecode.judged(
    CommandDecode.wellFormed(p, io.in),
    CommandDecode.wrongs(p, io.in.record)
  )
}

class CommandDecodeSpec extends DeviceSpec {
  import CommandLayout._
  import KeyLayout.matchBits.{ignore => ignoreBits, value => matchBits}
  import KeyLayout.source.{ignore => sourceIgnore, value => source}
  private val tiny = device(new CommandDecodeHarness(Presets.tiny.unit))
  private val formal = device(new CommandDecodeHarness(Presets.formal))
  private val privileged = Presets.tiny.unit.privilegedPage

  /** Fields that the contract lets each opcode use besides opcode and endpoint. */
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

  private def give(dut: CommandDecodeHarness, r: BigInt, page: Int = 0, at: Int = 0) = {
    dut.io.in.record.poke(r)
    dut.io.in.page.poke(page)
    dut.io.in.endpoint.poke(at)
    dut.io.in.stamp.poke(0)
    dut.io.out
  }
  private def malformed(dut: CommandDecodeHarness, r: BigInt): Boolean =
    give(dut, r).malformed.isOn

  describe("CommandDecode") {
    for (code <- Opcodes.all)
      it(s"R13: ${code.name} is malformed when any bit that it does not use is set, else not") {
        tiny.run { dut =>
          assert(!malformed(dut, CommandRecord(code)))
          for (f <- layout.fields if f != opcode; bit <- Seq(0, f.width / 2, f.width - 1)) {
            val expected = f != endpoint && !uses(code)(f) || code == Opcodes.inspect &&
              f == address && bit > 32 || code == Opcodes.post && f == receiveId && bit > 19
            val seen = malformed(dut, CommandRecord(code, f -> (BigInt(1) << bit)))
            assert(seen == expected, s"bit $bit of ${f.name}")
          }
        }
      }

    it("R13: every value that is no opcode is malformed, 0 among them") {
      tiny.run { dut =>
        val known = Opcodes.all.map(_.value).toSet
        for (value <- 0 to 255)
          assert(malformed(dut, CommandRecord(opcode -> BigInt(value))) == !known(value), s"$value")
      }
    }

    it("R10: a post with the id of no receive or beyond is malformed; a cancel of it means none") {
      tiny.run { dut =>
        for (id <- Seq(0xfffffL, 0x100000L, 0xffffffffL).map(BigInt(_))) {
          assert(malformed(dut, CommandRecord(Opcodes.post, receiveId -> id)), s"id $id")
          val cancel = give(dut, CommandRecord(Opcodes.cancel, receiveId -> id))
          assert(!cancel.malformed.isOn && cancel.id.value == 0xfffff, s"id $id")
        }
        assert(!malformed(dut, CommandRecord(Opcodes.post, receiveId -> BigInt(0xffffe))))
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
          assert(malformed(dut, CommandRecord(Opcodes.post, f -> (BigInt(1) << kept))), f.name)
          assert(
            !malformed(dut, CommandRecord(Opcodes.post, f -> ((BigInt(1) << kept) - 1))),
            f.name
          )
        }
      }
    }

    it("R13: the endpoint is the page's, except on the privileged page, which names it") {
      tiny.run { dut =>
        val r = CommandRecord(Opcodes.post, endpoint -> BigInt(0x12345678))
        for (page <- Seq(0, 3, 63); at <- 0 until Presets.tiny.unit.endpoints) {
          val out = give(dut, r, page, at)
          assert(out.endpoint.value == at && !out.privileged.isOn && out.page.value == page)
        }
        val out = give(dut, r, privileged, at = 2)
        assert(out.endpoint.value == 0x12345678 && out.privileged.isOn)
      }
    }

    it("R10, R13: tells what searches nothing, and its answer, the worst reason first") {
      val p = Presets.tiny.unit
      tiny.run { dut =>
        def early(r: BigInt, page: Int): Option[Int] = {
          val out = give(dut, r, page)
          Option.unless(out.searches.isOn)(out.status.value.toInt)
        }
        val (own, other) = (0, privileged)
        for (code <- Opcodes.all if code != Opcodes.inspect)
          assert(early(CommandRecord(code), own).isEmpty, code.name)
        val strange = CommandRecord(Opcodes.post, endpoint -> BigInt(p.endpoints))
        assert(early(strange, other).contains(Statuses.refusedEndpoint.value))
        assert(early(strange, own).isEmpty, "the endpoint is the page's")
        val nameless = CommandRecord(Opcodes.cancel, receiveId -> p.idNone)
        assert(early(nameless, own).contains(Statuses.late.value))
        val bad = CommandRecord(Opcodes.cancel, receiveId -> p.idNone, length -> BigInt(1))
        assert(early(bad, own).contains(Statuses.malformed.value))
        assert(early(CommandRecord(Opcodes.inspect), own).contains(Statuses.refusedPrivilege.value))
        val end = TableParams.posted(p).positions
        for ((position, is) <- Seq(0 -> None, end - 1 -> None, end -> Some(Statuses.empty.value)))
          for (queue <- Seq(0, 1)) {
            val asked = BigInt(position) | BigInt(queue) << 32
            val seen = early(CommandRecord(Opcodes.inspect, address -> asked), other)
            assert(seen == is, s"position $position of queue $queue")
          }
      }
    }

    it("R15: hands on every field of a random command unchanged") {
      val random = Seeds.random("CommandDecode fields")
      tiny.run { dut =>
        for (_ <- 0 until 200) {
          val values = layout.fields.map(f => f -> BigInt(f.width, random)).toMap
          val r = CommandRecord(values.toSeq: _*)
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
          assert(out.id.value == values(receiveId).min(Presets.tiny.unit.idNone))
        }
      }
    }
  }
}
