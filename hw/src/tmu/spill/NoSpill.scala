// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import tmu.params.TmuParams

/** In the place of [[Spill]] in a unit that takes no memory: none is lent, so no command is
  * deferred and a full table refuses (R11). Software that looks finds every queue at rest and
  * empty.
  */
class NoSpill(p: TmuParams) extends MemoryPart(p) {
  io :<= 0.U.asTypeOf(io)
  io.look.seen.resting := true.B
  io.ready := true.B
  io.idle := true.B
  assert(!io.unit.deferred.valid, "R11: a command was deferred, and there is no memory")
  assert(!io.lend.valid, "memory was lent to a unit that takes none")
}
