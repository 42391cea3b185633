// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import chisel3.util.Valid
import tmu.params.TmuParams

/** Live figures that the counters sample. */
class MatchActivity(p: TmuParams) extends Bundle {
  val busy = Bool()
  val accepted = Bool()
  val postedCount = UInt(p.depthBits.W)
  val unexpectedCount = UInt(p.depthBits.W)
  val postedVisited = Valid(UInt(p.depthBits.W))
  val unexpectedVisited = Valid(UInt(p.depthBits.W))

  /** The parts of both queues beyond the arrays; and whether there are any. */
  val filters = Vec(2, new FilterActivity)
  val long = Bool()
}

/** Activity of a table in this clock, for the counters. */
class FilterActivity extends Bundle {
  val pass = Bool()
  val candidate = Bool()
  val falsePositive = Bool()
  val lift = Bool()
}

/** Activity of memory, for the counters. */
class SpillActivity extends Bundle {
  val deferred = Bool()
  val appended = Bool()
  val taken = Bool()
  val refilled = Bool()
  val falsePositive = Bool()
  val refused = Bool()
  val error = Bool()
  val reads = new StreamState
  val writes = new StreamState
}

/** One clock of a stream. */
class StreamState extends Bundle {

  /** A transfer. */
  val moves = Bool()

  /** Something is there that wants to move, whether it does or not. */
  val waits = Bool()

  def stalls: Bool = waits && !moves
  def idles: Bool = !waits && !moves
}
