// SPDX-License-Identifier: Apache-2.0
package tmu.registers

import tmu.params.{Parameters, Presets, SpillLayout, TmuParams}

/** A discovery register that software learns when it opens a unit, and the member of its structures
  * that has the value, named as the register in lower case.
  *
  * `older` is what stands for a unit without the register: one of a minor version before `since`,
  * or without the capability `needs`. The functional device answers it too, unless the value is a
  * parameter or `sim/functional/ref_registers.c` knows better.
  */
case class Discovered(
    name: String,
    offset: Int,
    text: String,
    value: TmuParams => BigInt,
    parameter: Option[String] = None,
    fields: Seq[RegisterField] = Nil,
    since: Int = 0,
    needs: Option[String] = None,
    older: Int = 0
) {
  require(
    parameter.forall(one => Parameters.functional.exists(_.name == one)),
    s"discovery register $name: the functional device has no parameter ${parameter.mkString}"
  )
  require(
    needs.forall(one => Discovery.abilities.exists(_.name == one)),
    s"discovery register $name: there is no capability ${needs.mkString}"
  )

  val member: String = name.toLowerCase

  def register(p: TmuParams): Register =
    Register(
      name = name,
      offset = offset,
      access = Access.ReadOnly,
      text = text,
      fields = fields,
      constant = Some(value(p))
    )
}

/** A bit of CAPABILITIES, and of which parameters a unit has it. */
case class Ability(name: String, text: String, of: TmuParams => Boolean)

/** The discovery block: here a register is added, and nowhere else.
  *
  * The register map, `tmu_info_t`, the query of sessions, the reading of both, the functional
  * device and `tmu-info` follow the list.
  */
object Discovery {

  /** "OTMU" in ASCII, most significant byte first. */
  val magic: BigInt = BigInt("4f544d55", 16)
  val versionMajor: Int = 2
  val versionMinor: Int = 9

  /** From bit 0 on; a bit that was released keeps its number. */
  val abilities: Seq[Ability] = Seq(
    Ability(name = "INSPECT", text = "The inspect command.", of = _ => true),
    Ability(name = "QUOTA", text = "Quotas per endpoint.", of = _ => true),
    Ability(
      name = "SPILL",
      text = "Queues continue in memory when the tables are full.",
      of = _.hasSpill
    ),
    Ability(name = "PARITY", text = "Stored words are checked for flipped bits.", of = _.parity),
    Ability(
      name = "RESERVE",
      text = "An endpoint can have a reserve in the tables.",
      of = _.reserve
    ),
    Ability(
      name = "NETWORK",
      text = "A card: messages arrive by frames, and no host brings one.",
      of = _.hasNetwork
    ),
    Ability(
      name = "SEND",
      text = "A card that sends: peers, registered memory.",
      of = _.hasSend
    )
  )

  private def capabilities(p: TmuParams): BigInt =
    abilities.zipWithIndex.map { case (one, bit) => BigInt(if (one.of(p)) 1 else 0) << bit }.sum

  /** A register that tells a parameter of its name: `ENDPOINTS` tells `endpoints`. */
  private def parameter(name: String, offset: Int, text: String): Discovered = {
    val words = name.toLowerCase.split('_')
    val field = words.head + words.tail.map(_.capitalize).mkString
    Discovered(
      name = name,
      offset = offset,
      text = text,
      value = p => p.values(field),
      parameter = Some(field)
    )
  }

  /** Registers of `tmu_info_t`, in its order: a new register comes last, at the next free offset.
    */
  val all: Seq[Discovered] = Seq(
    Discovered(
      name = "PRESET",
      offset = 0x08,
      text =
        s"Number of the preset this unit was built from; ${Presets.ownNumber} is a configuration of one's own.",
      value = p => Presets.number(p)
    ),
    parameter("ENDPOINTS", 0x0c, "Endpoints; they are numbered from 0."),
    parameter("POSTED_ENTRIES", 0x10, "Posted receives on chip, all endpoints together."),
    parameter("UNEXPECTED_ENTRIES", 0x14, "Unexpected messages on chip, all together."),
    parameter("LANES", 0x18, "Lanes of a row of a match array."),
    parameter(
      "ID_BITS",
      0x30,
      "Receive id bits; the id with all of them set names no receive."
    ),
    Discovered(
      name = "MATCH_BITS",
      offset = 0x1c,
      text = "Match bits kept.",
      value = p => p.matchBits
    ),
    parameter("SOURCE_BITS", 0x20, "Source bits kept."),
    parameter("HANDLE_BITS", 0x24, "Handle bits kept."),
    parameter("ADDRESS_BITS", 0x28, "Address bits kept."),
    parameter("LENGTH_BITS", 0x2c, "Length bits kept."),
    parameter(
      "QUEUES",
      0x48,
      "Submission queues, a doorbell page each, numbered from 0; the privileged page has this number."
    ),
    parameter(
      "COMMAND_SLOTS",
      0x34,
      "Commands that can wait on chip; QUEUE_CONFIG gives each page its share."
    ),
    Discovered(
      name = "CAPABILITIES",
      offset = 0x38,
      text = "What this unit can do.",
      value = capabilities,
      fields = abilities.zipWithIndex.map { case (one, bit) =>
        RegisterField(name = one.name, low = bit, width = 1, text = one.text)
      }
    ),
    Discovered(
      name = "ARRAY_ENTRIES",
      offset = 0x3c,
      text = "Of each queue, the oldest entries, searched at one operation a clock.",
      value = p => p.arrayEntries
    ),
    Discovered(
      name = "FILTER_LANES",
      offset = 0x40,
      text = "Filter ids compared in one clock, of the entries beyond the arrays; 0 is none.",
      value = p => if (p.hasFilter) p.filterLanes else 0
    ),
    Discovered(
      name = "FILTER_BITS",
      offset = 0x44,
      text = "Bits of a filter id.",
      value = p => if (p.hasFilter) p.filterBits else 0
    ),
    parameter(
      "SPILL_SEGMENTS",
      0x4c,
      s"Segments of ${SpillLayout.segmentBytes >> 20} MiB that the unit can take for queues that continue in memory."
    ).copy(needs = Some("SPILL")),
    parameter(
      "TAG_BITS",
      0x50,
      "Match bits that MPI's tag takes, from bit 0 on: the highest is its sign (R2). The context lies above."
    ).copy(since = 8, older = 32)
  )

  /** The registers, by their offsets. */
  def registers(p: TmuParams): Seq[Register] = Seq(
    Register(
      name = "MAGIC",
      offset = 0x00,
      access = Access.ReadOnly,
      text = f"Reads 0x${magic.toString(16)}.",
      constant = Some(magic)
    ),
    Register(
      name = "INTERFACE_VERSION",
      offset = 0x04,
      access = Access.ReadOnly,
      text =
        "Version of this host interface; a driver refuses a major version that it does not know.",
      fields = Seq(
        RegisterField(
          name = "MINOR",
          low = 0,
          width = 16,
          text = "Additions that old drivers may ignore."
        ),
        RegisterField(name = "MAJOR", low = 16, width = 16, text = "Incompatible changes.")
      ),
      constant = Some((BigInt(versionMajor) << 16) | versionMinor)
    )
  ) ++ all.sortBy(_.offset).map(_.register(p))
}
