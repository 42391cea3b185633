// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import tmu.layout.{CompletionLayout, KeyLayout, Statuses}
import tmu.mutant.Mutant
import tmu.params.TmuParams
import tmu.rules.MatchRules
import tmu.types.Verdict

/** Puts a verdict into the bytes of a completion; the writer adds phase and host latency. */
object CompletionEncode {
  import CompletionLayout._

  def apply(p: TmuParams, v: Verdict): UInt = {
    val common = Seq(
      opcode -> v.opcode,
      status -> v.status,
      truncated -> Mutant("truncation", v.truncated)(_ => true.B),
      unexpected -> v.unexpected,
      handle -> v.handle,
      other -> v.other,
      endpoint -> v.endpoint,
      address -> v.address
    ) ++ KeyLayout.all.map(f => f.completed -> v.key(f))
    val verdict = Seq(
      serial -> Mutant("serial", v.serial)(_ ^ 1.U),
      messageLength -> v.messageLength,
      receiveLength -> v.receiveLength,
      unitLatency -> v.latency
    )
    // An inspected entry shows its wildcards where verdicts show serial number and lengths.
    val entry = KeyLayout.all.map(f => f.inspected -> v.ignore(f)) :+
      (messageLength -> Mux(v.unexpected, v.messageLength, v.receiveLength))
    Mux(
      MatchRules.is(v.status, Statuses.entry),
      layout.pack(common ++ entry: _*),
      layout.pack(common ++ verdict: _*)
    )
  }
}
