// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.Valid
import tmu.fault.FaultRaise
import tmu.matching.array.EntryStore
import tmu.params.{TableParams, TmuParams}
import tmu.rules.{OperationRules, Outcome}
import tmu.types.{FoundLane, Operation}

/** Bodies of a table's entries: what was appended is written, what was found is read, what was
  * taken is freed. Wiring of a store, and of what it tells of flipped bits.
  *
  * @param appender
  *   the operation that is decided and may be appended to this table
  * @param outcome
  *   of the one that searched it
  * @param paired
  *   what it found was never stored
  * @param takes
  *   it takes what is stored
  * @param at
  *   a clock later: the lane, or the slot, of what it found
  * @param candidate
  *   read instead: a candidate of the memory rows
  */
object BodyPort {
  def apply(
      p: TmuParams,
      t: TableParams,
      store: EntryStore,
      appender: Operation,
      outcome: Outcome,
      paired: Bool,
      takes: Bool,
      at: FoundLane,
      candidate: Option[Valid[UInt]],
      raise: FaultRaise
  ): Unit = {
    store.io.write.valid := RegNext(store.io.allocate.ready, false.B)
    store.io.write.bits.slot := RegNext(store.io.allocate.bits)
    store.io.write.bits.entry := RegNext(OperationRules.entry(p, t, appender))
    store.io.readSlot.valid := candidate.fold(false.B)(_.valid) || RegNext(outcome.found, false.B)
    store.io.readSlot.bits := candidate.fold(at.slot)(v => Mux(v.valid, v.bits, at.slot))
    raise.io.outcome := outcome
    raise.io.stored := !paired
    raise.io.endpointParity := at.endpointParity.getOrElse(false.B)
    raise.io.entryEndpoint := store.io.read.entry.endpoint
    raise.io.entryBroken := store.io.read.broken
    raise.io.entryLost := store.io.read.lost
    // After a parity error on the look-up path the slot index is untrusted, so it is not freed.
    if (p.parity) {
      store.io.release.valid := raise.io.releases
      store.io.release.bits := RegNext(at.slot)
    } else {
      store.io.release.valid := RegNext(takes, false.B)
      store.io.release.bits := at.slot
    }
  }
}
