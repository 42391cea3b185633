// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import tmu.bus.AxiWrite
import tmu.params.TmuParams
import tmu.types.Verdict

/** The writer with the page table that it reads and writes, connected as in the whole unit; no
  * command is ever on its way to it.
  */
class CompletionWriterHarness(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val ready = Output(Bool())
    val configure = Flipped(util.Decoupled(new PageConfig(p)))
    val consumer = Flipped(util.Valid(new ConsumerUpdate(p)))
    val verdict = Flipped(util.Decoupled(new Verdict(p)))
    val now = Input(UInt(32.W))
    val discard = Input(Bool())
    val patience = Input(UInt(32.W))
    val overrun = Output(Bool())
    val axi = new AxiWrite(64, 512, 1)
    val error = Output(Bool())
    val stalled = Output(Bool())
    val idle = Output(Bool())
  })
  private val pages = Module(new PageTable(p))
  private val commit = Module(new PageCommit(p))
  private val writer = Module(new CompletionWriter(p))
  io.ready := commit.io.ready
  commit.io.configure <> io.configure
  commit.io.disable <> writer.io.disable
  commit.io.moving := pages.io.moving
  commit.io.drained := true.B
  commit.io.fenced := writer.io.fenced
  pages.io.change := commit.io.change
  // A consumer index that comes while a page changes waits, as it does at the doorbell.
  pages.io.consumer.valid := io.consumer.valid && !commit.io.hold
  pages.io.consumer.bits := io.consumer.bits
  pages.io.moved := writer.io.moved
  pages.io.still := commit.io.still
  pages.io.roomRead := 0.U
  pages.io.ringRead := writer.io.ringRead
  writer.io.ring := pages.io.ring
  writer.io.configured := commit.io.change.valid
  writer.io.hold := commit.io.hold
  writer.io.fence := commit.io.configured
  writer.io.patience := io.patience
  io.overrun := writer.io.disable.fire
  writer.io.verdict <> io.verdict
  writer.io.now := io.now
  writer.io.discard := io.discard
  io.axi <> writer.io.axi
  io.error := writer.io.error
  io.stalled := writer.io.stream.stalls
  io.idle := writer.io.idle
}
