// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{Decoupled, Valid}
import tmu.params.TmuParams

/** Submission queues with the page table and the commits, connected as in the whole unit. */
class SubmissionHarness(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val ready = Output(Bool())
    val configure = Flipped(Decoupled(new PageConfig(p)))
    val disable = Flipped(Decoupled(UInt(p.pageBits.W)))

    /** Neither commands nor indices may come. */
    val hold = Output(Bool())
    val command = Flipped(Valid(new DoorbellCommand(p)))
    val out = Decoupled(new PageCommand(p))
    val consumer = Flipped(Valid(new ConsumerUpdate(p)))
    val moved = Flipped(Valid(new RingMove(p)))
    val discard = Input(Bool())
    val crowded = Input(Bool())
    val scarce = Input(Bool())

    /** Endpoints that have something in memory, and those of them that stand aside. */
    val spilling = Input(UInt(p.endpoints.W))
    val held = Input(UInt(p.endpoints.W))
    val dropped = Output(Bool())
    val overrun = Output(Bool())
    val idle = Output(Bool())
  })
  private val pages = Module(new PageTable(p))
  private val commit = Module(new PageCommit(p))
  private val queues = Module(new SubmissionQueues(p))
  io.ready := commit.io.ready
  commit.io.configure <> io.configure
  commit.io.disable <> io.disable
  commit.io.moving := pages.io.moving || queues.io.moving
  commit.io.drained := queues.io.drained
  commit.io.fenced := true.B
  pages.io.change := commit.io.change
  pages.io.consumer := io.consumer
  pages.io.moved := io.moved
  pages.io.still := commit.io.still
  pages.io.ringRead := 0.U
  pages.io.roomRead := queues.io.roomRead
  queues.io.room := pages.io.room
  queues.io.limited := pages.io.limited
  queues.io.change := commit.io.change
  queues.io.hold := commit.io.hold
  queues.io.holdPage := io.configure.bits.page
  queues.io.still := commit.io.still
  queues.io.command := io.command
  queues.io.discard := io.discard
  queues.io.ended.valid := RegNext(io.moved.valid, false.B)
  queues.io.ended.bits := RegNext(io.moved.bits.page)
  queues.io.memory.crowded := io.crowded
  queues.io.memory.scarce := io.scarce
  queues.io.memory.holds := RegNext(io.held.orR)
  queues.io.memory.spilling := io.spilling(queues.io.memory.asked)
  queues.io.memory.held := io.held(queues.io.memory.asked)
  io.out <> queues.io.out
  io.hold := commit.io.hold
  io.dropped := queues.io.dropped
  io.overrun := queues.io.overrun
  io.idle := queues.io.idle
}
