// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import chisel3.util.{Decoupled, DecoupledIO, Valid}
import tmu.buffer.PointerQueue
import tmu.bus.AxiStream
import tmu.card.wire._

/** Frames in; out come a payload stream and a record for each frame, in their order.
  *
  * A beat is taken in every clock, whatever the mix of sizes. Inside nothing waits for anything: no
  * step can be stopped. Instead a beat is let in only while the queues at the exit could take all
  * that is inside, so a taker that stops never loses a frame, and the parser cannot hang on any
  * bytes. The payload leaves ahead of the record that says whether it is good (decision 52).
  */
class FrameParser extends Module {
  import FrameParser._
  val io = IO(new Bundle {
    val stream = Flipped(new AxiStream(Beat.dataBits, 1))

    /** Change while no frame is inside, or it may be read by the old ones and the new. */
    val settings = Input(new WireSettings)
    val payload = Decoupled(new PayloadBeat)
    val record = Decoupled(new PacketRecord)

    /** The verdict on a frame, in the clock in which its record leaves: once each (W6). */
    val counted = Output(Valid(UInt(Verdict.bits.W)))
  })
  private val input = Module(new StreamInput)
  private val ethernet = Module(new EthernetStep)
  private val internet = Module(new InternetStep)
  private val crc = Module(new CrcCheck)
  private val pds = Module(new PdsStep)
  private val ses = Module(new SesStep)
  private val rendezvous = Module(new RendezvousStep)
  private val payload = Module(new PayloadStep)

  input.io.stream <> io.stream
  ethernet.io.in := input.io.out
  internet.io.in := ethernet.io.out
  internet.io.settings := io.settings
  crc.io.in := internet.io.whole
  crc.io.bigEndian := io.settings.crcBigEndian
  pds.io.in := internet.io.out
  ses.io.in := pds.io.out
  rendezvous.io.in := ses.io.out
  payload.io.in := rendezvous.io.out

  private val beats = Module(new PointerQueue(new PayloadBeat, entries))
  private def queue[T <: Data](part: Valid[T]): PointerQueue[T] = {
    val queue = Module(new PointerQueue(chiselTypeOf(part.bits), entries))
    enter(queue.io.enq, part)
    queue
  }
  private def enter[T <: Data](queue: DecoupledIO[T], part: Valid[T]): Unit = {
    queue.valid := part.valid
    queue.bits := part.bits
    assert(queue.ready || !part.valid, "a frame was let in without room for it")
  }
  enter(beats.io.enq, payload.io.out)
  io.payload <> beats.io.deq

  // Results of the steps meet here: a queue each, one entry a frame.
  private val ethernets = queue(ethernet.io.part)
  private val internets = queue(internet.io.part)
  private val verdicts = queue(internet.io.verdict)
  private val deliveries = queue(pds.io.part)
  private val semantics = queue(ses.io.part)
  private val extensions = queue(rendezvous.io.part)
  private val ends = queue(payload.io.part)
  private val checks = queue(crc.io.wrong)
  private val parts =
    Seq[PointerQueue[_ <: Data]](
      ethernets,
      internets,
      verdicts,
      deliveries,
      semantics,
      extensions,
      ends,
      checks
    )
  private val record = io.record.bits
  record.ethernet := ethernets.io.deq.bits
  record.internet := internets.io.deq.bits
  record.pds := deliveries.io.deq.bits
  record.ses := semantics.io.deq.bits
  record.rendezvous := extensions.io.deq.bits
  record.payloadBytes := ends.io.deq.bits.bytes
  record.beats := ends.io.deq.bits.beats
  record.verdict := Mux(
    verdicts.io.deq.bits =/= Verdict.accepted.U,
    verdicts.io.deq.bits,
    Mux(checks.io.deq.bits, Verdict.crc.U, ends.io.deq.bits.verdict)
  )
  io.record.valid := parts.map(_.io.deq.valid).reduce(_ && _)
  parts.foreach(_.io.deq.ready := io.record.fire)
  io.counted.valid := RegNext(io.record.fire, false.B)
  io.counted.bits := RegNext(record.verdict)

  // A frame is counted by its first part a few clocks behind its first beat; until then, and while
  // it is on its way, there has to be room.
  input.io.open := RegNext(
    ethernets.io.count <= (entries - unseen).U && beats.io.count <= (entries - inside).U,
    false.B
  )
}

object FrameParser {

  /** Entries of each queue at the exit. */
  private val entries: Int = 63

  /** Clocks from `open` to the count of frames, and from `open` to the last payload beat: what may
    * be on its way then. An assertion sees what is too little.
    */
  private val unseen: Int = 5
  private val inside: Int = 24
}
