// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import tmu.mutant.Mutant
import tmu.params.TmuParams

/** Match bits and source: of a message, a receive, or a mask over both. */
class MatchKey(p: TmuParams) extends Bundle {

  /** MPI: context and tag. */
  val bits = UInt(p.matchBits.W)
  val source = UInt(p.sourceBits.W)
}

object MatchKey {

  /** Rule R1: keys match where every bit that neither side ignores is equal.
    *
    * A message ignores nothing; a receive carries its wildcards as ignored bits (R2). Pure, no
    * state.
    */
  def matches(a: MatchKey, aIgnore: MatchKey, b: MatchKey, bIgnore: MatchKey): Bool = {
    val bits =
      (a.bits ^ b.bits) & ~aIgnore.bits & ~Mutant("wildcard", bIgnore.bits)(_ => 0.U)
    val source = (a.source ^ b.source) & ~aIgnore.source & ~bIgnore.source
    !bits.orR && !source.orR
  }

  /** The mask of a message: no bit is ignored. */
  def exact(p: TmuParams): MatchKey = {
    val none = Wire(new MatchKey(p))
    none.bits := 0.U
    none.source := 0.U
    none
  }
}
