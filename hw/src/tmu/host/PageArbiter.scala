// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{log2Ceil, Cat, Decoupled, OHToUInt, PriorityEncoder, UIntToOH, Valid}
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

  // Groups that have any, kept beside the bits: the OR over all pages is a long path.
  private val some = RegInit(0.U(groups.W))

  // A request takes a clock to its bit: the routes from the askers are long.
  private val asked = io.wants.map { want =>
    val late = Wire(Valid(UInt(p.pageBits.W)))
    late.valid := RegNext(want.valid, false.B)
    late.bits := RegNext(want.bits)
    late
  }

  private def here(group: UInt): UInt = if (groups == 1) wanting.head else wanting(group)

  // The group at hand: its number, and its pages that have not had their turn. A page joins them
  // while a lower one is named, so none comes twice in a round.
  private val group = RegInit(0.U(math.max(1, log2Ceil(groups)).W))
  private val round = RegInit(0.U(lanes.W))
  private val upTo = round ^ (round - 1.U) // the lowest page of the round and all below
  private val joins = Mux(round.orR, here(group) & ~upTo, 0.U)
  io.page.valid := round.orR
  io.page.bits := {
    val lane = OHToUInt(round & upTo)
    if (groups == 1) lane else Cat(group, lane)
  }

  // The next group with any, a clock late: what it says may have been taken by now.
  private val above = VecInit.tabulate(groups)(g => group < g.U).asUInt & some
  private val next = RegNext(PriorityEncoder(Mux(above.orR, above, some)))
  private val fresh = RegInit(false.B)
  private val loads = !round.orR && fresh
  fresh := some.orR && !loads
  when(loads) {
    round := here(next)
    group := next
  }.otherwise {
    round := Mux(io.page.fire, round & ~upTo, round) | joins
  }

  private val left = for (g <- 0 until groups) yield {
    val set = asked.map { want =>
      val mine = if (groups == 1) true.B else (want.bits >> laneBits) === g.U
      Mux(want.valid && mine, UIntToOH(want.bits(laneBits - 1, 0), lanes), 0.U)
    }
    val taken = Mux(loads && next === g.U, wanting(g), Mux(group === g.U, joins, 0.U))
    ((wanting(g) & ~taken) +: set).reduce(_ | _)
  }
  wanting := VecInit(left)
  some := VecInit(left.map(_.orR)).asUInt
  io.idle := !round.orR && !some.orR && !asked.map(_.valid).reduce(_ || _)
}

object PageArbiter {

  /** Ports that may ask for a page's turn. */
  val askers: Int = 4

  /** Pages that are looked at together. */
  val group: Int = 64
}
