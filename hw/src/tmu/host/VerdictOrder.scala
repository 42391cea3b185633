// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.Decoupled
import tmu.mutant.Mutant
import tmu.params.TmuParams
import tmu.types.{SlotVerdicts, Verdict}

/** Gives the verdicts of each slot one by one, in the order of the law: the post's first (R7).
  *
  * Combinational but for one bit: a slot with one verdict costs one clock, one with two costs two.
  */
class VerdictOrder(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val in = Flipped(Decoupled(new SlotVerdicts(p)))
    val out = Decoupled(new Verdict(p))
  })

  private val postGiven = RegInit(false.B)
  private val slot = io.in.bits
  private val givesPost = slot.post.valid && !postGiven
  private val isLast = !givesPost || !slot.arrival.valid
  io.out.valid := Mutant("silence", io.in.valid)(_ => false.B)
  io.out.bits := Mux(givesPost, slot.post.bits, slot.arrival.bits)
  io.in.ready := io.out.ready && isLast
  when(io.out.fire)(postGiven := !isLast)

  assert(
    !io.in.valid || slot.post.valid || slot.arrival.valid,
    "R7: a slot was answered without a verdict"
  )
}
