// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import scala.collection.immutable.SeqMap
import tmu.layout.{KeyField, KeyLayout}
import tmu.mutant.Mutant
import tmu.params.TmuParams

/** The fields of `KeyLayout`: of a message, a receive, or a mask over all of them. */
class MatchKey(p: TmuParams) extends Record {

  /** As in a bundle, the first field has the upper bits. */
  val elements: SeqMap[String, UInt] =
    SeqMap.from(KeyLayout.all.reverse.map(f => f.signal -> UInt(f.kept(p).W)))

  def apply(field: KeyField): UInt = elements(field.signal)

  /** MPI: context and tag. */
  def bits: UInt = apply(KeyLayout.matchBits)
  def source: UInt = apply(KeyLayout.source)
}

object MatchKey {

  /** Rule R1: keys match where every bit that neither side ignores is equal.
    *
    * A message ignores nothing; a receive carries its wildcards as ignored bits (R2). Pure, no
    * state.
    */
  def matches(a: MatchKey, aIgnore: MatchKey, b: MatchKey, bIgnore: MatchKey): Bool =
    KeyLayout.all
      .map { f =>
        val ignored = Mutant("wildcard", bIgnore(f))(_ => 0.U)
        !((a(f) ^ b(f)) & ~aIgnore(f) & ~ignored).orR
      }
      .reduce(_ && _)

  private def filled(p: TmuParams, value: Int => UInt): MatchKey = {
    val key = Wire(new MatchKey(p))
    for (f <- KeyLayout.all) key(f) := value(f.kept(p))
    key
  }

  /** The mask of a message: no bit is ignored. */
  def exact(p: TmuParams): MatchKey = filled(p, _ => 0.U)

  /** The mask of all that there is: every bit is ignored. */
  def everything(p: TmuParams): MatchKey = filled(p, width => ~0.U(width.W))
}
