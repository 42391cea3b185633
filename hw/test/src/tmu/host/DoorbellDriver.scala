// SPDX-License-Identifier: Apache-2.0
package tmu.host

import tmu.DeviceSpec
import tmu.bus.Axi

/** One data beat of a doorbell write. */
case class Beat(data: BigInt, strobe: BigInt = Beat.whole)

object Beat {
  val whole: BigInt = (BigInt(1) << 64) - 1
}

/** Drives the write channels of a doorbell slave. */
trait DoorbellDriver { this: DeviceSpec =>

  protected def quiet(axi: Axi): Unit = {
    Seq(axi.awvalid, axi.wvalid, axi.arvalid, axi.bready, axi.rready).foreach(_.poke(false))
    axi.awsize.poke(6)
    axi.awburst.poke(1)
    axi.awlen.poke(0)
    axi.awid.poke(0)
  }

  protected def offerHead(axi: Axi, address: Int, beats: Int, id: Int): Unit = {
    axi.awaddr.poke(address)
    axi.awlen.poke(beats - 1)
    axi.awid.poke(id)
    axi.awvalid.poke(true)
  }

  protected def offerBeat(axi: Axi, beat: Beat, last: Boolean): Unit = {
    axi.wdata.poke(beat.data)
    axi.wstrb.poke(beat.strobe)
    axi.wlast.poke(last)
    axi.wvalid.poke(true)
  }
}
