// SPDX-License-Identifier: Apache-2.0
package tmu.host

import tmu.{DeviceSpec, Seeds}
import tmu.registers.{Access, Register, RegisterField, RegisterMap}

class RegisterFileSpec extends DeviceSpec {
  private def field(name: String, low: Int, width: Int) = RegisterField(name, low, width, "Text.")
  private val map = RegisterMap(
    "block",
    64,
    Seq(
      Register("FIXED", 0, Access.ReadOnly, "Text.", constant = Some(BigInt("cafe0001", 16))),
      Register("STATUS", 4, Access.ReadOnly, "Text."),
      Register("WHOLE", 8, Access.ReadWrite, "Text."),
      Register(
        "PARTS",
        12,
        Access.ReadWrite,
        "Text.",
        Seq(field("LOW", 0, 1), field("TOP", 31, 1))
      ),
      Register("WIDE", 16, Access.ReadWrite, "Text.", Seq(field("UPPER", 1, 31))),
      Register("KICK", 32, Access.Trigger, "Text.", Seq(field("A", 0, 1), field("B", 4, 2)))
    )
  )
  private val file = device(new RegisterFile(map, 8))
  private val words =
    (0 until 5).map(i => Register(s"WORD$i", 36 + 4 * i, Access.ReadOnly, "Text."))
  private val withBank =
    device(new RegisterFile(map.copy(registers = map.registers ++ words), 8, words))
  private val all = BigInt("ffffffff", 16)

  private case class Answer(data: BigInt, error: Boolean)
  private val done = Answer(0, error = false)
  private val refused = Answer(0, error = true)

  private def access(
      dut: RegisterFile,
      write: Boolean,
      address: Int,
      data: BigInt,
      partial: Boolean
  ): Answer = {
    dut.io.access.bits.write.poke(write)
    dut.io.access.bits.address.poke(address)
    dut.io.access.bits.data.poke(data)
    dut.io.access.bits.partial.poke(partial)
    dut.io.access.valid.poke(true)
    assert(dut.io.access.ready.isOn)
    dut.clock.step()
    dut.io.access.valid.poke(false)
    assert(!dut.io.answer.valid.isOn)
    dut.clock.step()
    assert(dut.io.answer.valid.isOn, "documented: the answer comes two clocks after the access")
    Answer(dut.io.answer.bits.data.value, dut.io.answer.bits.error.isOn)
  }
  private def read(dut: RegisterFile, address: Int): Answer =
    access(dut, write = false, address, 0, partial = false)
  private def write(dut: RegisterFile, address: Int, data: BigInt): Answer =
    access(dut, write = true, address, data, partial = false)

  describe("RegisterFile") {
    it("reads constants, live status, and zero from what was never written") {
      file.run { dut =>
        dut.io.status("STATUS").poke(BigInt("80000001", 16))
        assert(read(dut, 0) == Answer(BigInt("cafe0001", 16), error = false))
        assert(read(dut, 4) == Answer(BigInt("80000001", 16), error = false))
        for (address <- Seq(8, 12, 16, 32)) assert(read(dut, address) == done)
      }
    }

    it("keeps what is written, in bits that have a field") {
      val random = Seeds.random("RegisterFile")
      file.run { dut =>
        for (_ <- 0 until 50; register <- Seq("WHOLE", "PARTS", "WIDE").map(map(_))) {
          val data = BigInt(32, random)
          assert(write(dut, register.offset, data) == done)
          assert(read(dut, register.offset).data == (data & register.mask), register.name)
          assert(dut.io.control(register.name).value == (data & register.mask), register.name)
        }
      }
    }

    it("does not mix registers up") {
      file.run { dut =>
        write(dut, 8, 1)
        write(dut, 12, all)
        write(dut, 16, 6)
        val seen = Seq(8, 12, 16).map(read(dut, _).data.toLong)
        assert(seen == Seq(1L, 0x80000001L, 6L))
      }
    }

    it("triggers the written bits for exactly one clock, and reads as 0") {
      file.run { dut =>
        dut.io.access.bits.write.poke(true)
        dut.io.access.bits.address.poke(32)
        dut.io.access.bits.data.poke(all)
        dut.io.access.bits.partial.poke(false)
        dut.io.access.valid.poke(true)
        assert(dut.io.trigger("KICK").value == 0)
        dut.clock.step()
        dut.io.access.valid.poke(false)
        assert(dut.io.trigger("KICK").value == 0x31)
        dut.clock.step()
        assert(dut.io.trigger("KICK").value == 0)
        assert(read(dut, 32) == done)
        assert(dut.io.trigger("KICK").value == 0)
      }
    }

    it("refuses offsets that are not in the map") {
      file.run { dut =>
        for (address <- Seq(20, 28, 36, 64, 252)) {
          assert(read(dut, address) == refused, s"reading $address")
          assert(write(dut, address, all) == refused, s"writing $address")
        }
        for (register <- Seq(8, 12, 16)) assert(read(dut, register).data == 0)
      }
    }

    it("refuses addresses that are no multiple of 4") {
      file.run { dut =>
        for (address <- Seq(1, 2, 3, 9, 10, 11, 33)) {
          assert(read(dut, address) == refused, s"reading $address")
          assert(write(dut, address, all) == refused, s"writing $address")
        }
        assert(read(dut, 8).data == 0)
      }
    }

    it("refuses writes to read-only registers") {
      file.run { dut =>
        for (address <- Seq(0, 4)) assert(write(dut, address, 0) == refused)
        assert(read(dut, 0).data == BigInt("cafe0001", 16))
      }
    }

    it("refuses partial writes, which change and trigger nothing") {
      file.run { dut =>
        write(dut, 8, 5)
        assert(access(dut, write = true, 8, all, partial = true) == refused)
        assert(read(dut, 8).data == 5)
        dut.io.access.bits.partial.poke(true)
        dut.io.access.bits.address.poke(32)
        dut.io.access.bits.write.poke(true)
        dut.io.access.valid.poke(true)
        for (_ <- 0 until 3) {
          assert(dut.io.trigger("KICK").value == 0)
          dut.clock.step()
        }
      }
    }

    it("reads the words of a bank, each by its index, and nothing beside it") {
      withBank.run { dut =>
        val bank = dut.io.bank.get
        for ((word, i) <- words.zipWithIndex) {
          bank.word.poke(100 + i)
          assert(read(dut, word.offset) == Answer(100 + i, error = false))
          assert(bank.index.value == i)
          assert(write(dut, word.offset, 1) == refused)
        }
        for (address <- Seq(28, 37, 38, 56, 57)) assert(read(dut, address) == refused, address)
        write(dut, 8, 5)
        assert(read(dut, 8).data == 5)
      }
    }

    it("refuses to be made with a bank that has a gap, or that software may write") {
      for (bad <- Seq(words.head +: words.drop(2), Seq(map("WHOLE")))) {
        val error = intercept[IllegalArgumentException] {
          chisel3.stage.ChiselGeneratorAnnotation(() => new RegisterFile(map, 8, bad)).elaborate
        }
        assert(error.getMessage.contains("bank of block are read only and follow each other"))
      }
    }

    it("ignores the byte enables of a read") {
      file.run { dut =>
        write(dut, 8, 5)
        assert(access(dut, write = false, 8, 0, partial = true) == Answer(5, error = false))
      }
    }
  }
}
