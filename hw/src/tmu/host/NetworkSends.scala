// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{Decoupled, DecoupledIO, Valid}
import tmu.layout.{CommandLayout, Opcodes}
import tmu.params.TmuParams
import tmu.rules.MatchRules
import tmu.types.Sending

/** A command that sends, and the configuration of its page. */
class SendRequest(p: TmuParams) extends Bundle {
  val command = new PageCommand(p)
  val life = UInt(Sending.lifeBits.W)
}

/** Bytes of a post in the memory that it names. */
class MemoryQuestion(p: TmuParams) extends Bundle {
  val memory = UInt(16.W)
  val endpoint = UInt(p.endpointBits.W)
  val address = UInt(64.W)
  val bytes = UInt(48.W)
}

/** Between a unit and what sends on its card. */
class NetworkSends(p: TmuParams) extends Bundle {

  /** Taken in every clock, as long as pages have few turns while there is little room. */
  val request = Valid(new SendRequest(p))
  val scarce = Input(Bool())

  /** In the same clock, whether these bytes are registered to be written (W8). */
  val asks = Output(new MemoryQuestion(p))
  val registered = Input(Bool())

  /** No message is on its way out. */
  val idle = Input(Bool())
}

/** Takes sends out of the hosts' commands, and looks at the memory of posts (W8): a clock. */
class SendSplit(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val in = Flipped(Decoupled(new PageCommand(p)))
    val out = Decoupled(new PageCommand(p))

    /** The page of the command at hand. */
    val page = Output(UInt(p.pageBits.W))
    val life = Input(UInt(Sending.lifeBits.W))
    val request = Valid(new SendRequest(p))
    val asks = Output(new MemoryQuestion(p))
    val registered = Input(Bool())

    /** Drop sends: the unit is being reset. */
    val discard = Input(Bool())
    val idle = Output(Bool())
  })
  private val full = RegInit(false.B)
  private val held = Reg(new PageCommand(p))
  private val record = held.record
  private def is(code: tmu.layout.Code): Bool =
    MatchRules.is(CommandLayout.opcode.of(record), code)
  private val sends = is(Opcodes.send)
  private val leaves = full && (sends || io.out.ready)
  io.in.ready := !full || leaves
  when(io.in.ready)(held := io.in.bits)
  full := io.in.fire || full && !leaves

  io.page := held.page
  io.request.valid := full && sends && !io.discard
  io.request.bits.command := held
  io.request.bits.life := io.life
  private val privileged = held.page === p.privilegedPage.U
  io.asks.memory := CommandLayout.memory.of(record)
  io.asks.endpoint := Mux(privileged, CommandLayout.endpoint.of(record), held.endpoint)
  io.asks.address := CommandLayout.address.of(record)
  io.asks.bytes := CommandLayout.length.of(record)
  io.out.valid := full && !sends
  io.out.bits := held
  io.out.bits.unregistered.foreach(
    _ := is(Opcodes.post) && io.asks.bytes =/= 0.U && !io.registered
  )
  io.idle := !full
}

object SendSplit {

  /** In front of the decoder: the commands that are not sends. */
  def apply(
      p: TmuParams,
      commands: DecoupledIO[PageCommand],
      ports: NetworkSends,
      pages: PageTable,
      discard: Bool
  ): SendSplit = {
    val split = Module(new SendSplit(p))
    split.io.in <> commands
    pages.io.lifeRead.foreach(_ := split.io.page)
    pages.io.life.foreach(split.io.life := _)
    ports.request := split.io.request
    ports.asks := split.io.asks
    split.io.registered := ports.registered
    split.io.discard := discard
    split
  }
}
