// SPDX-License-Identifier: Apache-2.0
package tmu.card.pdc

import chisel3.util.{isPow2, log2Ceil}

/** Sizes of the table of connections.
  *
  * @param pdcs
  *   connections at a time, those in quarantine included, a power of two
  * @param window
  *   packets that an initiator may send ahead of an acknowledgement
  * @param quarantine
  *   clocks for which a closed connection is remembered, at least: longer than a packet can be on
  *   its path (2 s at 250 MHz)
  * @param responses
  *   of a connection that can be kept until its initiator has them, those of packets that are not
  *   decided included
  */
case class PdcParams(
    pdcs: Int = 16,
    window: Int = 128,
    quarantine: Long = 500000000L,
    responses: Int = 64
) {
  require(pdcs >= 2 && pdcs <= 4096 && (pdcs & (pdcs - 1)) == 0, s"found $pdcs PDCs")
  require(window >= 1 && window < (1 << 15), s"found a window of $window, offsets have 16 bits")
  require(quarantine >= 1, s"found a quarantine of $quarantine clocks")
  require(isPow2(responses), s"found room for $responses responses; a power of two is needed")
  val indexBits: Int = log2Ceil(pdcs)

  /** Clocks of a period. A connection is remembered for the rest of the period in which it closes,
    * and three more.
    */
  val period: Long = (quarantine + PdcParams.periods - 1) / PdcParams.periods

  /** The rest of a PDCID counts how often its entry has been used, so that packets of a connection
    * that is gone name none.
    */
  val generationBits: Int = 16 - indexBits
}

object PdcParams {
  val periods: Int = 3
  val ageBits: Int = log2Ceil(periods + 1)

  /** For proofs. */
  val small: PdcParams = PdcParams(pdcs = 2, window = 2, quarantine = 6)
}
