// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, Valid}
import scala.collection.immutable.SeqMap
import tmu.registers.{Access, Register, RegisterMap}

/** 32-bit words found by register name. */
class NamedWords(names: Seq[String]) extends Record {
  val elements: SeqMap[String, UInt] = SeqMap.from(names.map(_ -> UInt(32.W)))
  def apply(name: String): UInt = elements(name)

  /** A field of a register. */
  def field(map: RegisterMap, register: String, name: String): UInt = {
    val f = map.field(register, name)
    elements(register)(f.low + f.width - 1, f.low)
  }
}

/** A register access of one word. */
class RegisterAccess(addressBits: Int) extends Bundle {
  val write = Bool()
  val address = UInt(addressBits.W)
  val data = UInt(32.W)

  /** A write of fewer than four bytes. */
  val partial = Bool()
}

class RegisterAnswer extends Bundle {
  val data = UInt(32.W)
  val error = Bool()
}

/** Decodes accesses against a register map.
  *
  * The answer comes two clocks after the access, for the path from the address to the data is long:
  * in the first the register is found, in the second it is read or written. An offset that is not
  * in the map, an address that is no multiple of 4, a write to a read-only register and a partial
  * write are answered with an error and change nothing. Bits that no field names read as 0.
  *
  * @param banked
  *   registers that are words of a memory: they are read only and follow each other; `bank` reads
  *   one by its index among them, in the second clock
  * @param forgotten
  *   registers that have their initial value again when it is told to `forget`
  */
class RegisterFile(
    map: RegisterMap,
    addressBits: Int,
    banked: Seq[Register] = Nil,
    forgotten: Seq[Register] = Nil
) extends Module {
  private val single = map.registers.diff(banked)
  private def named(access: Access): Seq[String] =
    single.filter(r => r.access == access && r.constant.isEmpty).map(_.name)
  require(
    banked.zip(banked.drop(1)).forall { case (a, b) => a.offset + 4 == b.offset } &&
      banked.forall(_.access == Access.ReadOnly),
    s"registers of a bank of ${map.name} are read only and follow each other"
  )

  val io = IO(new Bundle {
    val access = Flipped(Decoupled(new RegisterAccess(addressBits)))
    val answer = Valid(new RegisterAnswer)

    /** Values that the unit shows in its read-only registers. */
    val status = Input(new NamedWords(named(Access.ReadOnly)))

    /** Values that software has written. */
    val control = Output(new NamedWords(named(Access.ReadWrite)))

    /** For one clock: the bits that software triggers. */
    val trigger = Output(new NamedWords(named(Access.Trigger)))
    val forget = Option.when(forgotten.nonEmpty)(Input(Bool()))
    val bank = Option.when(banked.nonEmpty)(new Bundle {
      val index = Output(UInt(log2Ceil(banked.size).W))
      val word = Input(UInt(32.W))
    })
  })

  io.access.ready := true.B
  private val asked = io.access.bits.address
  private val access = RegNext(io.access.bits)
  private val comes = RegNext(io.access.fire, false.B)
  private val write = comes && access.write && !access.partial

  private val reads = single.map { register =>
    val selected = RegNext(asked === register.offset.U)
    val mask = register.mask.U(32.W)
    val value = register.access match {
      case Access.ReadOnly =>
        register.constant.fold(io.status(register.name))(_.U(32.W))
      case Access.ReadWrite =>
        val stored = RegInit(register.initial.U(32.W)).suggestName(register.name.toLowerCase)
        when(write && selected)(stored := access.data & mask)
        if (forgotten.contains(register))
          when(io.forget.get)(stored := register.initial.U)
        io.control(register.name) := stored
        stored
      case Access.Trigger =>
        io.trigger(register.name) := Mux(write && selected, access.data & mask, 0.U)
        0.U(32.W)
    }
    (selected, value, (register.access != Access.ReadOnly).B)
  }

  private val fromBank = io.bank.map { bank =>
    val (low, end) = (banked.head.offset, banked.last.offset + 4)
    bank.index := ((access.address - low.U) >> 2)(bank.index.getWidth - 1, 0)
    val selected = RegNext(asked >= low.U && asked < end.U && asked(1, 0) === 0.U)
    (selected, bank.word, false.B)
  }

  private val all = reads ++ fromBank
  private val mapped = VecInit(all.map(_._1)).asUInt.orR
  private val writable = VecInit(all.map { case (s, _, w) => s && w }).asUInt.orR
  private val data = all.map { case (s, v, _) => Mux(s, v, 0.U) }.reduce(_ | _)
  private val error = !mapped || (access.write && (!writable || access.partial))
  io.answer.valid := RegNext(comes, false.B)
  io.answer.bits.data := RegNext(Mux(error || access.write, 0.U, data))
  io.answer.bits.error := RegNext(error)
}
