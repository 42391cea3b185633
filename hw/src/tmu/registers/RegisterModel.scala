// SPDX-License-Identifier: Apache-2.0
package tmu.registers

/** Access of software to a register. */
sealed abstract class Access(val rdl: String, val text: String)

object Access {

  /** Fixed at elaboration or driven by the unit. */
  case object ReadOnly extends Access("r", "read only")

  /** Kept; reads back what was written. */
  case object ReadWrite extends Access("rw", "read/write")

  /** A write triggers the fields that are 1; reads as 0. */
  case object Trigger extends Access("w", "write 1 to trigger")
}

/** Bits of a register. */
case class RegisterField(name: String, low: Int, width: Int, text: String) {
  require(
    low >= 0 && width >= 1 && low + width <= 32,
    s"register field $name takes bits $low to ${low + width - 1}; a register has bits 0 to 31"
  )
}

/** One 32-bit register; `initial` is what one that is kept holds after reset. */
case class Register(
    name: String,
    offset: Int,
    access: Access,
    text: String,
    fields: Seq[RegisterField] = Nil,
    constant: Option[BigInt] = None,
    initial: BigInt = 0
) {
  require(name.matches("[A-Z][A-Z0-9_]*"), s"register name '$name' must be upper case")
  require(offset % 4 == 0, s"register $name is at offset $offset; offsets are multiples of 4")
  for {
    (a, i) <- fields.zipWithIndex
    b <- fields.drop(i + 1)
  } require(
    a.low + a.width <= b.low || b.low + b.width <= a.low,
    s"register $name: fields ${a.name} and ${b.name} overlap"
  )

  /** Bits that exist; a register without fields has all 32. */
  def mask: BigInt =
    if (fields.isEmpty) (BigInt(1) << 32) - 1
    else fields.map(f => ((BigInt(1) << f.width) - 1) << f.low).reduce(_ | _)
}

/** All registers of a block. */
case class RegisterMap(name: String, bytes: Int, registers: Seq[Register]) {
  for ((offset, group) <- registers.groupBy(_.offset) if group.size > 1)
    throw new IllegalArgumentException(
      f"requirement failed: ${group.map(_.name).mkString(" and ")} share offset 0x$offset%x"
    )
  for ((register, group) <- registers.groupBy(_.name) if group.size > 1)
    throw new IllegalArgumentException(s"requirement failed: register name $register is used twice")
  require(registers.forall(_.offset < bytes), s"a register lies beyond the $bytes bytes of $name")

  def apply(register: String): Register = registers
    .find(_.name == register)
    .getOrElse(throw new NoSuchElementException(s"$name has no register $register"))

  def field(register: String, field: String): RegisterField = apply(register).fields
    .find(_.name == field)
    .getOrElse(throw new NoSuchElementException(s"register $register has no field $field"))
}
