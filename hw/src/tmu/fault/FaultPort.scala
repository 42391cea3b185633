// SPDX-License-Identifier: Apache-2.0
package tmu.fault

import chisel3._
import chisel3.util.Valid

/** Of a block that checks what it stores: what software wants flipped, and what is seen. */
class FaultPort extends Bundle {
  val flip = Flipped(Valid(new FaultRequest))
  val view = Output(new FaultView)
}

object FaultPort {

  /** A block's port, of those of its parts: a clock later. */
  def join(whole: FaultPort, parts: Seq[FaultPort]): Unit = {
    parts.foreach(_.flip := whole.flip)
    whole.view := FaultView.all(parts.map(_.view))
  }
}
