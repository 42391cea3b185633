// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import tmu.params.TmuParams

/** The smallest unit with memory rows: of each queue's entries 4 lie in lanes, the rest in rows of
  * 4 filter ids.
  */
object RowsParams {
  def apply(name: String, entries: Int): TmuParams = TmuParams(
    name,
    endpoints = 2,
    postedEntries = entries,
    unexpectedEntries = entries,
    arrayEntries = 4,
    lanes = 2,
    filterLanes = 4
  )
}
