// SPDX-License-Identifier: Apache-2.0
package tmu.matching.endpoints

import chisel3._
import tmu.params.TmuParams

/** Operations of one stream at an endpoint; all modulo the width. */
class StreamTally(p: TmuParams) extends Bundle {

  /** Verdicts that took a serial number (R7). */
  val serials = UInt(32.W)

  /** Entries appended to the stream's own queue, and taken from the other stream's. */
  val appended = UInt(p.depthBits.W)
  val taken = UInt(p.depthBits.W)
}
