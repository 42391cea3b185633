// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import tmu.params.TmuParams

/** Instead of [[Spill]] in a unit that takes no memory: none is registered, so no command is
  * deferred and a full table refuses (R11). Software that looks finds every queue at rest and
  * empty.
  */
class NoSpill(p: TmuParams) extends MemoryPart(p) {
  io :<= 0.U.asTypeOf(io)
  io.look.seen.resting := true.B
  io.ready := true.B
  io.idle := true.B
  assert(!io.unit.deferred.valid, "R11: a command was deferred, and there is no memory")
  assert(!io.register.valid, "memory was registered with a unit that takes none")
}
