// SPDX-License-Identifier: Apache-2.0
package tmu

import _root_.circt.stage.ChiselStage
import chisel3.Module
import tmu.card.answer.AnswerBuilder
import tmu.card.complete.MessageCompletions
import tmu.card.fetch.PayloadFetch
import tmu.card.frame.{FrameLoop, FrameMerge, FrameParser}
import tmu.card.initiator.{Initiator, InitiatorParams, StepRules}
import tmu.card.memory.{ReadJoin, WriteJoin}
import tmu.card.message.{MessageParams, MessageStage}
import tmu.card.pdc.{PdcParams, PdcStage, ResponseStore}
import tmu.card.placement.{Placement, PlacementParams}
import tmu.card.pool.PoolCopy
import tmu.card.request.RequestBuilder
import tmu.card.send.{SendOrder, SendParams, SendSide}
import tmu.matching.array.ArrayRow
import tmu.matching.filter.FilterTable
import tmu.mutant.Mutant
import tmu.params.{Presets, TableParams, TmuParams}

/** Turns a preset into SystemVerilog: one file a module and a file list.
  *
  * Assertions lie in bind files beside them that the file list does not name; whoever builds a
  * simulation must add them.
  */
object Verilog {

  /** Plain Verilog for tools that read little SystemVerilog, names that do not change by chance. */
  private val firtool = Seq(
    "-disable-all-randomization",
    "--lowering-options=disallowLocalVariables,disallowPackedArrays,noAlwaysComb"
  )

  /** Instead of an option of firtool: every line says where in the Chisel source it is from.
    * Without it a line that moves in the source leaves the Verilog as it is, and what is built of
    * it.
    */
  private val Locators = "--source-locators"

  /** Also instead of one: the design has a switch for each mutant. */
  private val Mutants = "--mutants"

  def write(p: TmuParams, folder: String, options: Seq[String]): Unit =
    emit(if (p.hasNetwork) new TmuCard(p) else new TmuTop(p), folder, options)

  /** Modules that show the cost of a lane: a row of full-width lanes of each queue, and memory rows
    * with filter ids of each width, each in a folder of its own.
    */
  def writeLanes(folder: String): Unit = {
    val nic = Presets.nic.unit
    emit(new ArrayRow(nic, TableParams.posted(nic)), s"$folder/posted", Nil)
    emit(new ArrayRow(nic, TableParams.unexpected(nic)), s"$folder/unexpected", Nil)
    for (bits <- Seq(8, 16, 32)) {
      val filtered = nic.copy(
        postedEntries = 2 * nic.arrayEntries,
        unexpectedEntries = 2 * nic.arrayEntries,
        filterLanes = nic.lanes,
        filterBits = bits
      )
      emit(new FilterTable(filtered, TableParams.posted(filtered)), s"$folder/filter$bits", Nil)
    }
  }

  /** The stages of the card, each in a folder of its own, for benches and proofs of a stage. */
  def writeCard(folder: String, options: Seq[String]): Unit = {
    emit(new FrameParser, s"$folder/frame", options)
    emit(new PdcStage(PdcParams.small), s"$folder/pdc-small", options)
    emit(new AnswerBuilder, s"$folder/answer", options)
    emit(new ResponseStore(PdcParams(pdcs = 4, responses = 8)), s"$folder/responses", options)
    emit(new RequestBuilder, s"$folder/request", options)
    emit(new PayloadFetch, s"$folder/fetch", options)
    emit(new SendSide(sending), s"$folder/send", options)
    emit(new SendOrder(sending), s"$folder/order", options)
    emit(new Initiator(initiator), s"$folder/initiator", options)
    emit(new StepRules(InitiatorParams.small), s"$folder/initiator-small", options)
    emit(new PdcStage(PdcParams(quarantine = 600)), s"$folder/pdc", options)
    emit(new MessageStage(MessageParams(), PlacementParams()), s"$folder/message", options)
    emit(new Placement(PlacementParams()), s"$folder/placement", options)
    emit(new WriteJoin(3), s"$folder/memory", options)
    emit(new ReadJoin(3, 2), s"$folder/reads", options)
    emit(new FrameMerge, s"$folder/merge", options)
    emit(new FrameLoop, s"$folder/loop", options)
    emit(completions, s"$folder/complete", options)
    emit(new PoolCopy(PlacementParams(messages = 32)), s"$folder/pool", options)
    emit(new Placement(PlacementParams.small), s"$folder/placement-small", options)
  }

  /** Few connections and a small window, so that both fill up. */
  private def initiator: InitiatorParams =
    InitiatorParams(connections = 4, window = 16, messages = 32, clocks = 4)

  private def sending: SendParams =
    SendParams(
      initiator = initiator,
      endpointBits = 2,
      pageBits = 3,
      peersLog2 = 4,
      memoriesLog2 = 3
    )

  private def completions: MessageCompletions = {
    val p = Presets.tiny.unit.copy(pdcs = 8, messages = 32)
    val m = MessageParams(endpointBits = p.endpointBits, messages = 32)
    new MessageCompletions(p, m, PlacementParams(messages = 32))
  }

  private def emit(top: => Module, folder: String, options: Seq[String]): Unit = {
    val (own, others) = options.partition(Seq(Locators, Mutants).contains)
    val origin = if (own.contains(Locators)) Nil else Seq("-strip-debug-info")
    ChiselStage.emitSystemVerilogFile(
      if (own.contains(Mutants)) Mutant.withSwitches(top) else top,
      args = Array("--target-dir", folder, "--split-verilog"),
      firtoolOpts = (firtool ++ origin ++ others).toArray
    )
    ()
  }
}
