// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.DecoupledIO
import tmu.buffer.BlockQueue
import tmu.params.TmuParams

/** Where commands wait between doorbell and decoder; a place of the decoder's counts as its own. */
object CommandQueue {
  def apply(p: TmuParams, in: DecoupledIO[DoorbellCommand]): DecoupledIO[DoorbellCommand] = {
    val queue = Module(new BlockQueue(new DoorbellCommand(p), p.commandSlots))
    queue.io.enq <> in
    queue.io.deq
  }
}
