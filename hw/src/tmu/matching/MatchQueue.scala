// SPDX-License-Identifier: Apache-2.0
package tmu.matching

import chisel3._
import chisel3.util.{Decoupled, Valid}
import tmu.params.TmuParams

class QueueRequest(p: TmuParams) extends Bundle {
  val operation = SearchOperation()

  /** Search key and mask, or the whole entry to append. */
  val entry = new Entry(p)
  val id = UInt(p.idBits.W)
  val position = UInt(32.W)
}

class QueueReply(p: TmuParams, t: TableParams) extends Bundle {
  val hit = Bool()

  /** The entry that was found, taken or read; meaningless without a hit. */
  val entry = new Entry(p)
  val visited = UInt(t.countBits.W)
}

/** One ordered queue of all endpoints: a search engine over lanes and the entries behind them.
  *
  * One request at a time. The reply comes two clocks after the engine's. When an append is asked
  * for while `count` equals the table's size, the engine's assertion fails: the asker checks (R11).
  */
class MatchQueue(p: TmuParams, t: TableParams) extends Module {
  override def desiredName: String = s"MatchQueue${if (t.receives) "Posted" else "Unexpected"}"
  val io = IO(new Bundle {
    val request = Flipped(Decoupled(new QueueRequest(p)))
    val reply = Valid(new QueueReply(p, t))
    val count = Output(UInt(t.countBits.W))
    val idle = Output(Bool())
  })

  private val engine = Module(new RowTable(p, t))
  private val store = Module(new EntryStore(p, t))

  private val in = io.request.bits
  private val appends = in.operation === SearchOperation.append
  private val slotReady = !appends || store.io.allocate.valid
  private val waiting = RegInit(false.B)
  private val takes = Reg(Bool())

  engine.io.request.valid := io.request.valid && slotReady && !waiting
  io.request.ready := engine.io.request.ready && slotReady && !waiting
  store.io.allocate.ready := io.request.fire && appends
  engine.io.request.bits.operation := in.operation
  engine.io.request.bits.endpoint := in.entry.endpoint
  engine.io.request.bits.key := in.entry.key
  engine.io.request.bits.ignore := in.entry.ignore
  engine.io.request.bits.id := in.id
  engine.io.request.bits.slot := store.io.allocate.bits
  engine.io.request.bits.position := in.position
  store.io.write.valid := io.request.fire && appends
  store.io.write.bits.slot := store.io.allocate.bits
  store.io.write.bits.entry := in.entry
  when(io.request.fire) {
    waiting := true.B
    takes := in.operation === SearchOperation.take || in.operation === SearchOperation.takeId
  }

  // The entry behind a hit is read in the clock of the engine's reply.
  private val found = engine.io.reply.valid && engine.io.reply.bits.hit
  store.io.readSlot.valid := found
  store.io.readSlot.bits := engine.io.reply.bits.slot
  store.io.release.valid := found && takes
  store.io.release.bits := engine.io.reply.bits.slot

  private val answered = RegNext(engine.io.reply.valid, false.B)
  private val answer = RegNext(engine.io.reply.bits)
  io.reply.valid := RegNext(answered, false.B)
  io.reply.bits.hit := RegNext(answer.hit)
  io.reply.bits.visited := RegNext(answer.visited)
  io.reply.bits.entry := RegNext(store.io.entry)
  when(io.reply.valid)(waiting := false.B)

  io.count := engine.io.count
  io.idle := engine.io.idle && !waiting
}
