// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import tmu.matching.Verdict
import tmu.params.TmuParams

/** The writer with the page table that it reads and writes, connected as in the whole unit. */
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
  private val writer = Module(new CompletionWriter(p))
  io.ready := pages.io.ready
  pages.io.configure <> io.configure
  pages.io.consumer := io.consumer
  pages.io.producer := writer.io.producer
  pages.io.enableRead := 0.U.asTypeOf(pages.io.enableRead)
  pages.io.ringRead := writer.io.ringRead
  writer.io.ring := pages.io.ring
  writer.io.configured := pages.io.changes
  writer.io.patience := io.patience
  pages.io.disable <> writer.io.disable
  io.overrun := writer.io.disable.fire
  writer.io.verdict <> io.verdict
  writer.io.now := io.now
  writer.io.discard := io.discard
  io.axi <> writer.io.axi
  io.error := writer.io.error
  io.stalled := writer.io.stalled
  io.idle := writer.io.idle
}
