// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{log2Ceil, Cat, Decoupled, PriorityEncoder, PriorityEncoderOH, UIntToOH, Valid}
import tmu.params.TmuParams

/** Names the pages that want a turn, round robin: none has two turns while another one waits.
  *
  * A bit a page, in groups. The pages of a group that want a turn are taken over at once and served
  * from the lowest; one that asks while a lower one is served joins them. Then the next group that
  * has any comes. One page a clock while groups are well filled, one in three at the worst. A page
  * that asks after its turn keeps its bit for the next round.
  */
class PageArbiter(p: TmuParams) extends Module {
  val io = IO(new Bundle {

    /** Pages that want a turn from now on. */
    val wants = Vec(PageArbiter.askers, Flipped(Valid(UInt(p.pageBits.W))))
    val page = Decoupled(UInt(p.pageBits.W))
    val idle = Output(Bool())
  })
  private val lanes = math.min(PageArbiter.group, 1 << p.pageBits)
  private val laneBits = log2Ceil(lanes)
  private val groups = (p.pages + lanes - 1) / lanes

  private val wanting = RegInit(VecInit.fill(groups)(0.U(lanes.W)))
  private val some = VecInit(wanting.map(_.orR)).asUInt

  // The group at hand: its pages that have not had their turn, and its number.
  private val round = RegInit(0.U(lanes.W))
  private val group = RegInit(0.U(math.max(1, log2Ceil(groups)).W))

  // The next group with any, a clock late: what it says may have been taken by now.
  private val above = VecInit.tabulate(groups)(g => group < g.U).asUInt & some
  private val next = RegNext(PriorityEncoder(Mux(above.orR, above, some)))
  private val fresh = RegInit(false.B)

  // The round has come so far; from there up, pages may still join it.
  private val passed = RegInit(0.U(lanes.W))
  private val lane = PriorityEncoderOH(round)
  private val behind = passed | (lane - 1.U) | lane
  private val joins = Mux(round.orR, wanting(group) & ~behind, 0.U)
  private val rest = round & ~lane
  io.page.valid := round.orR
  io.page.bits :=
    (if (groups == 1) PriorityEncoder(round) else Cat(group, PriorityEncoder(round)))
  private val served = Mux(io.page.fire, rest, round) | joins
  private val loads = !served.orR && fresh
  round := Mux(loads, wanting(next), served)
  when(loads)(group := next)
  when(loads)(passed := 0.U).elsewhen(round.orR)(passed := passed | (lane - 1.U))
  fresh := some.orR && !loads

  for (g <- 0 until groups) {
    val asked = io.wants.map { w =>
      val here = if (groups == 1) true.B else (w.bits >> laneBits) === g.U
      Mux(w.valid && here, UIntToOH(w.bits(laneBits - 1, 0), lanes), 0.U)
    }
    val joined = Mux(group === g.U, joins, 0.U)
    val kept = Mux(loads && next === g.U, 0.U, wanting(g) & ~joined)
    wanting(g) := (kept +: asked).reduce(_ | _)
  }
  io.idle := !round.orR && !some.orR
}

object PageArbiter {

  /** Who may say that a page wants a turn. */
  val askers: Int = 3

  /** Pages that are looked at together. */
  val group: Int = 64
}
