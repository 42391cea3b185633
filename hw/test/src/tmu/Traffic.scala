// SPDX-License-Identifier: Apache-2.0
package tmu

/** How long random traffic goes on.
  *
  * What it meets by then is chance. A test that asks for some of it has to go on until it came, or
  * it fails at one seed in some hundreds; the check behind it still fails where it never comes.
  */
object Traffic {

  /** Numbers from 0 on: at least `least`, more until `enough`, ten times `least` at most. */
  def until(least: Int)(enough: => Boolean): Iterator[Int] =
    Iterator.range(0, 10 * least).takeWhile(n => n < least || !enough)
}
