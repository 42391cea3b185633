// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{log2Ceil, Decoupled, RRArbiter, RegEnable, Valid}
import tmu.buffer.PointerQueue
import tmu.mutant.Mutant
import tmu.params.TmuParams
import tmu.spill.SpillTurns

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

    /** A page may start again in this clock, and no index moves but a tail. */
    val still = Input(Bool())

    /** A page's ring got room; a completion of its commands was written, or dropped. */
    val limited = Flipped(Valid(UInt(p.pageBits.W)))
    val ended = Flipped(Valid(UInt(p.pageBits.W)))
    val roomRead = Output(UInt(p.pageBits.W))
    val room = Input(new RingRoom(p))

    /** Requests of memory to the pages that want a turn. */
    val memory = Flipped(new SpillTurns(p))

    /** Drop whatever comes: the unit is being reset. */
    val discard = Input(Bool())

    /** A command was dropped: its page is not enabled, or its share is full. */
    val dropped = Output(Bool())
    val overrun = Output(Bool())

    /** A command is entering. */
    val moving = Output(Bool())

    /** None is coming or leaving, or waits for its turn; some may wait for room in their ring.
      */
    val idle = Output(Bool())
  })

  private val configs = Mem(p.pages, new QueueConfig(p))
  private val heads = Mem(p.pages, RingIndex()) // commands that were given a turn
  private val freed = Mem(p.pages, RingIndex()) // commands that were read
  private val tails = Mem(p.pages, RingIndex()) // commands that came
  private val slots = Module(new CommandSlots(p))
  private val arbiter = Module(new PageArbiter(p))

  // Pages whose turn is next: the path from the arbiter is long.
  private val named = Module(new PointerQueue(UInt(p.pageBits.W), 2))

  // Pages of an endpoint whose entries are on their return stand aside, and are named now and then;
  // so does the privileged one, which may name that endpoint, beside anybody's.
  private val aside = Module(new PageArbiter(p))
  private val nextPage = Module(new RRArbiter(UInt(p.pageBits.W), 2))
  private val pause = RegInit(0.U(log2Ceil(SubmissionQueues.pause).W))
  private val namesAside = RegNext(!io.memory.holds || pause === 0.U, true.B)
  pause := pause + 1.U
  nextPage.io.in(0) <> arbiter.io.page
  nextPage.io.in(1).valid := aside.io.page.valid && namesAside
  nextPage.io.in(1).bits := aside.io.page.bits
  aside.io.page.ready := nextPage.io.in(1).ready && namesAside
  named.io.enq <> nextPage.io.out
  private val change = io.change.bits
  private val restarts = io.change.valid && change.restart
  when(io.change.valid)(configs.write(change.page, change.queue))

  // A command that comes: its page's state is there a clock later, but for a tail that has just moved.
  private val coming = RegNext(io.command.valid, false.B)
  private val comingCommand = RegNext(io.command.bits)
  private val share = RegNext(configs.read(io.command.bits.page))
  private val bound = RegNext(
    freed.read(io.command.bits.page) +
      RingIndex.size(configs.read(io.command.bits.page).log2)
  )
  private val readTail = RegNext(tails.read(io.command.bits.page))
  private val taken = Wire(Bool())
  private val tail = Wire(RingIndex())
  private val follows = RegNext(taken && io.command.bits.page === comingCommand.page, false.B)
  private val moved = RegNext(tail + 1.U)
  tail := Mux(Mutant("tail", follows)(_ => false.B), moved, readTail)
  private val full = Mux(follows, moved === bound, readTail === bound)
  taken := coming && share.enable && !full && !io.discard
  io.dropped := coming && !share.enable && !io.discard
  io.overrun := coming && share.enable && full && !io.discard
  when(restarts || taken) {
    tails.write(
      Mux(restarts, change.page, comingCommand.page),
      Mux(restarts, 0.U, tail + 1.U)
    )
  }
  // Whether a page starts again is known late, that it may is not.
  private val frees = slots.io.freed
  when(restarts || frees.valid) {
    freed.write(
      Mux(io.still, change.page, frees.bits.page),
      Mux(io.still, 0.U, frees.bits.index)
    )
  }
  slots.io.hold := io.hold

  // A command gets to its slot, and asks for its page's turn, a clock later: the routes there are
  // long, and the turn takes longer than that.
  private val arrived = RegNext(taken, false.B)
  private val arrival = RegNext(comingCommand)
  slots.io.write.valid := arrived
  slots.io.write.bits.command := arrival
  slots.io.write.bits.slot := RegNext(CommandSlots.slot(p, share, tail))

  // A page's turn, in four steps: its state is read; what waits and what there is room for; how
  // many may go; the turn is given. A page has one turn on its way at a time, because the last step
  // moves its head.
  private val first, second, third, fourth = RegInit(false.B)
  private val firstPage = Reg(UInt(p.pageBits.W))
  private val advance = Wire(Bool())

  private val looked = Mux(io.hold, io.holdPage, firstPage)
  io.roomRead := looked
  private val secondPage = RegEnable(firstPage, advance)
  private val queue = RegEnable(configs.read(looked), advance)
  private val head = RegEnable(heads.read(looked), advance)
  private val ahead = RegEnable(tails.read(looked), advance)
  private val room = RegEnable(io.room, advance)

  // Completions that may still come: of all that were given a turn but for those that have ended.
  private val due = head - room.position.finals
  private val thirdPage = RegEnable(secondPage, advance)
  private val thirdQueue = RegEnable(queue, advance)
  private val thirdHead = RegEnable(head, advance)
  private val waiting = RegEnable(ahead - head, advance)
  private val spare = RegEnable(SubmissionQueues.spare(p, room, due), advance)

  // While memory is busy, a page whose commands may have to wait for it has its next turn when those
  // of the last one have ended; while it is very busy every page, and turns are of one command. So
  // what waits for memory is bounded without anybody waiting for it but its own page (R13).
  private val privileged = secondPage === p.privilegedPage.U // names any endpoint
  io.memory.asked := queue.endpoint
  private val standsAside = RegEnable(Mux(privileged, io.memory.holds, io.memory.held), advance)
  private val single = RegEnable(io.memory.scarce, advance)
  private val unended = RegEnable(
    due =/= 0.U && (io.memory.scarce || (io.memory.crowded && (io.memory.spilling || privileged))),
    advance
  )

  // Whether a page's last turn was refused for that; then each of its commands that ends asks for
  // another, and so does one that ends while the page's turn is on its way.
  private val refused = Mem(p.pages, Bool())
  when(third && advance)(refused.write(thirdPage, unended || (p.hasNetwork.B && spare === 0.U)))

  // A flush with many answers can have taken more than there was: then there is less than none.
  private val none =
    !thirdQueue.enable || spare > RingIndex.size(16.U) || standsAside ||
      Mutant("crowd", unended)(_ => false.B)
  private val most = Mux(single, 1.U, TmuParams.turnCommands.U)
  private val least = Mutant("room", Mux(waiting < spare, waiting, spare))(_ => waiting)
  private val count = Mux(least > most, most, least)
  private val some = !none && waiting =/= 0.U && Mutant("room", spare =/= 0.U)(_ => true.B)
  private val turn = Reg(new PageTurn(p))

  /** More waits than may go now, and there is room for it. */
  private val more = RegEnable(waiting > most && spare > most, advance)
  when(advance) {
    turn.page := thirdPage
    turn.queue := thirdQueue
    turn.index := thirdHead
    turn.count := count(PageTurn.countBits - 1, 0)
  }
  slots.io.turn.valid := fourth && !io.hold
  slots.io.turn.bits := turn
  advance := !io.hold && (!fourth || slots.io.turn.ready)
  private val moves = fourth && advance
  when(restarts || moves) {
    heads.write(
      Mux(io.still, change.page, turn.page),
      Mux(io.still, 0.U, turn.index + turn.count)
    )
  }

  // A page that comes while none waits has its turn at once.
  private val page = named.io.deq
  private val candidate = Mux(page.valid, page.bits, arrival.page)
  private val steps = Seq(first -> firstPage, second -> secondPage, third -> thirdPage)
  private val candidateBusy =
    steps.map { case (valid, page) => valid && page === candidate }.reduce(_ || _)
  private val arbiterQuiet =
    RegNext(arbiter.io.idle, false.B) && arbiter.io.idle && !named.io.deq.valid
  page.ready := advance && Mutant("turns", !candidateBusy)(_ => true.B)
  private val directly = arrived && arbiterQuiet && advance && !candidateBusy
  when(advance) {
    first := page.fire || directly
    second := first
    third := second
    // State from before a reset means nothing until the reset has swept everything.
    fourth := third && some && !io.discard
    firstPage := candidate
  }
  // A page changes while all is held: what was read of it is void.
  for ((valid, page) <- steps :+ (fourth -> turn.page))
    when(io.change.valid && io.hold && change.page === page)(valid := false.B)

  private val inFlight =
    steps.map { case (valid, page) => valid && page === io.ended.bits }.reduce(_ || _)
  private val asks = Seq(
    (arrived && !directly) -> arrival.page,
    (moves && more) -> turn.page,
    io.limited.valid -> io.limited.bits,
    (io.ended.valid && (refused.read(io.ended.bits) || inFlight)) -> io.ended.bits
  )
  arbiter.io.wants.zip(asks).foreach { case (port, (valid, page)) =>
    port.valid := valid
    port.bits := page
  }

  aside.io.wants.foreach { port =>
    port.valid := false.B
    port.bits := thirdPage
  }
  aside.io.wants.head.valid := third && advance && standsAside

  // Asked while held: the head and the room are the held page's.
  io.drained := RegNext(heads.read(looked) === io.room.position.finals)
  io.out <> slots.io.out
  io.moving := io.command.valid || coming
  io.idle := !coming && !arrived && !io.ended.valid && arbiter.io.idle && aside.io.idle &&
    !named.io.deq.valid && !first && !second && !third && !fourth && slots.io.idle

  assert(!restarts || !taken, "a page starts again while a command comes")
  assert(!restarts || io.still, "page %d starts again while indices move", change.page)
  assert(!io.still || !moves, "a turn is granted in a clock in which none may be")
  assert(!io.still || restarts || !frees.valid, "a command is read in a clock in which none may be")
}

object SubmissionQueues {

  /** Clocks between pages that are named although they have stood aside: a power of two. */
  val pause: Int = 8

  /** Commands for whose completions a ring has room, `due` of them having started. On a card each
    * may be a post that waits, which is owed a second one, as every receive that waits is (W5).
    */
  private def spare(p: TmuParams, room: RingRoom, due: UInt): UInt = {
    val left = room.limit - room.position.producer
    room.position.owed.fold(left - due) { owed =>
      val rest = left - owed - (due << 1)(RingIndex.bits - 1, 0)
      // Less than none stays so.
      Mux(rest > RingIndex.size(16.U), rest, rest >> 1)
    }
  }
}
