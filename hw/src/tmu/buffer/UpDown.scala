// SPDX-License-Identifier: Apache-2.0
package tmu.buffer

import chisel3._

/** A counter of what comes and goes. */
object UpDown {

  /** The count in the next clock: `up` and `down` are known late, so both sums are made ahead. */
  def next(count: UInt, up: Bool, down: Bool): UInt = {
    val more = count + 1.U
    val fewer = count - 1.U
    Mux(up === down, count, Mux(up, more, fewer))
  }
}
