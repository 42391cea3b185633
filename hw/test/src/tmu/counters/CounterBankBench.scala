// SPDX-License-Identifier: Apache-2.0
package tmu.counters

import chisel3.Bool
import tmu.DeviceSpec
import tmu.params.Presets
import tmu.registers.{Counter, Counters, Stream, Streams}

/** A counter bank, its inputs at rest, and what its snapshots show. */
abstract class CounterBankBench extends DeviceSpec {
  import Counters._
  protected val bank = device(new CounterBank(Presets.tiny.unit))

  protected def spills(e: CounterEvents): Seq[(Bool, Counter)] = Seq(
    e.spill.deferred -> spillDeferred,
    e.spill.appended -> spillAppended,
    e.spill.taken -> spillTaken,
    e.spill.refilled -> spillRefilled,
    e.spill.falsePositive -> spillFalse,
    e.spill.refused -> spillRefused,
    e.spill.error -> spillErrors
  )

  protected def play(dut: CounterBank, stream: Stream, clock: StreamModel.Clock): Unit = {
    val e = dut.io.events
    val state = Map(
      Streams.command -> e.command,
      Streams.completion -> e.completion,
      Streams.spillRead -> e.spill.reads,
      Streams.spillWrite -> e.spill.writes
    )(stream)
    state.moves.poke(clock.moves)
    state.waits.poke(clock.waits)
  }

  protected def quiet(dut: CounterBank): Unit = {
    val e = dut.io.events
    val flags = Seq[Bool](
      e.verdict.valid,
      e.verdict.bits.truncated,
      e.verdict.bits.unexpected,
      e.activity.busy,
      e.activity.accepted,
      e.activity.postedVisited.valid,
      e.activity.unexpectedVisited.valid,
      e.disabledDrop,
      e.completionError,
      e.registerError,
      e.ringOverrun,
      e.queueOverrun,
      dut.io.snapshot
    )
    (flags ++ e.doorbellErrors ++ spills(e).map(_._1)).foreach(_.poke(false))
    for (stream <- Streams.all) play(dut, stream, StreamModel.idle)
    e.spilled.foreach(_.poke(0))
    e.activity.postedCount.poke(0)
    e.activity.unexpectedCount.poke(0)
  }

  /** All counters of the last snapshot. */
  protected def shown(dut: CounterBank): Map[Counter, BigInt] =
    Counters.all.zipWithIndex.map { case (c, i) =>
      dut.io.index.poke(i)
      c -> dut.io.value.value
    }.toMap

  /** Asks for a snapshot and waits for it; events go on as they are poked. */
  protected def take(dut: CounterBank): Map[Counter, BigInt] = {
    dut.io.snapshot.poke(true)
    dut.clock.step()
    dut.io.snapshot.poke(false)
    val clocks = waitFor(dut, "the snapshot")(!dut.io.busy.isOn)
    assert(clocks <= Counters.snapshotClocks - 2, "two rounds at most")
    shown(dut)
  }

  /** Lets the registered events be counted, then takes a snapshot. */
  protected def snapshot(dut: CounterBank): Map[Counter, BigInt] = {
    quiet(dut)
    dut.clock.step(2)
    take(dut)
  }
}
