// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import tmu.params.TmuParams

/** Compares a row of entries with one request: lanes side by side, a bit for each hit.
  *
  * Combinational. Lanes at or beyond `valid` hold no entry and never hit.
  */
object RowCompare {

  /** Endpoint and key of one lane; endpoints are always compared (R1, R13). */
  private def keyHit(p: TmuParams, lane: LaneEntry, request: SearchRequest): Bool = {
    val laneIgnore = lane.ignore.getOrElse(MatchKey.exact(p))
    lane.endpoint === request.endpoint &&
    MatchKey.matches(lane.key, laneIgnore, request.key, request.ignore)
  }

  /** Endpoint and receive id of one lane (R10). */
  private def idHit(lane: LaneEntry, request: SearchRequest): Bool =
    lane.id.fold(false.B)(id => lane.endpoint === request.endpoint && id === request.id)

  /** @param valid entries in this row, counted from lane 0; values beyond the row mean all */
  def hits(p: TmuParams, lanes: Seq[LaneEntry], request: SearchRequest, valid: UInt): UInt = {
    val byId = request.operation === SearchOperation.takeId
    VecInit(lanes.zipWithIndex.map { case (lane, i) =>
      i.U < valid && Mux(byId, idHit(lane, request), keyHit(p, lane, request))
    }).asUInt
  }
}
