// SPDX-License-Identifier: Apache-2.0
package tmu.params

/** The named configurations. Their numbers are part of the contract: never reuse one. */
object Presets {

  /** The default: a network card for 2,048 MPI processes. */
  val nic: TmuParams =
    TmuParams(
      name = "nic",
      endpoints = 2048,
      postedEntries = 16384,
      unexpectedEntries = 16384,
      arrayEntries = 1024,
      lanes = 128,
      filterLanes = 1024,
      queues = 2048,
      commandSlots = 4096,
      spillSegments = 64,
      pdcs = 64,
      messages = 1024,
      wireNames = 4096,
      sendPdcs = 32,
      sends = 256,
      peers = 4096,
      memories = 4096
    )

  /** Full widths, small tables: quick to simulate, quick to fill. */
  val tiny: TmuParams = TmuParams(
    name = "tiny",
    endpoints = 4,
    postedEntries = 64,
    unexpectedEntries = 64,
    arrayEntries = 32,
    lanes = 16,
    pdcs = 8,
    messages = 32,
    wireNames = 64,
    sendPdcs = 4,
    sends = 16,
    peers = 8,
    memories = 8
  )

  /** Narrow everything, for proofs. */
  val formal: TmuParams = TmuParams(
    name = "formal",
    endpoints = 2,
    postedEntries = 4,
    unexpectedEntries = 4,
    arrayEntries = 4,
    lanes = 2,
    contextBits = 1,
    tagBits = 2,
    sourceBits = 2,
    handleBits = 4,
    addressBits = 4,
    lengthBits = 3,
    idBits = 4,
    queues = 2,
    commandSlots = 8,
    spillSegments = 1,
    parity = false,
    reserve = false
  )

  /** Sized for an ECP5-85 (docs/synthesis.md). Parity would take a quarter more, and queues in
    * memory the room of twice the lanes; it has no reserves either.
    */
  val ecp5: TmuParams = TmuParams(
    name = "ecp5",
    endpoints = 16,
    postedEntries = 64,
    unexpectedEntries = 64,
    arrayEntries = 64,
    lanes = 16,
    queues = 15,
    commandSlots = 128,
    spillSegments = 0,
    parity = false,
    reserve = false
  )

  /** Configuration for a large card. */
  val max: TmuParams =
    TmuParams(
      name = "max",
      endpoints = 4096,
      postedEntries = 65536,
      unexpectedEntries = 65536,
      arrayEntries = 1024,
      lanes = 128,
      filterLanes = 1024,
      queues = 4096,
      commandSlots = 8192,
      spillSegments = 128
    )

  /** Many endpoints, a queue each, over small tables without memory rows: quick to simulate with
    * all endpoints at work.
    */
  val many: TmuParams =
    TmuParams(
      name = "many",
      endpoints = 256,
      postedEntries = 128,
      unexpectedEntries = 128,
      arrayEntries = 128,
      lanes = 32,
      queues = 256,
      commandSlots = 1024
    )

  /** Endpoints, memory rows and spill as in `nic`, in small tables: quick to build, and enough for
    * the jobs of 16 ranks of the committed traces.
    */
  val small: TmuParams = TmuParams(
    name = "small",
    endpoints = 64,
    postedEntries = 256,
    unexpectedEntries = 256,
    arrayEntries = 64,
    lanes = 32,
    filterLanes = 32
  )

  /** Every preset in the order of its number, which the PRESET register shows. */
  val all: Seq[TmuParams] = Seq(nic, tiny, formal, ecp5, max, many, small)

  /** Value of the PRESET register: the number of a preset, of its unit and of its card, or
    * `ownNumber`.
    */
  def number(p: TmuParams): Int = {
    val index =
      all.indexWhere(one => one == p || one.unit == p || (one.hasNetwork && one.card == p))
    if (index < 0) ownNumber else index
  }

  /** The number of a configuration that is no preset. */
  val ownNumber: Int = 0xffff

  def byName(name: String): TmuParams = all
    .find(_.name == name)
    .getOrElse(
      throw new IllegalArgumentException(
        s"unknown preset '$name'; known: ${all.map(_.name).mkString(", ")}"
      )
    )
}
