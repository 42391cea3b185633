// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{Decoupled, Queue, Valid}
import tmu.bus.{AxiLite, AxiResponse}

/** AXI4-Lite slave in front of a register file: one access at a time, writes before reads. */
class AxiLitePort(addressBits: Int) extends Module {
  val io = IO(new Bundle {
    val axi = Flipped(new AxiLite(addressBits))
    val access = Decoupled(new RegisterAccess(addressBits))
    val answer = Flipped(Valid(new RegisterAnswer))
  })
  private val axi = io.axi

  // One register for each channel: no signal passes from an input to an output in the same clock.
  private class WriteData extends Bundle {
    val data = UInt(32.W)
    val strobes = UInt(4.W)
  }
  private val writeAddress = Module(new Queue(UInt(addressBits.W), 1))
  private val writeData = Module(new Queue(new WriteData, 1))
  private val readAddress = Module(new Queue(UInt(addressBits.W), 1))
  writeAddress.io.enq.valid := axi.awvalid
  writeAddress.io.enq.bits := axi.awaddr
  axi.awready := writeAddress.io.enq.ready
  writeData.io.enq.valid := axi.wvalid
  writeData.io.enq.bits.data := axi.wdata
  writeData.io.enq.bits.strobes := axi.wstrb
  axi.wready := writeData.io.enq.ready
  readAddress.io.enq.valid := axi.arvalid
  readAddress.io.enq.bits := axi.araddr
  axi.arready := readAddress.io.enq.ready

  private val waiting = RegInit(false.B)
  private val writing = Reg(Bool())
  private val respond = RegInit(false.B)
  private val data = Reg(UInt(32.W))
  private val response = Reg(UInt(2.W))

  private val free = !waiting && !respond
  private val writeOffered = writeAddress.io.deq.valid && writeData.io.deq.valid
  io.access.valid := free && (writeOffered || readAddress.io.deq.valid)
  io.access.bits.write := writeOffered
  io.access.bits.address := Mux(writeOffered, writeAddress.io.deq.bits, readAddress.io.deq.bits)
  io.access.bits.data := writeData.io.deq.bits.data
  io.access.bits.partial := !writeData.io.deq.bits.strobes.andR
  writeAddress.io.deq.ready := io.access.fire && writeOffered
  writeData.io.deq.ready := io.access.fire && writeOffered
  readAddress.io.deq.ready := io.access.fire && !writeOffered
  when(io.access.fire) {
    waiting := true.B
    writing := writeOffered
  }

  when(io.answer.valid) {
    waiting := false.B
    respond := true.B
    data := io.answer.bits.data
    response := Mux(io.answer.bits.error, AxiResponse.slaveError, AxiResponse.okay)
  }
  axi.bvalid := respond && writing
  axi.bresp := response
  axi.rvalid := respond && !writing
  axi.rdata := data
  axi.rresp := response
  when((axi.bvalid && axi.bready) || (axi.rvalid && axi.rready))(respond := false.B)
}
