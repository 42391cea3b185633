// SPDX-License-Identifier: Apache-2.0
package tmu.card.message

import chisel3._
import chisel3.util.{Cat, Decoupled, Valid}
import tmu.buffer.PointerQueue
import tmu.card.wire.SesLayout

/** Finds the endpoint of a message's first packet, and checks each packet by itself.
  *
  * Three tables are asked at a time: for the job, for the process, for the endpoint; so the answer
  * to an unknown one says what is unknown. The driver fills them. A packet a clock; while the
  * driver changes a table, packets wait for two clocks.
  */
class EndpointStep(m: MessageParams) extends Module {
  val io = IO(new Bundle {
    val packet = Flipped(Decoupled(new MessagePacket))
    val settings = Input(new MessageSettings)
    val change = Flipped(Decoupled(new EndpointChange(m)))

    /** A change is done; a refused one has changed nothing: its part of the table is full, or there
      * was nothing to remove.
      */
    val changed = Output(Valid(Bool()))
    val out = Decoupled(new CheckedPacket(m))
    val idle = Output(Bool())
  })
  private def nameOf(packet: MessagePacket): EndpointName = {
    val name = Wire(new EndpointName)
    name.relative := (packet.ses.flags & SesLayout.relative.U).orR
    name.job := packet.ses.job
    name.pid := packet.ses.pid
    name.index := packet.ses.index
    name
  }

  /** The key of each level: a name as far as it goes. */
  private def keys(name: EndpointName): Seq[UInt] = {
    val job = Mux(name.relative, name.job, 0.U(24.W))
    val process = Cat(name.relative, job, name.pid)
    Seq(name.relative ## job, process, process ## name.index)
  }
  private val entry = new EndpointEntry(m)
  private val tables = Seq(25, 37, 49).zip(Seq(1, 1, entry.getWidth)).map {
    case (keyBits, valueBits) => Module(new HashTable(keyBits, valueBits, m.names))
  }

  private val queue = Module(new PointerQueue(new CheckedPacket(m), 4))
  private val ready = tables.map(_.io.ready).reduce(_ && _) && queue.io.count <= 2.U
  io.packet.ready := ready
  io.idle := !queue.io.deq.valid && !queue.io.enq.valid
  for ((table, key) <- tables.zip(keys(nameOf(io.packet.bits)))) {
    table.io.ask.valid := io.packet.fire
    table.io.ask.bits := key
  }
  private val packet = RegNext(io.packet.bits)
  private val settings = RegNext(io.settings)
  private val found = Wire(new EndpointFound(m))
  // Which job an absolute address comes from is for the receive to judge.
  found.job := tables(EndpointLevel.job).io.found || !nameOf(packet).relative
  found.process := tables(EndpointLevel.process).io.found
  found.endpoint := tables(EndpointLevel.endpoint).io.found
  found.entry := tables(EndpointLevel.endpoint).io.value.asTypeOf(entry)
  private val (refused, code, byGeneration) = EndpointRules(packet, settings, found)

  queue.io.enq.valid := RegNext(io.packet.fire, false.B)
  queue.io.enq.bits.packet := packet
  queue.io.enq.bits.entry := found.entry
  queue.io.enq.bits.refused := packet.deliver && refused
  queue.io.enq.bits.code := code
  queue.io.enq.bits.byGeneration := packet.deliver && byGeneration
  io.out <> queue.io.deq
  assert(!queue.io.enq.valid || queue.io.enq.ready, "a packet was taken without room for it")

  // The driver's changes, one at a time.
  private val change = io.change.bits
  io.change.ready := VecInit(tables.map(_.io.change.ready) :+ false.B)(change.level)
  for (((table, key), level) <- tables.zip(keys(change.name)).zipWithIndex) {
    table.io.change.valid := io.change.valid && change.level === level.U
    table.io.change.bits.key := key
    table.io.change.bits.value := (if (level == EndpointLevel.endpoint) change.entry.asUInt
                                   else 1.U)
    table.io.change.bits.remove := change.remove
  }
  io.changed.valid := tables.map(_.io.changed.valid).reduce(_ || _)
  io.changed.bits := tables
    .map(table => table.io.changed.valid && table.io.changed.bits)
    .reduce(_ || _)
}
