// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{DecoupledIO, Queue}
import tmu.buffer.PointerQueue
import tmu.params.TmuParams

/** Where commands wait between doorbell and decoder. */
object CommandQueue {

  /** A long queue belongs into block memory; a short one counts a place of the decoder's as its
    * own.
    */
  def apply(p: TmuParams, in: DecoupledIO[DoorbellCommand]): DecoupledIO[DoorbellCommand] =
    if (p.commandQueue > 64) Queue(in, p.commandQueue, useSyncReadMem = true)
    else {
      val queue = Module(new PointerQueue(new DoorbellCommand(p), math.max(2, p.commandQueue - 1)))
      queue.io.enq <> in
      queue.io.deq
    }
}
