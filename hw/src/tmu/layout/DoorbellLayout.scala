// SPDX-License-Identifier: Apache-2.0
package tmu.layout

/** Byte addresses inside the doorbell aperture: one 4 KiB page per submission queue, then the
  * privileged one.
  */
object DoorbellLayout {
  val pageBytes: Int = 4096
  val commandBytes: Int = 64

  /** Any 64-byte slot below this offset takes a command. */
  val commandWindowBytes: Int = 2048

  /** A 32-bit write here tells how many completions the ring's owner has consumed, modulo 2^32. */
  val consumerOffset: Int = 2048

  /** A 32-bit write here, of any value, asks for a new snapshot of the counters. */
  val askOffset: Int = 2052

  /** Readable, 64 bits: which snapshot stands in the window below. Bit 0: it is not whole; above
    * it, the number of the last whole one.
    */
  val snapshotOffset: Int = 2056

  /** Readable: all counters of `Counters.all` in this order, 64 bits each; to the page's end. */
  val countersOffset: Int = 3072
  val counterBytes: Int = 8

  /** Clocks from one snapshot to the next at least, so that each stands long enough to be read. */
  val snapshotClocks: Int = 1 << 16

  val ringLog2Min: Int = 4
  val ringLog2Max: Int = 16
}
