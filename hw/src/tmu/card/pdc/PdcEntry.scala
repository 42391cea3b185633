// SPDX-License-Identifier: Apache-2.0
package tmu.card.pdc

import chisel3._
import tmu.card.wire.PacketRecord

/** By what an initiator's connection is known before it knows our PDCID. */
class PdcKey extends Bundle {
  val ipv6 = Bool()
  val source = UInt(128.W)
  val destination = UInt(128.W)
  val spdcid = UInt(16.W)
}

object PdcKey {
  def of(record: PacketRecord): PdcKey = {
    val key = Wire(new PdcKey)
    key.ipv6 := record.internet.ipv6
    key.source := record.internet.source
    key.destination := record.internet.destination
    key.spdcid := record.pds.spdcid
    key
  }
}

/** A connection of which this card is the target. */
class PdcEntry(p: PdcParams) extends Bundle {
  val live = Bool()

  /** Has ended not long ago: remembered by its key and start, so that a belated packet with SYN
    * does not open it again and deliver its messages twice (W1). Its entry is in use until then.
    */
  val closed = Bool()

  /** Periods of the quarantine that have ended since. */
  val age = UInt(PdcParams.ageBits.W)
  val key = new PdcKey
  val start = UInt(32.W)

  /** Never 0, so no PDCID is. */
  val generation = UInt(p.generationBits.W)

  /** The only sequence number that is accepted: there is no reordering (W1). */
  val expected = UInt(32.W)

  /** The newest one that was delivered. */
  val delivered = UInt(32.W)

  /** The gap in front of what comes has been told; once is enough. */
  val gapTold = Bool()
}

object PdcEntry {

  /** Not in use, and has never been. */
  def unused(p: PdcParams): PdcEntry = {
    val entry = Wire(new PdcEntry(p))
    entry := DontCare
    entry.live := false.B
    entry.closed := false.B
    entry.generation := 1.U
    entry
  }
}

/** A record that goes on. */
class PdcRecord extends Bundle {
  val record = new PacketRecord

  /** The unit may see it: the next packet of its connection, exactly once (W1). Else only its beats
    * of payload are to be freed.
    */
  val deliver = Bool()

  /** The connection ends with this packet. */
  val closes = Bool()

  /** Our PDCID of the connection: an answer's spdcid. */
  val pdcid = UInt(16.W)
}
