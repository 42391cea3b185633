// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import tmu.params.{TableParams, TmuParams}

/** A posted receive or an unexpected message, beside its position in the order. */
class Entry(p: TmuParams, t: TableParams) extends Bundle {
  val endpoint = UInt(p.endpointBits.W)
  val key = new MatchKey(p)

  /** A receive's wildcards, and what a cancel names: a message ignores nothing and has no id. */
  val ignore = if (t.receives) Some(new MatchKey(p)) else None
  val id = if (t.receives) Some(UInt(p.idBits.W)) else None

  /** The caller's, returned unchanged (R15). */
  val handle = UInt(p.handleBits.W)

  /** A receive's buffer, or where a message waits. */
  val address = UInt(p.addressBits.W)
  val length = UInt(p.lengthBits.W)

  /** Page that has posted a receive, whose ring tells of its message: the wire asks for no page. */
  val owner = Option.when(t.receives && p.hasNetwork)(UInt(p.pageBits.W))

  /** Of the endpoint alone, so that it is known whose an entry is that has lost another bit. */
  val parity = Option.when(p.parity)(Bool())
}

/** The part of an entry that a lane compares, and the slot where the whole entry lies. */
class LaneEntry(p: TmuParams, t: TableParams) extends Bundle {
  val endpoint = UInt(p.endpointBits.W)
  val key = new MatchKey(p)

  /** Kept for receives only: a message ignores nothing. */
  val ignore = if (t.receives) Some(new MatchKey(p)) else None

  /** Kept for receives only: what cancel names (R10). */
  val id = if (t.receives) Some(UInt(p.idBits.W)) else None
  val slot = UInt(t.slotBits.W)

  /** Of the endpoint, and of all the rest (LaneParity). */
  val parity = Option.when(p.parity)(UInt(2.W))
}
