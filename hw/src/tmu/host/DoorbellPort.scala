// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{log2Ceil, Cat, Irrevocable, Queue, Valid}
import tmu.buffer.PointerQueue
import tmu.bus.{Axi, AxiBurst, AxiResponse}
import tmu.counters.{PageCounters, SnapshotLook}
import tmu.layout.DoorbellLayout
import tmu.params.TmuParams

/** A command as it lay in a doorbell write. */
class DoorbellCommand(p: TmuParams) extends Bundle {
  val page = UInt(p.pageBits.W)
  val record = UInt(512.W)

  /** Clock at which the write was taken. */
  val stamp = UInt(32.W)
}

/** Consumer index of a ring, from its owner. */
class ConsumerUpdate(p: TmuParams) extends Bundle {
  val page = UInt(p.pageBits.W)
  val index = UInt(32.W)
}

/** AXI4 slave behind which the doorbell pages lie: one beat, one command, one beat a clock.
  *
  * A whole 64-byte beat in the command window is a command of the page's owner; the page number
  * comes from the address alone (R13). A write of four bytes at the consumer offset is a consumer
  * index, and one at the address for it asks for a snapshot of the counters, which every page shows
  * to reads. All else, wrapping bursts included, is answered with SLVERR, counted beat by beat and
  * dropped. Incrementing bursts may carry several commands. Nothing behind the port makes it wait,
  * but for a few clocks in which a page is configured: no page can hold up another one's doorbell
  * (R13).
  */
class DoorbellPort(p: TmuParams) extends Module {
  private val pageOffsetBits = log2Ceil(DoorbellLayout.pageBytes)
  private val idBits = DoorbellPort.idBits
  val io = IO(new Bundle {
    val axi = Flipped(new Axi(p.doorbellAddressBits, 512, idBits))
    val now = Input(UInt(32.W))
    val command = Valid(new DoorbellCommand(p))

    /** No beat is taken. */
    val hold = Input(Bool())
    val consumer = Valid(new ConsumerUpdate(p))

    /** A page asks for a snapshot of the counters. */
    val ask = Output(Bool())

    /** The counters that reads show. */
    val look = new SnapshotLook

    /** A beat of a write was wrong, and one of a read. */
    val errors = Output(Vec(2, Bool()))
  })

  private class BurstHead extends Bundle {
    val id = UInt(idBits.W)
    val address = UInt(p.doorbellAddressBits.W)
    val increments = Bool()
    val wraps = Bool()
    val size = UInt(3.W)

    def take(id: UInt, address: UInt, burst: UInt, size: UInt): Unit = {
      this.id := id
      this.address := address
      increments := burst === AxiBurst.increment
      wraps := burst === AxiBurst.wrap
      this.size := size
    }
  }
  private val awIn = Wire(Irrevocable(new BurstHead))
  awIn.valid := io.axi.awvalid
  awIn.bits.take(io.axi.awid, io.axi.awaddr, io.axi.awburst, io.axi.awsize)
  io.axi.awready := awIn.ready
  private val aw = Queue(awIn, 2)

  // Data waits here as well: no signal passes from an input to an output in the same clock.
  private class WriteBeat extends Bundle {
    val data = UInt(512.W)

    /** All its bytes are written; or the first four alone; or the next four. */
    val whole = Bool()
    val firstWord = Bool()
    val secondWord = Bool()
    val last = Bool()

    /** Clock at which the beat was taken. */
    val stamp = UInt(32.W)
  }
  private val beats = Module(new PointerQueue(new WriteBeat, 2))
  private val wIn = beats.io.enq
  wIn.valid := io.axi.wvalid
  wIn.bits.data := io.axi.wdata
  wIn.bits.whole := io.axi.wstrb.andR
  wIn.bits.firstWord := io.axi.wstrb === 0xf.U
  wIn.bits.secondWord := io.axi.wstrb === 0xf0.U
  wIn.bits.last := io.axi.wlast
  wIn.bits.stamp := io.now
  io.axi.wready := wIn.ready
  private val w = beats.io.deq
  private val b = Module(
    new Queue(
      new Bundle {
        val id = UInt(idBits.W)
        val response = UInt(2.W)
      },
      2
    )
  )

  // The beat at hand: its address is the head's in the first beat and moves on in a burst.
  private val inBurst = RegInit(false.B)
  private val nextAddress = Reg(UInt(p.doorbellAddressBits.W))
  private val failed = RegInit(false.B)
  private val address = Mux(inBurst, nextAddress, aw.bits.address)
  private val page = address >> pageOffsetBits
  private val offset = address(pageOffsetBits - 1, 0)

