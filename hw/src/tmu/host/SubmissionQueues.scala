// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{Decoupled, RegEnable, Valid}
import tmu.params.TmuParams

/** The pages' submission queues: every page has commands of its own that wait, and waits for no
  * other (R13).
  *
  * Each page has a share of the command slots, used in a ring. A command that comes is written to
  * its page's next slot; without a free one it is dropped and counted. Pages take turns of a few
  * commands each, as far as their completion rings have room for the answers, so an owner that does
  * not read its ring keeps nobody waiting but itself. Order within a page is kept (R7).
  */
class SubmissionQueues(p: TmuParams) extends Module {
  val io = IO(new Bundle {

    /** Taken in every clock, whatever waits. */
    val command = Flipped(Valid(new DoorbellCommand(p)))
    val out = Decoupled(new PageCommand(p))
    val change = Flipped(Valid(new PageChange(p)))

    /** Nothing moves while a change is near; `drained` says, two clocks later, whether no command
      * of the page that it means is on its way.
      */
    val hold = Input(Bool())
    val holdPage = Input(UInt(p.pageBits.W))
    val drained = Output(Bool())

    /** A page's ring got room. */
    val limited = Flipped(Valid(UInt(p.pageBits.W)))
    val roomRead = Output(UInt(p.pageBits.W))
    val room = Input(new RingRoom)

    /** Drop whatever comes: the unit is being reset. */
    val discard = Input(Bool())

    /** A command was dropped: its page is not enabled, or its share is full. */
    val dropped = Output(Bool())
    val overrun = Output(Bool())

    /** No command is on its way in, or out. */
    val moving = Output(Bool())
    val idle = Output(Bool())
  })

  private val configs = Mem(p.pages, new QueueConfig(p))
  private val heads = Mem(p.pages, RingIndex()) // commands that were given a turn
  private val freed = Mem(p.pages, RingIndex()) // commands that were read
  private val tails = Mem(p.pages, RingIndex()) // commands that came
  private val slots = Module(new CommandSlots(p))
  private val arbiter = Module(new PageArbiter(p))
  private val change = io.change.bits
  private val restarts = io.change.valid && change.restart
  when(io.change.valid)(configs.write(change.page, change.queue))

  // A command that comes: its page's state is there a clock later, but for a tail that has just moved.
  private val coming = RegNext(io.command.valid, false.B)
  private val come = RegNext(io.command.bits)
  private val share = RegNext(configs.read(io.command.bits.page))
  private val free = RegNext(freed.read(io.command.bits.page))
  private val readTail = RegNext(tails.read(io.command.bits.page))
  private val taken = Wire(Bool())
  private val tail = Wire(RingIndex())
  private val follows = RegNext(taken, false.B) && RegNext(come.page) === come.page
  tail := Mux(follows, RegNext(tail) + 1.U, readTail)
  private val full = (tail - free) >= RingIndex.size(share.log2)
  taken := coming && share.enable && !full && !io.discard
  io.dropped := coming && !share.enable && !io.discard
  io.overrun := coming && share.enable && full && !io.discard
  when(restarts || taken) {
    tails.write(
      Mux(restarts, change.page, come.page),
      Mux(restarts, 0.U, tail + 1.U)
    )
  }
  private val frees = slots.io.freed
  when(restarts || frees.valid) {
    freed.write(
      Mux(restarts, change.page, frees.bits.page),
      Mux(restarts, 0.U, frees.bits.index)
    )
  }
  slots.io.hold := io.hold
  slots.io.write.valid := taken
  slots.io.write.bits.command := come
  slots.io.write.bits.slot := CommandSlots.slot(p, share, tail)

  // A page's turn, in three steps: its state is read; what waits and what there is room for; how
  // many may go. A page has one turn on its way at a time, because the last step moves its head.
  private val first = RegInit(false.B)
  private val second = RegInit(false.B)
  private val third = RegInit(false.B)
  private val firstPage = Reg(UInt(p.pageBits.W))
  private val advance = Wire(Bool())
  private def restarted(page: UInt): Bool = restarts && change.page === page

  private val looked = Mux(io.hold, io.holdPage, firstPage)
  io.roomRead := looked
  private val secondPage = RegEnable(firstPage, advance)
  private val queue = RegEnable(configs.read(looked), advance)
  private val secondHead = RegEnable(heads.read(looked), advance)
  private val secondTail = RegEnable(tails.read(looked), advance)
  private val room = RegEnable(io.room, advance)

  // Completions that may still come: of all that were given a turn but for those that have ended.
  private val due = secondHead - room.position.finals
  private val spare = room.limit - room.position.producer - due
  private val thirdPage = RegEnable(secondPage, advance)
  private val turn = Reg(new PageTurn(p))
  private val waiting = RegEnable(secondTail - secondHead, advance)
  private val enabled = RegEnable(queue.enable, advance)
  private val roomLeft = RegEnable(spare, advance)
  when(advance) {
    turn.page := secondPage
    turn.queue := queue
    turn.index := secondHead
  }
  // A flush with many answers can have taken more than there was: then there is less than none.
  private val none = !enabled || roomLeft > RingIndex.size(16.U)
  private val most = Mux(waiting < roomLeft, waiting, roomLeft)
  private val count = Mux(none, 0.U, Mux(most > PageTurn.most.U, PageTurn.most.U, most))
  private val grants = third && count =/= 0.U
  slots.io.turn.valid := grants && !io.hold
  slots.io.turn.bits := turn
  slots.io.turn.bits.count := count(PageTurn.countBits - 1, 0)
  advance := !io.hold && (!grants || slots.io.turn.ready)
  private val moves = grants && advance
  when(restarts || moves) {
    heads.write(
      Mux(restarts, change.page, thirdPage),
      Mux(restarts, 0.U, turn.index + count)
    )
  }

  // More waits than may go now, and there is room for it.
  private val leaves = moves && waiting =/= count && roomLeft =/= count

  // Who comes while nobody waits has its turn at once.
  private val page = arbiter.io.page
  private val candidate = Mux(page.valid, page.bits, come.page)
  private val meets =
    (first && firstPage === candidate) || (second && secondPage === candidate)
  page.ready := advance && !meets
  private val directly = taken && arbiter.io.idle && advance && !meets
  when(advance) {
    first := page.fire || directly
    second := first
    third := second
    firstPage := candidate
  }
  // A page starts again while all is held: what was read of it is void.
  when(restarted(firstPage))(first := false.B)
  when(restarted(secondPage))(second := false.B)
  when(restarted(thirdPage))(third := false.B)

  private val asks =
    Seq((taken && !directly) -> come.page, leaves -> thirdPage, io.limited.valid -> io.limited.bits)
  arbiter.io.wants.zip(asks).foreach { case (port, (valid, page)) =>
    port.valid := valid
    port.bits := page
  }

  // Asked while held: the head and the room are the held page's.
  io.drained := RegNext(heads.read(looked) === io.room.position.finals)
  io.out <> slots.io.out
  io.moving := io.command.valid || coming
  io.idle := !coming && arbiter.io.idle && !first && !second && !third && slots.io.idle

  assert(!restarts || !taken, "a page starts again while a command comes")
  assert(!restarts || !moves, "a page starts again while a turn is granted")
}
