// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.Cat
import tmu.layout.Opcodes
import tmu.params.{SpillLayout, SpillParams}
import tmu.rules.{FilterFold, MatchRules}
import tmu.types.{FilterId, FilterWindows, MatchCommand, MatchKey, SpillEntry}

/** The word that stands for an entry: what a search reads of all entries before it picks some. */
class SpillWord(s: SpillParams) extends Bundle {
  val id = UInt(s.idBits.W)
  val filter = new FilterId(s.pieces)

  /** Of both; 0 in a unit without parity. */
  val parity = Bool()
}

/** Key that a search compares words and entries with. */
class SpillAsk(s: SpillParams) extends Bundle {
  private val p = s.p
  val endpoint = UInt(p.endpointBits.W)

  /** The receive id is named instead of a key (R10). */
  val byId = Bool()
  val id = UInt(p.idBits.W)
  val key = new MatchKey(p)
  val ignore = new MatchKey(p)
  val word = new SpillWord(s)
}

/** Entries and words in memory, and what searches find among them: pure functions. */
object SpillMatch {

  /** An entry with its parity, for a location in memory. */
  def at(s: SpillParams, entry: SpillEntry, slot: SpillSlot): SpillEntry = {
    val whole = WireDefault(entry)
    whole.parity := false.B
    when(s.p.parity.B && ((entry.asUInt.xorR ^ entry.parity) ^ slot.asUInt.xorR))(
      whole.parity := true.B
    )
    whole
  }

  /** A word in every slot of a beat. */
  def everywhere(word: SpillWord): UInt = VecInit
    .fill(SpillLayout.wordsPerBeat)(word.asUInt.pad(8 * SpillLayout.wordBytes))
    .asUInt

  def word(
      s: SpillParams,
      windows: FilterWindows,
      key: MatchKey,
      ignore: MatchKey,
      id: UInt
  ): SpillWord = {
    val word = Wire(new SpillWord(s))
    require(word.getWidth <= 8 * SpillLayout.wordBytes, s"a word of ${word.getWidth} bits")
    word.filter := FilterFold(s.pieces, windows, key, ignore)
    word.id := id(s.idBits - 1, 0)
    word.parity := (if (s.p.parity) Cat(word.id, word.filter.asUInt).xorR else 0.U)
    word
  }

  /** Key of a command's search. */
  def asked(s: SpillParams, windows: FilterWindows, command: MatchCommand): SpillAsk = {
    val ask = Wire(new SpillAsk(s))
    ask.endpoint := command.endpoint(s.p.endpointBits - 1, 0)
    ask.byId := MatchRules.is(command.opcode, Opcodes.cancel)
    ask.id := command.id
    ask.key := command.key
    ask.ignore := command.ignore
    ask.word := word(s, windows, command.key, command.ignore, command.id)
    ask
  }

  /** All entries of an endpoint. */
  def all(s: SpillParams, endpoint: UInt): SpillAsk = {
    val ask = Wire(new SpillAsk(s))
    ask := 0.U.asTypeOf(ask)
    ask.endpoint := endpoint
    ask.ignore := MatchKey.everything(s.p)
    ask.word.filter.wild := ~0.U(3.W)
    ask
  }

  /** A bit of a word was lost. */
  def broken(s: SpillParams, word: SpillWord): Bool = s.p.parity.B && word.asUInt.xorR

  /** The same of an entry that lies in a slot; an entry is given its parity when that is known. */
  def broken(s: SpillParams, entry: SpillEntry, at: SpillSlot): Bool =
    s.p.parity.B && (entry.asUInt.xorR ^ at.asUInt.xorR)

  /** A word's entry may be what is asked for: also when the word has lost a bit, as the entry
    * tells.
    */
  def mayHit(s: SpillParams, ask: SpillAsk, word: SpillWord): Bool =
    broken(s, word) || Mux(
      ask.byId,
      word.id === ask.word.id,
      FilterFold.mayMatch(word.filter, ask.word.filter)
    )

  /** An entry is what is asked for: by its key (R1), or by its id (R10), within the endpoint (R13).
    */
  def hits(ask: SpillAsk, entry: SpillEntry): Bool =
    ask.endpoint === entry.endpoint && Mux(
      ask.byId,
      entry.id === ask.id,
      MatchKey.matches(ask.key, ask.ignore, entry.key, entry.ignore)
    )
}