  private val inPages = page < p.pages.U && !aw.bits.wraps
  private val aligned = offset(log2Ceil(DoorbellLayout.commandBytes) - 1, 0) === 0.U
  private val isCommand =
    inPages && aligned && w.bits.whole && offset < DoorbellLayout.commandWindowBytes.U
  private val isConsumer =
    inPages && offset === DoorbellLayout.consumerOffset.U && w.bits.firstWord
  require(DoorbellLayout.askOffset == DoorbellLayout.consumerOffset + 4)
  private val isAsk = inPages && offset === DoorbellLayout.askOffset.U && w.bits.secondWord
  private val wrong = !isCommand && !isConsumer && !isAsk

  private val free = !io.hold && (!w.bits.last || b.io.enq.ready)
  private val beat = w.valid && aw.valid && free
  w.ready := aw.valid && free
  aw.ready := beat && w.bits.last
  when(beat) {
    inBurst := !w.bits.last
    failed := !w.bits.last && (failed || wrong)
    nextAddress := Mux(aw.bits.increments, address + (1.U << aw.bits.size), address)
  }

  io.command.valid := beat && isCommand
  io.command.bits.page := page
  io.command.bits.record := w.bits.data
  io.command.bits.stamp := w.bits.stamp
  io.consumer.valid := beat && isConsumer
  io.consumer.bits.page := page
  io.consumer.bits.index := w.bits.data(31, 0)
  io.ask := beat && isAsk

  b.io.enq.valid := beat && w.bits.last
  b.io.enq.bits.id := aw.bits.id
  b.io.enq.bits.response := Mux(failed || wrong, AxiResponse.slaveError, AxiResponse.okay)
  io.axi.bvalid := b.io.deq.valid
  io.axi.bid := b.io.deq.bits.id
  io.axi.bresp := b.io.deq.bits.response
  b.io.deq.ready := io.axi.bready

  // Reads: a beat is looked up in one clock, fetched in the next and offered from then on.
  private val reading = RegInit(false.B)
  private val looked = RegInit(false.B)
  private val offered = RegInit(false.B)
  private val read = Reg(new BurstHead)
  private val beatsLeft = Reg(UInt(8.W))
  private val readData = Reg(UInt(512.W))
  private val readWrong = Reg(Bool())
  io.axi.arready := !reading
  when(io.axi.arvalid && io.axi.arready) {
    reading := true.B
    read.take(io.axi.arid, io.axi.araddr, io.axi.arburst, io.axi.arsize)
    beatsLeft := io.axi.arlen
  }

  private val lineOffsetBits = log2Ceil(PageCounters.lineBytes)
  private def lineOf(pageOffset: Int): UInt = (pageOffset >> lineOffsetBits).U
  private val readLine = read.address(pageOffsetBits - 1, lineOffsetBits)
  private val readInPages = (read.address >> pageOffsetBits) < p.pages.U && !read.wraps
  private val readsNumber = readLine === lineOf(DoorbellLayout.snapshotOffset)
  private val readsCounters = readLine >= lineOf(DoorbellLayout.countersOffset)
  private val numberAt = 8 * (DoorbellLayout.snapshotOffset % PageCounters.lineBytes)
  io.look.line := (readLine - lineOf(DoorbellLayout.countersOffset))(PageCounters.lineBits - 1, 0)
  private val fetch = looked && !offered
  private val readable = readInPages && (readsNumber || readsCounters)
  when(reading)(looked := true.B)
  when(fetch) {
    offered := true.B
    readData := Mux(
      !readable,
      0.U,
      Mux(readsCounters, io.look.words.asUInt, Cat(io.look.number, 0.U(numberAt.W)))
    )
    readWrong := !readable
    when(read.increments)(read.address := read.address + (1.U << read.size))
  }
  io.axi.rvalid := offered
  io.axi.rid := read.id
  io.axi.rdata := readData
  io.axi.rresp := Mux(readWrong, AxiResponse.slaveError, AxiResponse.okay)
  io.axi.rlast := beatsLeft === 0.U
  when(io.axi.rvalid && io.axi.rready) {
    offered := false.B
    looked := false.B
    beatsLeft := beatsLeft - 1.U
    when(io.axi.rlast)(reading := false.B)
  }

  io.errors := VecInit(beat && wrong, fetch && !readable)
}

object DoorbellPort {

  /** AXI id bits of the slave: what common interconnects pass on. */
  val idBits: Int = 4
}
