// SPDX-License-Identifier: Apache-2.0
package tmu.card.initiator

import chisel3._
import tmu.card.wire.NackCode

/** Classes of refusals, by their codes. Pure, no state. */
object NackRules {
  private def in(code: UInt, codes: Seq[Int]): Bool = codes.map(code === _.U).reduce(_ || _)

  /** A packet is missing: go back to it. */
  def isMissing(code: UInt): Bool = in(
    code,
    Seq(
      NackCode.outOfOrder,
      NackCode.trimmed,
      NackCode.trimmedLastHop,
      NackCode.notReceived,
      NackCode.inferredLoss
    )
  )

  /** The target is short of something: the timer sends again. */
  def isShortage(code: UInt): Bool = in(
    code,
    Seq(
      NackCode.noPdcAvailable,
      NackCode.noCongestionContext,
      NackCode.noBitmap,
      NackCode.noPacketBuffer,
      NackCode.noResponseRoom,
      NackCode.noMessage,
      NackCode.noResource,
      NackCode.outOfWindow,
      NackCode.inProgress
    )
  )

  /** The connection has ended. */
  def isFatal(code: UInt): Bool = in(
    code,
    Seq(
      NackCode.unknownPdc,
      NackCode.headerMismatch,
      NackCode.closing,
      NackCode.closingInError,
      NackCode.responseLost,
      NackCode.invalidSyn,
      NackCode.modeMismatch,
      NackCode.unexpectedEvent
    )
  )
}
