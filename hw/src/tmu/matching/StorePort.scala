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
  * taken is given back. Wiring of a store, and of what it tells of flipped bits.
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
  * @param verify
  *   read instead: a candidate of the memory rows
  */
object StorePort {
  def apply(
      p: TmuParams,
      t: TableParams,
      store: EntryStore,
      appender: Operation,
      outcome: Outcome,
      paired: Bool,
      takes: Bool,
      at: FoundLane,
      verify: Option[Valid[UInt]],
      raise: FaultRaise
  ): Unit = {
    store.io.write.valid := RegNext(store.io.allocate.ready, false.B)
    store.io.write.bits.slot := RegNext(store.io.allocate.bits)
    store.io.write.bits.entry := RegNext(OperationRules.entry(p, t, appender))
    store.io.readSlot.valid := verify.fold(false.B)(_.valid) || RegNext(outcome.found, false.B)
    store.io.readSlot.bits := verify.fold(at.slot)(v => Mux(v.valid, v.bits, at.slot))
    raise.io.outcome := outcome
    raise.io.stored := !paired
    raise.io.endpointParity := at.endpointParity.getOrElse(false.B)
    raise.io.entryEndpoint := store.io.read.entry.endpoint
    raise.io.entryBroken := store.io.read.broken
    raise.io.entryLost := store.io.read.lost
    // A slot that was found by a wrong way may be in use: it is not given back.
    if (p.parity) {
      store.io.release.valid := raise.io.releases
      store.io.release.bits := RegNext(at.slot)
    } else {
      store.io.release.valid := RegNext(takes, false.B)
      store.io.release.bits := at.slot
    }
  }
}
