// SPDX-License-Identifier: Apache-2.0
package tmu

import scala.util.Random

/** Random numbers of a test: every seed is printed, and TMU_SEED repeats a run. */
object Seeds {
  private val chosen: Option[Long] = sys.env.get("TMU_SEED").map(_.toLong)

  def random(test: String): Random = {
    val seed = chosen.getOrElse(System.nanoTime() & 0xffffffffL)
    Console.err.println(s"$test: seed $seed (TMU_SEED=$seed repeats it)")
    new Random(seed)
  }
}
