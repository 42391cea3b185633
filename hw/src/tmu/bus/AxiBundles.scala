// SPDX-License-Identifier: Apache-2.0
package tmu.bus

import chisel3._
import chisel3.util.log2Ceil

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

/** Address, data and response channels of AXI4 writes. */
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

  /** Drives what all writes of the unit have in common: incrementing bursts of whole beats, normal
    * memory that may be buffered, no lock, no privilege.
    */
  def driveWriteAttributes(): Unit = {
    awsize := log2Ceil(dataBits / 8).U
    awburst := AxiBurst.increment
    awlock := false.B
    awcache := AxiCache.bufferable
    awprot := 0.U
  }
}

/** Address and data channels of AXI4 reads. */
trait AxiReadChannels extends Bundle {
  protected def readAddressBits: Int
  protected def readDataBits: Int
  protected def readIdBits: Int

  val arid = Output(UInt(readIdBits.W))
  val araddr = Output(UInt(readAddressBits.W))
  val arlen = Output(UInt(8.W))
  val arsize = Output(UInt(3.W))
  val arburst = Output(UInt(2.W))
  val arlock = Output(Bool())
  val arcache = Output(UInt(4.W))
  val arprot = Output(UInt(3.W))
  val arvalid = Output(Bool())
  val arready = Input(Bool())
  val rid = Input(UInt(readIdBits.W))
  val rdata = Input(UInt(readDataBits.W))
  val rresp = Input(UInt(2.W))
  val rlast = Input(Bool())
  val rvalid = Input(Bool())
  val rready = Output(Bool())

  /** The same for reads. */
  def driveReadAttributes(): Unit = {
    arsize := log2Ceil(readDataBits / 8).U
    arburst := AxiBurst.increment
    arlock := false.B
    arcache := AxiCache.bufferable
    arprot := 0.U
  }
}

/** Read half of AXI4. */
class AxiRead(addressBits: Int, dataBits: Int, idBits: Int) extends Bundle with AxiReadChannels {
  protected def readAddressBits: Int = addressBits
  protected def readDataBits: Int = dataBits
  protected def readIdBits: Int = idBits
}

/** AXI4 with both halves. */
class Axi(addressBits: Int, dataBits: Int, idBits: Int)
    extends AxiWrite(addressBits, dataBits, idBits)
    with AxiReadChannels {
  protected def readAddressBits: Int = addressBits
  protected def readDataBits: Int = dataBits
  protected def readIdBits: Int = idBits
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

object AxiCache {

  /** Normal memory, not cacheable, bufferable. */
  val bufferable: UInt = 3.U(4.W)
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
