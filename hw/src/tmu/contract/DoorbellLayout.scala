// SPDX-License-Identifier: Apache-2.0
package tmu.contract

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

  val ringLog2Min: Int = 4
  val ringLog2Max: Int = 16
}
