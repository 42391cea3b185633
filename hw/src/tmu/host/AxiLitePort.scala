// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{Decoupled, Valid}

/** AXI4-Lite slave in front of a register file: one access at a time, writes before reads. */
class AxiLitePort(addressBits: Int) extends Module {
  val io = IO(new Bundle {
    val axi = Flipped(new AxiLite(addressBits))
    val access = Decoupled(new RegisterAccess(addressBits))
    val answer = Flipped(Valid(new RegisterAnswer))
  })
  private val axi = io.axi

  private val waiting = RegInit(false.B)
  private val writing = Reg(Bool())
  private val respond = RegInit(false.B)
  private val data = Reg(UInt(32.W))
  private val response = Reg(UInt(2.W))

  private val free = !waiting && !respond
  private val writeOffered = axi.awvalid && axi.wvalid
  io.access.valid := free && (writeOffered || axi.arvalid)
  io.access.bits.write := writeOffered
  io.access.bits.address := Mux(writeOffered, axi.awaddr, axi.araddr)
  io.access.bits.data := axi.wdata
  io.access.bits.partial := !axi.wstrb.andR
  axi.awready := io.access.fire && writeOffered
  axi.wready := io.access.fire && writeOffered
  axi.arready := io.access.fire && !writeOffered
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
