// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{Decoupled, Valid}
import tmu.buffer.Sweep
import tmu.params.TmuParams

/** A page's completion ring. */
class RingConfig extends Bundle {
  val enable = Bool()

  /** Completions the ring holds, as a power of two. */
  val log2 = UInt(5.W)

  /** Bus address, in units of 64 bytes. */
  val base = UInt(58.W)
}

object RingConfig {

  /** Completions that a ring holds. */
  def size(log2: UInt): UInt = (1.U(32.W) << log2)(31, 0)
}

/** A page's new ring. */
class PageConfig(p: TmuParams) extends Bundle {
  val page = UInt(p.pageBits.W)
  val ring = new RingConfig
}

/** How far a ring is written, and how far it may be. */
class RingState extends Bundle {
  val config = new RingConfig
  val producer = UInt(32.W)

  /** The producer index at which the ring is full: the consumer's and the size. */
  val limit = UInt(32.W)
}

/** Completion rings of all pages; a sweep after reset disables all (`ready` tells when).
  *
  * Reads answer in the next clock. A read in the clock of a write may show the old or the new
  * value: who reads must bear both.
  */
class PageTable(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val ready = Output(Bool())

    /** Waits for a clock without index updates, so that none is lost. */
    val configure = Flipped(Decoupled(new PageConfig(p)))

    /** Takes a page's ring away; waits for nothing but the sweep, whatever other pages do (R13). */
    val disable = Flipped(Decoupled(UInt(p.pageBits.W)))

    /** One of both happens in this clock. */
    val changes = Output(Bool())
    val consumer = Flipped(Valid(new ConsumerUpdate(p)))
    val producer = Flipped(Valid(new ConsumerUpdate(p)))

    /** Is a page enabled? Asked by the decoder. */
    val enableRead = Flipped(Valid(UInt(p.pageBits.W)))
    val enabled = Output(Bool())

    /** A ring's state; asked by the completion writer. */
    val ringRead = Input(UInt(p.pageBits.W))
    val ring = Output(new RingState)
  })

  private val sweep = Module(new Sweep(p.pages))
  io.ready := sweep.io.ready

  private val configs = Mem(p.pages, new RingConfig)
  private val enables = SyncReadMem(p.pages, Bool())
  private val producers = Mem(p.pages, UInt(32.W))
  private val limits = Mem(p.pages, UInt(32.W))
  private val sizes = SyncReadMem(p.pages, UInt(5.W))

  // A consumer index needs a clock to become a limit.
  private val moving = RegNext(io.consumer.valid, false.B)
  private val moved = RegNext(io.consumer.bits)
  private val limit =
    moved.index + RingConfig.size(sizes.read(io.consumer.bits.page, io.consumer.valid))

  private val disables = io.disable.valid
  private val page =
    Mux(io.ready, Mux(disables, io.disable.bits, io.configure.bits.page), sweep.io.place)
  io.disable.ready := io.ready
  io.configure.ready := io.ready && !disables && !io.consumer.valid && !moving && !io.producer.valid
  io.changes := io.configure.fire || io.disable.fire
  private val clear = !io.ready || io.configure.fire
  private val config =
    Mux(io.ready && !disables, io.configure.bits.ring, 0.U.asTypeOf(new RingConfig))
  when(clear || disables) {
    configs.write(page, config)
    enables.write(page, config.enable)
  }
  when(clear)(sizes.write(page, config.log2))
  when(clear || io.producer.valid) {
    producers.write(
      Mux(clear, page, io.producer.bits.page),
      Mux(clear, 0.U, io.producer.bits.index)
    )
  }
  when(clear || moving) {
    limits.write(Mux(clear, page, moved.page), Mux(clear, RingConfig.size(config.log2), limit))
  }

  io.enabled := enables.read(io.enableRead.bits, io.enableRead.valid)
  io.ring.config := RegNext(configs.read(io.ringRead))
  io.ring.producer := RegNext(producers.read(io.ringRead))
  io.ring.limit := RegNext(limits.read(io.ringRead))
}
