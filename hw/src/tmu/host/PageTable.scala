// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.Valid
import tmu.params.TmuParams
import tmu.types.Sending

/** Indices up to which a page's ring is written. */
class RingPosition(p: TmuParams) extends Bundle {

  /** Completions written. */
  val producer = RingIndex()

  /** Commands whose last completion was written, or dropped. */
  val finals = RingIndex()

  /** On a card: receives that wait, each of which is owed a completion when its message comes. */
  val owed = Option.when(p.hasNetwork)(RingIndex())
}

/** A ring's new position. */
class RingMove(p: TmuParams) extends Bundle {
  val page = UInt(p.pageBits.W)
  val position = new RingPosition(p)
}

/** Room of a ring, as it is known before a command starts. */
class RingRoom(p: TmuParams) extends Bundle {
  val position = new RingPosition(p)

  /** The producer index at which the ring is full: the consumer's and the size. */
  val limit = RingIndex()
}

/** State of a ring for the writer. */
class RingState(p: TmuParams) extends RingRoom(p) {
  val config = new RingConfig

  /** On a card that sends: counts configurations, so that a message's completion comes to no later
    * owner of its page.
    */
  val life = Option.when(p.hasSend)(UInt(Sending.lifeBits.W))
}

/** Completion rings of all pages.
  *
  * The writer's answers come in the next clock, those for `room` in the same. A read in the clock
  * of a write shows the old value: a reader must work with either.
  */
class PageTable(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val change = Flipped(Valid(new PageChange(p)))
    val consumer = Flipped(Valid(new ConsumerUpdate(p)))
    val moved = Flipped(Valid(new RingMove(p)))

    /** A page may start again in this clock, and no index moves that counts. */
    val still = Input(Bool())

    /** The page whose limit changes in this clock. */
    val limited = Valid(UInt(p.pageBits.W))

    /** An index moves in this clock, or will in the next. */
    val moving = Output(Bool())

    /** A ring's state; asked by the completion writer. */
    val ringRead = Input(UInt(p.pageBits.W))
    val ring = Output(new RingState(p))

    /** A ring's room; asked by the submission queues. */
    val roomRead = Input(UInt(p.pageBits.W))
    val room = Output(new RingRoom(p))

    /** On a card that sends: a page, and in the same clock its configuration's number. */
    val lifeRead = Option.when(p.hasSend)(Input(UInt(p.pageBits.W)))
    val life = Option.when(p.hasSend)(Output(UInt(Sending.lifeBits.W)))
  })

  private val configs = Mem(p.pages, new RingConfig)
  private val positions = Mem(p.pages, new RingPosition(p))
  private val limits = Mem(p.pages, RingIndex())
  private val sizes = Mem(p.pages, UInt(5.W))

  // A consumer index needs a clock to become a limit.
  private val late = RegNext(io.consumer.valid, false.B)
  private val index = RegNext(io.consumer.bits)
  private val log2 = RegNext(sizes.read(io.consumer.bits.page))
  io.moving := io.consumer.valid || late || io.moved.valid
  io.limited.valid := late
  io.limited.bits := index.page

  private val change = io.change.bits
  private val restarts = io.change.valid && change.restart
  when(io.change.valid)(configs.write(change.page, change.ring))
  when(restarts)(sizes.write(change.page, change.ring.log2))
  // Whether a page starts again is known late, that it may is not.
  when(restarts || io.moved.valid) {
    positions.write(
      Mux(io.still, change.page, io.moved.bits.page),
      Mux(io.still, 0.U.asTypeOf(new RingPosition(p)), io.moved.bits.position)
    )
  }
  assert(!restarts || io.still, "page %d starts again while indices move", change.page)
  assert(!io.still || restarts || !io.moved.valid, "an index moves that may not")
  // So does a page that starts again: nothing moves then, but in a reset, where no index counts.
  private val restarted = RegNext(restarts, false.B)
  private val restartedAt = RegNext(change)
  when(restarted || late) {
    limits.write(
      Mux(restarted, restartedAt.page, index.page),
      Mux(restarted, 0.U, index.index(RingIndex.bits - 1, 0)) + RingIndex.size(
        Mux(restarted, restartedAt.ring.log2, log2)
      )
    )
  }

  io.ring.config := RegNext(configs.read(io.ringRead))
  io.ring.position := RegNext(positions.read(io.ringRead))
  io.ring.limit := RegNext(limits.read(io.ringRead))
  io.room.position := positions.read(io.roomRead)
  io.room.limit := limits.read(io.roomRead)
  for {
    (asked, life) <- io.lifeRead.zip(io.life)
    ofRing <- io.ring.life
  } {
    val lives = Mem(p.pages, UInt(Sending.lifeBits.W))
    when(restarts)(lives.write(change.page, lives.read(change.page) + 1.U))
    life := lives.read(asked)
    ofRing := RegNext(lives.read(io.ringRead))
  }
}
