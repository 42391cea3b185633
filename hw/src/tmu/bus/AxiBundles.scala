// SPDX-License-Identifier: Apache-2.0
package tmu.bus

import chisel3._

// Flat, lower-case AXI signal names, as buses are found by prefix. Directions are the master's;
// a slave uses Flipped.

/** AXI4-Lite, 32-bit data. */
class AxiLite(addressBits: Int) extends Bundle {
  val awaddr = Output(UInt(addressBits.W))
  val awprot = Output(UInt(3.W))
  val awvalid = Output(Bool())
  val awready = Input(Bool())
  val wdata = Output(UInt(32.W))
  val wstrb = Output(UInt(4.W))
  val wvalid = Output(Bool())
  val wready = Input(Bool())
  val bresp = Input(UInt(2.W))
  val bvalid = Input(Bool())
  val bready = Output(Bool())
  val araddr = Output(UInt(addressBits.W))
  val arprot = Output(UInt(3.W))
  val arvalid = Output(Bool())
  val arready = Input(Bool())
  val rdata = Input(UInt(32.W))
  val rresp = Input(UInt(2.W))
  val rvalid = Input(Bool())
  val rready = Output(Bool())
}

/** Write half of AXI4. */
class AxiWrite(addressBits: Int, dataBits: Int, idBits: Int) extends Bundle {
  val awid = Output(UInt(idBits.W))
  val awaddr = Output(UInt(addressBits.W))
  val awlen = Output(UInt(8.W))
  val awsize = Output(UInt(3.W))
  val awburst = Output(UInt(2.W))
  val awlock = Output(Bool())
  val awcache = Output(UInt(4.W))
  val awprot = Output(UInt(3.W))
  val awvalid = Output(Bool())
  val awready = Input(Bool())
  val wdata = Output(UInt(dataBits.W))
  val wstrb = Output(UInt((dataBits / 8).W))
  val wlast = Output(Bool())
  val wvalid = Output(Bool())
  val wready = Input(Bool())
  val bid = Input(UInt(idBits.W))
  val bresp = Input(UInt(2.W))
  val bvalid = Input(Bool())
  val bready = Output(Bool())
}

/** Read half of AXI4. */
class AxiRead(addressBits: Int, dataBits: Int, idBits: Int) extends Bundle {
  val arid = Output(UInt(idBits.W))
  val araddr = Output(UInt(addressBits.W))
  val arlen = Output(UInt(8.W))
  val arsize = Output(UInt(3.W))
  val arburst = Output(UInt(2.W))
  val arlock = Output(Bool())
  val arcache = Output(UInt(4.W))
  val arprot = Output(UInt(3.W))
  val arvalid = Output(Bool())
  val arready = Input(Bool())
  val rid = Input(UInt(idBits.W))
  val rdata = Input(UInt(dataBits.W))
  val rresp = Input(UInt(2.W))
  val rlast = Input(Bool())
  val rvalid = Input(Bool())
  val rready = Output(Bool())
}

/** AXI4 with both halves. */
class Axi(addressBits: Int, dataBits: Int, idBits: Int)
    extends AxiWrite(addressBits, dataBits, idBits) {
  val arid = Output(UInt(idBits.W))
  val araddr = Output(UInt(addressBits.W))
  val arlen = Output(UInt(8.W))
  val arsize = Output(UInt(3.W))
  val arburst = Output(UInt(2.W))
  val arlock = Output(Bool())
  val arcache = Output(UInt(4.W))
  val arprot = Output(UInt(3.W))
  val arvalid = Output(Bool())
  val arready = Input(Bool())
  val rid = Input(UInt(idBits.W))
  val rdata = Input(UInt(dataBits.W))
  val rresp = Input(UInt(2.W))
  val rlast = Input(Bool())
  val rvalid = Input(Bool())
  val rready = Output(Bool())
}

object AxiResponse {
  val okay: UInt = 0.U(2.W)
  val slaveError: UInt = 2.U(2.W)
}

object AxiBurst {
  val fixed: UInt = 0.U(2.W)
  val increment: UInt = 1.U(2.W)
  val wrap: UInt = 2.U(2.W)
}

/** AXI4-Stream, packed: `tkeep` from the lowest bit. */
class AxiStream(dataBits: Int, userBits: Int) extends Bundle {
  val tdata = Output(UInt(dataBits.W))
  val tkeep = Output(UInt((dataBits / 8).W))
  val tlast = Output(Bool())
  val tuser = Output(UInt(userBits.W))
  val tvalid = Output(Bool())
  val tready = Input(Bool())
}
