// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import tmu.layout.{CommandLayout, KeyLayout, SpillEntryLayout, WordField}
import tmu.params.TmuParams

/** An entry of either queue in memory; `SpillEntryLayout` says how it lies there. A message ignores
  * nothing and has no id.
  */
class SpillEntry(p: TmuParams) extends Bundle {

  /** Of all that follows and of the entry's location in memory; 0 in a unit without parity. */
  val parity = Bool()
  val endpoint = UInt(p.endpointBits.W)
  val id = UInt(p.idBits.W)
  val length = UInt(p.lengthBits.W)
  val address = UInt(p.addressBits.W)
  val handle = UInt(p.handleBits.W)
  val ignore = new MatchKey(p)
  val key = new MatchKey(p)
}

object SpillEntry {
  private def fieldsOf(entry: SpillEntry): Seq[(WordField, UInt)] = Seq(
    SpillEntryLayout.parity -> entry.parity,
    SpillEntryLayout.endpoint -> entry.endpoint,
    SpillEntryLayout.handle -> entry.handle,
    SpillEntryLayout.address -> entry.address,
    CommandLayout.length -> entry.length,
    SpillEntryLayout.receiveId -> entry.id
  ) ++ KeyLayout.all.flatMap(f => Seq(f.value -> entry.key(f), f.ignore -> entry.ignore(f)))

  /** Between an entry and its beat; bits of the beat that no field has are 0. */
  def toBeat(entry: SpillEntry): UInt = SpillEntryLayout.layout.pack(fieldsOf(entry): _*)
  def fromBeat(p: TmuParams, beat: UInt): SpillEntry = {
    val entry = Wire(new SpillEntry(p))
    for ((field, value) <- fieldsOf(entry)) value := field.of(beat)(value.getWidth - 1, 0)
    entry
  }

  /** Entry that is appended for an operation; `receive` tells which queue it is appended to. */
  def apply(p: TmuParams, op: Operation, receive: Bool): SpillEntry = {
    val entry = Wire(new SpillEntry(p))
    entry.endpoint := Operation.endpoint(p, op)
    entry.id := Mux(receive, op.command.id, p.idNone.U)
    entry.length := op.command.length
    entry.address := op.command.address
    entry.handle := op.command.handle(p.handleBits - 1, 0)
    entry.ignore := Mux(receive, op.command.ignore, MatchKey.exact(p))
    entry.key := op.command.key
    entry.parity := 0.U
    entry
  }

  /** The same of an entry that its table has. */
  def stored(p: TmuParams, of: Entry): SpillEntry = {
    val entry = Wire(new SpillEntry(p))
    entry.endpoint := of.endpoint
    entry.id := of.id.getOrElse(p.idNone.U)
    entry.length := of.length
    entry.address := of.address
    entry.handle := of.handle
    entry.ignore := of.ignore.getOrElse(MatchKey.exact(p))
    entry.key := of.key
    entry.parity := 0.U
    entry
  }
}
