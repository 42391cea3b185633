// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.log2Ceil
import tmu.params.TmuParams

/** A page's completion ring. */
class RingConfig extends Bundle {
  val enable = Bool()

  /** Completions the ring holds, as a power of two. */
  val log2 = UInt(5.W)

  /** Bus address, in units of 64 bytes. */
  val base = UInt(58.W)
}

/** Whose commands a page brings, and where they wait. */
class QueueConfig(p: TmuParams) extends Bundle {
  val enable = Bool()

  /** Endpoint that the page acts for, whatever its commands say (R13). */
  val endpoint = UInt(p.endpointBits.W)

  /** First of the page's command slots, a multiple of their number. */
  val first = UInt(p.slotBits.W)

  /** Their number, as a power of two. */
  val log2 = UInt(log2Ceil(p.slotBits + 1).W)
}

/** All that software sets of a page. */
class PageConfig(p: TmuParams) extends Bundle {
  val page = UInt(p.pageBits.W)
  val ring = new RingConfig
  val queue = new QueueConfig(p)
}

/** A page's new configuration, on its way to all that keep a part of it. */
class PageChange(p: TmuParams) extends PageConfig(p) {

  /** Its indices start at 0 again; otherwise they stay, the page is disabled, and all else that
    * this says of it is void.
    */
  val restart = Bool()
}
