// SPDX-License-Identifier: Apache-2.0
package tmu.types

import chisel3._
import tmu.params.TmuParams

/** Step of one operation in its stream's tally: nothing, if there is none. */
class TallyStep(p: TmuParams) extends Bundle {
  val endpoint = UInt(p.endpointBits.W)
  val serial = Bool()
  val append = Bool()
  val take = Bool()

  def any: Bool = serial || append || take
}
