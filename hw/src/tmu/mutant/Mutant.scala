// SPDX-License-Identifier: Apache-2.0
package tmu.mutant

import chisel3._
import scala.util.DynamicVariable

/** Says whether a mutant is on. Its body comes with the build: an argument of a simulation, a file
  * in its folder, a constant in a proof.
  */
class MutantSwitch(mutant: String) extends ExtModule {
  override def desiredName: String = Mutant.prefix + mutant
  val on = IO(Output(Bool()))
}

/** A wrong rule beside the right one: tests switch it on, and see that a bench, a checker or a
  * proof notices it.
  *
  * Only a design that is elaborated `withSwitches` can have mutants. In every other one the right
  * rule stands alone, and the Verilog has no trace of any mutant.
  */
object Mutant {

  /** Module name of a mutant's switch, before the mutant's name. */
  val prefix: String = "Mutant_"
  private val switches = new DynamicVariable(false)

  /** Elaborates a design for tests: with a switch, `MutantSwitch`, for each use of a mutant. */
  def withSwitches[T](elaborate: => T): T = switches.withValue(true)(elaborate)

  /** The right value; the wrong one, made of it, while the mutant of that name is on. */
  def apply[T <: Data](name: String, right: T)(wrong: T => T): T =
    if (switches.value) Mux(Module(new MutantSwitch(name)).on, wrong(right), right) else right
}
