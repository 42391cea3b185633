// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{is, log2Ceil, switch, Cat, PriorityEncoder}
import tmu.params.TmuParams

/** An ordered table in memory rows, searched one row a clock, oldest row first.
  *
  * Entry number i in age order lies in lane i mod lanes of row i / lanes, always: there are no
  * holes and no valid bits, only a count. A search reads rows until one hits or the table ends.
  * Taking an entry rotates every younger one down by one place, a row a clock ("delete and
  * rotate"), so that no later search pays for it.
  *
  * Clocks from request to reply, with h the row of the hit and n the rows in use: append 1, an
  * empty table 1, a hit h + 4, a miss n + 3. A take keeps the table busy for another n - h + 1
  * clocks. One request at a time; the next is accepted when the table is idle.
  *
  * When full, an append must not be asked for: an assertion guards it (R11).
  */
class RowTable(p: TmuParams, t: TableParams) extends Module {
  override def desiredName: String = s"RowTable${if (t.receives) "Posted" else "Unexpected"}"
  val io = IO(new SearchPort(p, t))

  private object State extends ChiselEnum {
    val idle, search, rotate, fetch = Value
  }
  import SearchOperation.{append, at, find, takeId}

  private val lanes =
    Seq.tabulate(t.lanes)(i => SyncReadMem(t.rows, new LaneEntry(p, t)).suggestName(s"lane$i"))
  private val count = RegInit(0.U(t.countBits.W))
  private val state = RegInit(State.idle)
  private val request = Reg(new SearchRequest(p, t))

  private def rowOf(position: UInt): UInt =
    if (t.rows == 1) 0.U else position(t.slotBits - 1, t.laneBits)
  private def laneOf(position: UInt): UInt = position(t.laneBits - 1, 0)
  private val lastRow = rowOf((count - 1.U)(t.slotBits - 1, 0))

  // Reading: one row a clock while rows are left.
  private val readRow = Reg(UInt(t.rowBits.W))
  private val reading = RegInit(false.B)
  private val readNow = WireDefault(reading)
  private val address = WireDefault(readRow)
  private val row = lanes.map(_.read(address, readNow))
  private val rowValid = RegNext(readNow, false.B)
  private val rowNumber = RegNext(address)

  when(reading) {
    readRow := readRow + 1.U
    reading := readRow =/= lastRow
  }

  // Compare: hits of the row that was read in the clock before, kept for the pick.
  private val entriesBefore = rowNumber << t.laneBits
  private val hits = RowCompare.hits(p, row, request, count - entriesBefore)
  private val comparing = rowValid && state === State.search
  private val pickValid = RegNext(comparing, false.B)
  private val pickHits = Reg(UInt(t.lanes.W))
  pickHits := hits
  private val pickSlots = RegNext(VecInit(row.map(_.slot)))
  private val pickRow = RegNext(rowNumber)
  private val pickLast = RegNext(rowNumber === lastRow)

  // Pick: the oldest hit of the row (R3, R4), or the end of the table.
  private val searching = state === State.search
  private val hit = searching && pickValid && pickHits.orR
  private val miss = searching && pickValid && !pickHits.orR && pickLast
  private val hitLane = PriorityEncoder(pickHits)
  private val hitPosition = Cat(pickRow, hitLane)

  private val reply = RegInit(0.U.asTypeOf(io.reply))
  reply.valid := false.B
  io.reply := reply
  // An entry that was taken is gone from the moment of the reply, though its place closes later.
  io.count := count - (state === State.rotate)
  io.idle := state === State.idle && !reply.valid
  io.request.ready := state === State.idle

  // Rotate: from the hole on, each lane takes its right neighbour; the last lane of a row takes the
  // first lane of the next row, one clock later, when that row has been read. Rows that the search
  // had read ahead are not part of it.
  private val holeRow = Reg(UInt(t.rowBits.W))
  private val holeLane = Reg(UInt(log2Ceil(t.lanes).W))
  private val readToRotate = RegNext(state === State.rotate, false.B)
  private val shifting = rowValid && readToRotate && state === State.rotate

  // Append: the lane behind the youngest entry. One write port a lane serves both.
  private val appended = Wire(new LaneEntry(p, t))
  appended.endpoint := io.request.bits.endpoint
  appended.key := io.request.bits.key
  appended.ignore.foreach(_ := io.request.bits.ignore)
  appended.id.foreach(_ := io.request.bits.id)
  appended.slot := io.request.bits.slot
  private val appending = io.request.fire && io.request.bits.operation === append
  for (i <- 0 until t.lanes) {
    val isLast = i == t.lanes - 1
    val shift =
      if (isLast) shifting && rowNumber =/= holeRow
      else shifting && (rowNumber =/= holeRow || i.U >= holeLane)
    val target = if (isLast) rowNumber - 1.U else rowNumber
    when(shift || (appending && laneOf(count) === i.U)) {
      lanes(i).write(
        Mux(shift, target, rowOf(count)),
        Mux(shift, row((i + 1) % t.lanes), appended)
      )
    }
  }

  switch(state) {
    is(State.idle) {
      when(io.request.fire) {
        request := io.request.bits
        readRow := 0.U
        when(io.request.bits.operation === append) {
          count := count + 1.U
          reply.valid := true.B
          reply.bits.hit := false.B
          reply.bits.visited := 0.U
        }.elsewhen(io.request.bits.operation === at) {
          val inside = io.request.bits.position < count
          readRow := rowOf(io.request.bits.position)
          reading := inside
          state := Mux(inside, State.fetch, State.idle)
          reply.valid := !inside
          reply.bits.hit := false.B
          reply.bits.visited := 0.U
        }.otherwise {
          reading := count =/= 0.U
          state := Mux(count =/= 0.U, State.search, State.idle)
          reply.valid := count === 0.U
          reply.bits.hit := false.B
          reply.bits.visited := 0.U
        }
      }
    }
    is(State.search) {
      when(hit || miss) {
        val removes = hit && request.operation =/= find
        reply.valid := true.B
        reply.bits.hit := hit
        reply.bits.slot := OldestFirst.select(pickHits, pickSlots)
        reply.bits.visited := Mux(hit, hitPosition +& 1.U, count)
        holeRow := pickRow
        holeLane := hitLane
        readRow := pickRow
        reading := removes
        state := Mux(removes, State.rotate, State.idle)
      }
    }
    is(State.rotate) {
      when(shifting && rowNumber === lastRow) {
        count := count - 1.U
        state := State.idle
      }
    }
    is(State.fetch) {
      reading := false.B
      when(rowValid) {
        reply.valid := true.B
        reply.bits.hit := true.B
        reply.bits.slot := VecInit(row.map(_.slot))(laneOf(request.position))
        state := State.idle
      }
    }
  }

  assert(!(appending && count === t.entries.U), "R11: append to a full table of %d entries", count)
  assert(
    !(io.request.fire && io.request.bits.operation === takeId && (!t.receives).B),
    "R10: messages have no receive id"
  )
  assert(!(hit && hitPosition >= count), "R15: hit beyond the %d entries", count)
}
