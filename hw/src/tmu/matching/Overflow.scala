// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{is, switch, Pipe}
import tmu.fault.FaultPort
import tmu.matching.filter.{EntryCheck, FilterTable}
import tmu.params.{TableParams, TmuParams}
import tmu.types.FilterWindows

/** The younger parts of both queues, and the slots that have to search them.
  *
  * A queue that is longer than its array gets its new entries in memory rows. A slot that may have
  * to search them is parked at the end of its walk, and so are all behind it until the unit is
  * empty again: parked slots are decided one by one, and what was not found in the array is
  * searched in the rows, for the slot behind too, ahead of its turn. Their own entries go to the
  * rows, so that an array only shrinks while slots that have walked it are parked, and every walk
  * is complete. A slot is decided in the clock of its last answer, but for an append that has to
  * wait until its rows are settled.
  *
  * When enough lanes are free the unit is emptied, and the oldest entries of the rows are lifted
  * into the array, one a clock:
  * {{{
  * park     ParkStage     slots that have walked wait in their order (R7)
  * search   RowSearch     what the arrays do not have is searched in the rows, for each queue
  * release  ReleaseStage  a slot goes to its decision with its last answer
  * lift     LiftStage     the oldest entries go to the arrays while the unit is empty (R3, R4)
  * }}}
  * Index 0 is the post of a slot, which searches messages; 1 is the arrival, which searches
  * receives.
  */
class Overflow(p: TmuParams) extends Module {
  private val posted = TableParams.posted(p)
  private val unexpected = TableParams.unexpected(p)
  val io = IO(new OverflowPorts(p))

  private object State extends ChiselEnum {
    val idle, search, lift = Value
  }
  private val state = RegInit(State.idle)
  private val messages = Module(new FilterTable(p, unexpected))
  private val receives = Module(new FilterTable(p, posted))
  private val tables = Seq(messages, receives)
  private val park = Module(new ParkStage(p))
  private val searchMessages = Module(new RowSearch(p, unexpected))
  private val searchReceives = Module(new RowSearch(p, posted))
  private val searches = Seq(searchMessages, searchReceives)
  private val release = Module(new ReleaseStage(p))
  private val lift = Module(new LiftStage(p))
  private val inRows = VecInit(tables.map(_.io.some))
  private val grows = VecInit(io.appendUnexpected.valid, io.appendPosted.valid)
  private val rowsIdle = messages.io.idle && receives.io.idle
  private val idle = state === State.idle
  private val searching = state === State.search
  private val (first, next) = (park.io.first, park.io.next)
  io.unexpectedInRows := inRows(0)
  io.postedInRows := inRows(1)

  park.io.walked := io.walked
  park.io.searchesNext := io.searchesNext
  park.io.inRows := inRows
  park.io.grows := grows
  park.io.rests := io.drained && !io.entered && idle && rowsIdle
  first.ready := release.io.now
  io.parks := park.io.parks

  // Windows change only while nothing is filtered by them.
  private val windows = Reg(new FilterWindows(p))
  when(!inRows.reduce(_ || _) && !park.io.parks && !grows.reduce(_ || _))(windows := io.windows)
  messages.io.windows := windows
  receives.io.windows := windows

  private val searchStarts = idle && first.valid
  for ((search, s) <- searches.zipWithIndex) {
    def parked(to: ParkedOperation, slot: SearchedSlot): Unit = {
      to.op := Seq(slot.slot.post, slot.slot.arrival)(s)
      to.found := slot.found(s)
    }
    parked(search.io.first, first.bits)
    parked(search.io.next.bits, next.bits)
    search.io.next.valid := next.valid
    search.io.offered := searchStarts
    search.io.begins := searchStarts && !lift.io.starts
    search.io.searching := searching
    search.io.decided := release.io.now
    tables(s).io.request <> search.io.request
    tables(s).io.ahead := search.io.ahead
    tables(s).io.commit := release.io.now
    search.io.reply := tables(s).io.reply
  }

  release.io.first.valid := first.valid
  release.io.first.bits := first.bits
  release.io.searching := searching
  release.io.answered := VecInit(searches.map(_.io.answered))
  release.io.found := VecInit(searches.map(_.io.found))
  release.io.messageSlot := searchMessages.io.slot
  release.io.receiveSlot := searchReceives.io.slot
  release.io.settled := VecInit(receives.io.settled, messages.io.settled)
  io.first := first.bits.slot
  io.parked := release.io.parked
  io.inArray := first.bits.found

  lift.io.counts := VecInit(tables.map(_.io.count))
  lift.io.inRows := inRows
  lift.io.free := VecInit(io.freeUnexpected, io.freePosted)
  lift.io.waiting := io.waiting
  lift.io.decided := release.io.now
  lift.io.parks := park.io.parks
  lift.io.idle := idle
  lift.io.lifting := state === State.lift
  lift.io.rowsIdle := rowsIdle
  lift.io.drained := io.drained
  io.holdsBack := lift.io.holdsBack
  io.holdsInspects := lift.io.holdsInspects
  for ((table, lifts) <- tables.zip(lift.io.lifts)) {
    table.io.lift.valid := lifts.valid
    table.io.lift.bits := lifts.bits
  }

  switch(state) {
    is(State.idle) {
      when(lift.io.starts)(state := State.lift).elsewhen(first.valid)(state := State.search)
    }
    is(State.search)(when(release.io.now && !next.valid)(state := State.idle))
    is(State.lift)(when(lift.io.ends)(state := State.idle))
  }

  messages.io.append := io.appendUnexpected
  receives.io.append := io.appendPosted
  io.readUnexpected := messages.io.readSlot
  io.readPosted := receives.io.readSlot
  private val messageRead = EntryCheck(p, unexpected, messages, io.entryUnexpected)
  private val receiveRead = EntryCheck(p, posted, receives, io.entryPosted)
  // Straight from the stores' memories; the arrays compare it in the clock in which they get it.
  io.liftUnexpected := Pipe(messages.io.lifted.valid, messageRead)
  io.liftPosted := Pipe(receives.io.lifted.valid, receiveRead)
  FaultPort.join(io.fault, Seq(messages.io.fault, receives.io.fault))
  io.activity := VecInit(messages.io.activity, receives.io.activity)

  assert(!(lift.io.starts && io.entered), "R7: a slot enters while entries are lifted")
  assert(
    !(state === State.lift && (first.valid || park.io.arrives)),
    "R7: entries lifted while a slot is at the end of its walk"
  )
}
