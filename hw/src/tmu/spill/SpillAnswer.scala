// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import tmu.params.{TableParams, TmuParams}
import tmu.rules.Resolve
import tmu.types.{Entry, Operation, SpillEntry, Verdict}

/** Verdicts of commands that memory answers: the same law, entries elsewhere (R1 to R15). */
object SpillAnswer {

  /** @param onMessages
    *   the entry is a message; else a receive
    */
  def apply(
      p: TmuParams,
      op: Operation,
      found: Bool,
      status: UInt,
      serial: UInt,
      entry: SpillEntry,
      onMessages: Bool,
      removed: Vec[UInt]
  ): Verdict = {
    def of(t: TableParams): Verdict = {
      val whole = Wire(new Entry(p, t))
      whole.endpoint := entry.endpoint
      whole.key := entry.key
      whole.ignore.foreach(_ := entry.ignore)
      whole.id.foreach(_ := entry.id)
      whole.handle := entry.handle
      whole.address := entry.address
      whole.length := entry.length
      whole.owner.foreach(_ := 0.U) // a card has no queues in memory
      whole.parity.foreach(_ := entry.endpoint.xorR)
      val kind = Resolve.kind(op)
      val verdict = WireDefault(
        Resolve.verdict(p, op, kind, found, status, serial, whole, !t.receives, removed)
      )
      verdict.truncated :=
        Resolve.truncated(op, found, Resolve.longer(op, whole, onMessages = !t.receives))
      verdict
    }
    Mux(onMessages, of(TableParams.unexpected(p)), of(TableParams.posted(p)))
  }
}
