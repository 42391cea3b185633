// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import tmu.params.{SpillParams, TmuParams}

/** Request of an injected command: the part of the unit that keeps queues in memory sends these
  * between the host's commands.
  */
class SpillRequest(p: TmuParams) extends Bundle {

  /** Appends the entry, which was the oldest in memory, to its table. */
  val refills = Bool()

  /** The endpoint has nothing in memory any more. */
  val releases = Bool()

  /** Of refills in a row: the first one. Once one has failed, those behind it fail too. */
  val first = Bool()

  /** Commands of the endpoint that were deferred and are done, as a remainder. The request fails if
    * more have been deferred.
    */
  val deferrals = UInt(SpillParams(p).deferralBits.W)

  /** Searches its table once more for a command that was deferred: entries have come there since.
    */
  val retries = Bool()

  /** The host's commands are held, so that what was deferred does not count; and a retry that finds
    * nothing is appended if there is room.
    */
  val sure = Bool()

  def injected: Bool = refills || releases || retries
}

object SpillRequest {

  /** Request of a command of the host: none. */
  def none(p: TmuParams): SpillRequest = 0.U.asTypeOf(new SpillRequest(p))
}

/** State of an endpoint's queues in memory that the decision depends on. */
class SpillMark(p: TmuParams) extends Bundle {

  /** Entries lie in memory, or commands are on their way there: what the tables do not answer is
    * deferred.
    */
  val spilling = Bool()

  /** Commands deferred since reset, as a remainder. */
  val deferrals = UInt(SpillParams(p).deferralBits.W)
}
