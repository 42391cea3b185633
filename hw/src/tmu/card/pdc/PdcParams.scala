// SPDX-License-Identifier: Apache-2.0
package tmu.card.pdc

import chisel3.util.log2Ceil

/** Sizes of the table of connections.
  *
  * @param pdcs
  *   connections at a time, a power of two
  * @param window
  *   packets that an initiator may send ahead of an acknowledgement
  */
case class PdcParams(pdcs: Int = 16, window: Int = 128) {
  require(pdcs >= 2 && pdcs <= 4096 && (pdcs & (pdcs - 1)) == 0, s"found $pdcs PDCs")
  require(window >= 1 && window < (1 << 15), s"found a window of $window, offsets have 16 bits")
  val indexBits: Int = log2Ceil(pdcs)

  /** The rest of a PDCID counts how often its entry has been used, so that packets of a connection
    * that is gone name none.
    */
  val generationBits: Int = 16 - indexBits
}
