// SPDX-License-Identifier: Apache-2.0
package tmu.host

import tmu.layout.{Code, CommandLayout, WordField}

/** The bytes of a command as a number; fields that are not named are zero. */
object CommandRecord {
  def apply(fields: (WordField, BigInt)*): BigInt =
    fields.map { case (f, v) => v << (64 * f.word + f.low) }.sum
  def apply(code: Code, fields: (WordField, BigInt)*): BigInt =
    apply((CommandLayout.opcode -> BigInt(code.value)) +: fields: _*)
}
