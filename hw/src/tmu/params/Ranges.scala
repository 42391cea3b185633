// SPDX-License-Identifier: Apache-2.0
package tmu.params

import chisel3.util.isPow2

/** The values that a parameter can have: data, so that a generated file can state them too. */
sealed trait Range {
  def allows(value: Int): Boolean

  /** End of the sentence "it must ...". */
  def text: String

  /** The range as a call of the Python class that checks it: its kind and its numbers. */
  def kind: String
  def numbers: Seq[Int]

  def least: Int
  def most: Int
}

/** A power of two, both bounds included; with `orNone` 0 as well. */
case class PowerOfTwo(low: Int, high: Int, orNone: Boolean = false) extends Range {
  def allows(value: Int): Boolean =
    (orNone && value == 0) || (value >= low && value <= high && isPow2(value))
  def text: String = s"be ${if (orNone) "0 or " else ""}a power of two from $low to $high"
  def kind: String = if (orNone) "none or power of two" else "power of two"
  def numbers: Seq[Int] = Seq(low, high)
  def least: Int = if (orNone) 0 else low
  def most: Int = high
}

/** Any number, both bounds included. */
case class Between(low: Int, high: Int) extends Range {
  def allows(value: Int): Boolean = value >= low && value <= high
  def text: String = s"lie between $low and $high"
  def kind: String = "between"
  def numbers: Seq[Int] = Seq(low, high)
  def least: Int = low
  def most: Int = high
}

/** One of a few numbers. */
case class OneOf(numbers: Int*) extends Range {
  def allows(value: Int): Boolean = numbers.contains(value)
  def text: String = s"be ${numbers.init.mkString(", ")} or ${numbers.last}"
  def kind: String = "one of"
  def least: Int = numbers.min
  def most: Int = numbers.max
}

/** Yes or no; its value as a number is 1 or 0. */
case object Flag extends Range {
  def allows(value: Int): Boolean = value == 0 || value == 1
  def text: String = "be true or false"
  def kind: String = "flag"
  def numbers: Seq[Int] = Nil
  def least: Int = 0
  def most: Int = 1
}

/** A parameter, at least so many times another one.
  *
  * @param when
  *   two parameters: the rule holds only where the first is more than the second
  * @param strict
  *   more rather than at least
  * @param power
  *   of the first one, two to its power
  * @param text
  *   why, as a sentence
  */
case class Rule(
    parameter: String,
    times: Int,
    other: String,
    text: String,
    strict: Boolean = false,
    power: Boolean = false,
    when: Option[(String, String)] = None
) {

  /** Bounded quantity, in words that take its name as it is. */
  def subject(name: String): String = if (power) s"2 to the power of $name" else name
  def found(value: String => Int): Long =
    if (power) 1L << value(parameter) else value(parameter).toLong

  def holds(value: String => Int): Boolean = {
    val applies = when.forall { case (more, less) => value(more) > value(less) }
    val least = times.toLong * value(other)
    !applies || (if (strict) found(value) > least else found(value) >= least)
  }
}
