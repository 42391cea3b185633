// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import tmu.DeviceSpec
import tmu.layout.{Code, Opcodes}
import tmu.params.TableParams

class RowSearchSpec extends DeviceSpec with StagePokes {
  private val p = RowsParams("search", 16)
  private val search = device(new RowSearch(p, TableParams.posted(p)))

  private def arrive(source: Int, opcode: Code = Opcodes.arrive) =
    PlainOp(opcode, key = PlainKey(0, source))

  private def parked(port: ParkedOperation, op: Option[PlainOp], found: Boolean): Unit = {
    pokeOperation(port.op, op)
    port.found.poke(found)
  }

  /** Two parked slots, none of which is searched. */
  private def begin(
      dut: RowSearch,
      first: Option[PlainOp],
      next: Option[PlainOp],
      found: Boolean = false
  ): Unit = {
    Seq(dut.io.searching, dut.io.decided, dut.io.reply.valid).foreach(_.poke(false))
    dut.io.request.ready.poke(true)
    parked(dut.io.first, first, found)
    dut.io.next.valid.poke(next.isDefined)
    parked(dut.io.next.bits, next, found = false)
    Seq(dut.io.offered, dut.io.begins).foreach(_.poke(true))
  }
  private def clock(dut: RowSearch): Unit = {
    dut.clock.step()
    Seq(dut.io.offered, dut.io.begins, dut.io.decided, dut.io.reply.valid).foreach(_.poke(false))
    dut.io.searching.poke(true)
  }
  private def reply(dut: RowSearch, slot: Option[Int]): Unit = {
    dut.io.reply.valid.poke(true)
    dut.io.reply.bits.found.poke(slot.isDefined)
    dut.io.reply.bits.slot.poke(slot.getOrElse(0))
  }

  /** Source that is asked for, and whether ahead of its turn. */
  private def asked(dut: RowSearch): Option[(Int, Boolean)] =
    Option.when(dut.io.request.valid.isOn)(
      (dut.io.request.bits.key.source.value.toInt, dut.io.ahead.isOn)
    )

  describe("RowSearch") {
    it("R4: what its array has is not searched in the rows, which have younger entries") {
      search.run { dut =>
        for (op <- Seq(Some(arrive(3)), None)) {
          begin(dut, op, None, found = op.isDefined)
          assert(asked(dut).isEmpty)
          clock(dut)
          assert(asked(dut).isEmpty && dut.io.answered.isOn && dut.io.found.isOn == op.isDefined)
        }
      }
    }

    it("R7: asks for the oldest slot, then for the one behind it, ahead of its turn") {
      search.run { dut =>
        begin(dut, Some(arrive(3)), Some(arrive(4)))
        assert(asked(dut).contains((3, false)))
        clock(dut)
        assert(asked(dut).contains((4, true)) && !dut.io.answered.isOn)
        clock(dut)
        assert(asked(dut).isEmpty, "each once")
        reply(dut, Some(9))
        assert(dut.io.answered.isOn && dut.io.found.isOn && dut.io.slot.value == 9)
        dut.io.decided.poke(true)
        clock(dut)
        parked(dut.io.first, Some(arrive(4)), found = false)
        dut.io.next.valid.poke(false)
        assert(asked(dut).isEmpty && !dut.io.answered.isOn && !dut.io.found.isOn)
        reply(dut, None)
        clock(dut)
        assert(dut.io.answered.isOn && !dut.io.found.isOn)
      }
    }

    it("R7: while rows take no request it stays, and the slot behind has its turn then") {
      search.run { dut =>
        begin(dut, Some(arrive(3)), Some(arrive(4)))
        dut.io.request.ready.poke(false)
        for (_ <- 0 until 3) {
          assert(asked(dut).contains((3, false)))
          clock(dut)
        }
        dut.io.request.ready.poke(true)
        clock(dut)
        dut.io.request.ready.poke(false)
        assert(asked(dut).contains((4, true)))
        reply(dut, None)
        dut.io.decided.poke(true)
        clock(dut)
        parked(dut.io.first, Some(arrive(4)), found = false)
        dut.io.next.valid.poke(false)
        assert(asked(dut).contains((4, false)))
      }
    }

    it("R7: an inspect is not asked ahead: entries before its position may leave") {
      search.run { dut =>
        begin(dut, Some(arrive(3)), Some(arrive(4, Opcodes.inspect)))
        clock(dut)
        assert(asked(dut).isEmpty)
      }
    }
  }
}
