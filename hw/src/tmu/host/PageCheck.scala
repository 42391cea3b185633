// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{Cat, Valid}
import tmu.layout.DoorbellLayout
import tmu.params.TmuParams
import tmu.registers.RegisterMap
import tmu.rules.MatchRules

/** Configuration of a page as the registers have it; valid when it can be (a page that is disabled
  * always can).
  */
object PageCheck {
  def apply(p: TmuParams, map: RegisterMap, control: NamedWords): Valid[PageConfig] = {
    def field(register: String, name: String): UInt = control.field(map, register, name)
    val out = Wire(Valid(new PageConfig(p)))
    val ring = out.bits.ring
    val queue = out.bits.queue
    val log2 = field("QUEUE_CONFIG", "LOG2")
    val first = field("QUEUE_CONFIG", "FIRST")
    out.bits.page := control("PAGE_SELECT")(p.pageBits - 1, 0)
    ring.enable := field("RING_CONFIG", "ENABLE")
    ring.log2 := field("RING_CONFIG", "LOG2")
    ring.base := Cat(control("RING_BASE_HI"), control("RING_BASE_LO")) >> 6
    queue.enable := ring.enable
    queue.endpoint := control("PAGE_ENDPOINT")(p.endpointBits - 1, 0)
    queue.first := first(p.slotBits - 1, 0)
    queue.log2 := log2

    val there = control("PAGE_SELECT") < p.pages.U
    val privileged = control("PAGE_SELECT") === p.privilegedPage.U
    val named = privileged || MatchRules.isBelow(control("PAGE_ENDPOINT"), p.endpoints)
    val shaped =
      ring.log2 >= DoorbellLayout.ringLog2Min.U && ring.log2 <= DoorbellLayout.ringLog2Max.U
    val aligned = (first & (RingIndex.size(log2) - 1.U)) === 0.U
    val within = first < p.commandSlots.U && log2 <= p.slotBits.U
    out.valid := there && (!ring.enable || (named && shaped && aligned && within))
    out
  }
}
