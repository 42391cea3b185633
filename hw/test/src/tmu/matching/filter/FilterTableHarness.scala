// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import chisel3._
import tmu.matching.array.StoredEntry
import tmu.params.{TableParams, TmuParams}

/** A filter table with the comparator that verifies its candidates, connected as in the unit. */
class FilterTableHarness(p: TmuParams, t: TableParams) extends Module {
  val io = IO(new FilterPorts(p, t) {
    val read = Input(new StoredEntry(p, t))
  })
  private val table = Module(new FilterTable(p, t))
  for ((name, port) <- io.elements; inner <- table.io.elements.get(name)) port <> inner
  EntryCheck(p, t, table, io.read)
}
