// SPDX-License-Identifier: Apache-2.0
package tmu

/** Length of random traffic.
  *
  * Events that it meets by then are chance. A test that asks for some of them has to go on until
  * they came, or it fails at one seed in some hundreds; the check behind it still fails where they
  * never come.
  */
object Traffic {

  /** Numbers from 0 on: at least `least`, more until `enough`, ten times `least` at most. */
  def until(least: Int)(enough: => Boolean): Iterator[Int] =
    Iterator.range(0, 10 * least).takeWhile(n => n < least || !enough)
}
