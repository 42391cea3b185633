// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{Decoupled, RegEnable, Valid}
import tmu.params.TmuParams

/** Commands of one page that may start: how many, and where they lie. */
class PageTurn(p: TmuParams) extends Bundle {
  val page = UInt(p.pageBits.W)
  val queue = new QueueConfig(p)
  val index = RingIndex()
  val count = UInt(PageTurn.countBits.W)
}

object PageTurn {

  val countBits: Int = 4
}

/** A command on its way to its slot. */
class SlotWrite(p: TmuParams) extends Bundle {
  val slot = UInt(p.slotBits.W)
  val command = new DoorbellCommand(p)
}

/** Number of commands of a page that have been read. */
class SlotFreed(p: TmuParams) extends Bundle {
  val page = UInt(p.pageBits.W)
  val index = RingIndex()
}

/** A command that starts. */
class PageCommand(p: TmuParams) extends Bundle {
  val page = UInt(p.pageBits.W)
  val endpoint = UInt(p.endpointBits.W)
  val record = UInt(512.W)
  val stamp = UInt(32.W)

  /** On a card that sends, of a post: its buffer is not in memory that its endpoint has registered
    * (W8).
    */
  val unregistered = Option.when(p.hasSend)(Bool())
}

/** The memory in which commands wait for their page's turn.
  *
  * Written in any clock; read turn by turn, a command a clock, into the register at its output. A
  * turn is granted for commands that have been written.
  */
class CommandSlots(p: TmuParams) extends Module {
  private class Waiting extends Bundle {
    val record = UInt(512.W)
    val stamp = UInt(32.W)
  }
  val io = IO(new Bundle {
    val write = Flipped(Valid(new SlotWrite(p)))
    val turn = Flipped(Decoupled(new PageTurn(p)))

    /** Nothing is read. */
    val hold = Input(Bool())

    /** A page's command was read: its slot is free. */
    val freed = Valid(new SlotFreed(p))
    val out = Decoupled(new PageCommand(p))
    val idle = Output(Bool())
  })
  private val block = Mem(p.commandSlots, new Waiting)
  private val written = Wire(new Waiting)
  written.record := io.write.bits.command.record
  written.stamp := io.write.bits.command.stamp
  when(io.write.valid)(block.write(io.write.bits.slot, written))

  // The slot that is read next is a register: from there the path to the memories is long.
  private val turn = Reg(new PageTurn(p))
  private val following = turn.index + 1.U
  private val slot = Reg(UInt(p.slotBits.W))
  private val left = RegInit(0.U(PageTurn.countBits.W))
  private val some = RegInit(false.B) // left is not 0
  private val last = RegInit(false.B) // left is 1
  private val valid = RegInit(false.B)
  private val takes = !valid || io.out.ready
  private val loads = takes && some && !io.hold
  private val ends = !some || (loads && last)
  io.turn.ready := ends
  when(ends) {
    turn := io.turn.bits
    slot := CommandSlots.slot(p, io.turn.bits.queue, io.turn.bits.index)
    left := io.turn.bits.count
    some := io.turn.valid
    last := io.turn.bits.count === 1.U
  }.elsewhen(loads) {
    turn.index := following
    slot := CommandSlots.slot(p, turn.queue, following)
    left := left - 1.U
    last := left === 2.U
  }
  when(takes)(valid := loads)
  io.freed.valid := loads
  io.freed.bits.page := turn.page
  io.freed.bits.index := following

  private val read = RegEnable(block.read(slot), takes)
  io.out.valid := valid
  io.out.bits.page := RegEnable(turn.page, takes)
  io.out.bits.endpoint := RegEnable(turn.queue.endpoint, takes)
  io.out.bits.record := read.record
  io.out.bits.stamp := read.stamp
  io.out.bits.unregistered.foreach(_ := false.B)
  io.idle := !valid && !some
}

object CommandSlots {

  /** Slot of a page's command number `index`. */
  def slot(p: TmuParams, queue: QueueConfig, index: UInt): UInt =
    queue.first | (index & (RingIndex.size(queue.log2) - 1.U))(p.slotBits - 1, 0)
}
