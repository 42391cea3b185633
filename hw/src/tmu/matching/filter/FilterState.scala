// SPDX-License-Identifier: Apache-2.0
package tmu.matching.filter

import chisel3.ChiselEnum

/** States of a filter table: at rest; `locate` and `name` find a named entry, a clock each; `sweep`
  * reads rows for a search; `extract` sends what is named or lifted; `close` closes a hole.
  */
private object FilterState extends ChiselEnum {
  val idle, locate, name, sweep, extract, close = Value
}
