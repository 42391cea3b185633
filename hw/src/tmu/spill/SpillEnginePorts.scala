// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{Decoupled, Valid}
import tmu.params.SpillParams
import tmu.types.{Deferred, FilterWindows, Injected, Verdict}

/** Ports of the engine: to the matching unit, and to the parts that work for it. */
class SpillEnginePorts(s: SpillParams) extends Bundle {
  private val p = s.p
  val deferred = Flipped(Decoupled(new Deferred(p)))
  val verdict = Decoupled(new Verdict(p))
  val now = Input(UInt(32.W))
  val windows = Input(new FilterWindows(p))

  /** Spill memory has failed: what it holds can not be trusted any more. */
  val failed = Input(Bool())

  /** Drop commands: the unit is being reset. */
  val discard = Input(Bool())

  /** The lists of an endpoint are read, changed, and written back. */
  val lists = new ListAccess(s)
  val editing = Output(new SpillList(s))

  /** An append needs a new chunk; a clock after the list. */
  val opens = Output(Bool())
  val edited = Flipped(Valid(new SpillList(s)))
  val range = Decoupled(new SpillRange(s))
  val hit = Flipped(Decoupled(new SpillHit(s)))
  val stop = Output(Bool())
  val remove = Decoupled(new FoundSlot(s))
  val append = Decoupled(new Addition(s))
  val refused = Input(Bool())

  /** A pulse, when the lists are written back: chunks are made fewer until they are `packed`. */
  val packs = Output(Bool())
  val packed = Input(Bool())

  /** There is no room for an entry, in memory or in its table. */
  val exhausted = Output(Bool())

  /** The host's commands are held until no deferred one `waits`. */
  val holds = Output(Bool())
  val waits = Input(Bool())

  /** An endpoint to be served while nothing is deferred, or before that: it has something in
    * memory, or software only `looks` at its lists.
    */
  val service = Flipped(Decoupled(UInt(p.endpointBits.W)))
  val precedes = Input(Bool())
  val looks = Input(Bool())
  val released = Valid(UInt(p.endpointBits.W))
  val counts = Input(Vec(2, UInt(p.depthBits.W)))
  val inject = Decoupled(new Injection(s))
  val injected = Flipped(Valid(new Injected(p)))

  /** The entry that is edited is on its return to its table. */
  val refilling = Output(Bool())

  /** Entries, or a release, are on the way to the matching unit; or a command is answered. */
  val moving = Output(Bool())
  val works = Output(Bool())
  val idle = Output(Bool())
}
