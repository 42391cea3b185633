// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{Decoupled, Queue, Valid}
import tmu.contract.CompletionLayout
import tmu.matching.Verdict
import tmu.params.TmuParams

/** Writes completions into the rings in host memory: one 64-byte write each, one a clock.
  *
  * Completion number i of a page goes to slot i mod size of its ring; the phase bit is 1 in the
  * first lap and alternates. All writes bear one AXI id, so memory sees them in order. When a ring
  * is full the writer waits until its owner has moved the consumer index; it does not drop, and all
  * pages wait with it. Completions of a page whose ring is not enabled are dropped.
  */
class CompletionWriter(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val verdict = Flipped(Decoupled(new Verdict(p)))
    val now = Input(UInt(32.W))
    val ringRead = Valid(UInt(p.pageBits.W))
    val ring = Input(new RingState)
    val producer = Valid(new ConsumerUpdate(p))

    /** Drop whatever comes: the unit is being reset. */
    val discard = Input(Bool())
    val axi = new AxiWrite(64, 512, 1)
    val error = Output(Bool())

    /** A completion waits for ring space or for memory. */
    val stalled = Output(Bool())
    val idle = Output(Bool())
  })

  // Stage 1 holds a verdict; its ring's state is read when it enters, and again while it waits.
  private val full = RegInit(false.B)
  private val held = Reg(new Verdict(p))

  // The last write to a ring's producer index may have been too late for the read of the same clock.
  private val lastValid = RegNext(io.producer.valid, false.B)
  private val last = RegNext(io.producer.bits)
  private val producer =
    Mux(lastValid && last.page === held.page, last.index, io.ring.producer)
  private val used = producer - io.ring.consumer
  private val size = 1.U(32.W) << io.ring.config.log2

  // The producer moves by one, so an honest ring is full at equality; an index that lies can only
  // overwrite the liar's own ring, and stops nobody (R13).
  private val ringFull = used === size

  private val out = Wire(Decoupled(new Bundle {
    val address = UInt(64.W)
    val data = UInt(512.W)
  }))
  // A ring that is no longer enabled may be memory that is no longer its owner's: nothing is written.
  private val drops = io.discard || !io.ring.config.enable
  out.valid := full && !ringFull && !drops
  private val slot = producer & (size - 1.U)
  out.bits.address := ((io.ring.config.base +& slot) << 6)(63, 0)
  private val waited = io.now - held.stamp
  private val host = Mux(waited > 0xffff.U, 0xffff.U, waited)
  private val lap = !(producer >> io.ring.config.log2)(0)
  out.bits.data := CompletionEncode(p, held) |
    CompletionLayout.layout.pack(
      CompletionLayout.phase -> lap,
      CompletionLayout.hostLatency -> host
    )

  private val leaves = out.fire || (full && drops)
  io.verdict.ready := !full || leaves
  when(io.verdict.fire)(held := io.verdict.bits)
  full := io.verdict.fire || (full && !leaves)
  io.ringRead.valid := io.verdict.fire || full
  io.ringRead.bits := Mux(io.verdict.fire, io.verdict.bits.page, held.page)
  io.producer.valid := out.fire
  io.producer.bits.page := held.page
  io.producer.bits.index := producer + 1.U

  // Address and data channels take each write once, in either order.
  private val awQueue = Module(new Queue(UInt(64.W), 2))
  private val wQueue = Module(new Queue(UInt(512.W), 2))
  out.ready := awQueue.io.enq.ready && wQueue.io.enq.ready
  awQueue.io.enq.valid := out.fire
  awQueue.io.enq.bits := out.bits.address
  wQueue.io.enq.valid := out.fire
  wQueue.io.enq.bits := out.bits.data

  private val axi = io.axi
  axi.awvalid := awQueue.io.deq.valid
  axi.awaddr := awQueue.io.deq.bits
  awQueue.io.deq.ready := axi.awready
  axi.awid := 0.U
  axi.awlen := 0.U
  axi.awsize := 6.U
  axi.awburst := AxiBurst.increment
  axi.awlock := false.B
  axi.awcache := 3.U
  axi.awprot := 0.U
  axi.wvalid := wQueue.io.deq.valid
  axi.wdata := wQueue.io.deq.bits
  wQueue.io.deq.ready := axi.wready
  axi.wstrb := ~0.U(64.W)
  axi.wlast := true.B
  axi.bready := true.B

  private val outstanding = RegInit(0.U(16.W))
  private val answered = axi.bvalid && axi.bready
  outstanding := outstanding + out.fire - answered
  io.error := answered && axi.bresp =/= AxiResponse.okay
  io.stalled := full && !leaves
  io.idle := !full && outstanding === 0.U

  assert(!(answered && outstanding === 0.U), "memory answered a write that was not made")
  assert(!(out.fire && outstanding.andR), "more than %d completion writes in flight", outstanding)
}
