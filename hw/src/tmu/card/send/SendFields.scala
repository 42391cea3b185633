// SPDX-License-Identifier: Apache-2.0
package tmu.card.send

import chisel3._
import tmu.layout.{Layout, SendLayout, WordField}

/** Fields of a send and of its list of pieces, by the names that the layout gives them. */
object SendFields {
  private def of(layout: Layout, name: String): WordField =
    (layout.fields ++ layout.overlays)
      .find(_.name == name)
      .getOrElse(throw new NoSuchElementException(s"${layout.name} has no field $name"))
  private def send(name: String): WordField = of(SendLayout.layout, name)

  val header: WordField = send("header")
  val pieces: WordField = send("pieces")
  val peer: WordField = send("peer")
  val matchBits: WordField = send("match")
  val headerData: WordField = send("header_data")
  val length: WordField = send("length")
  val memory: WordField = send("memory")
  val handle: WordField = send("handle")
  val endpoint: WordField = send("endpoint")
  val address: WordField = send("address")
  private val atHand: Seq[WordField] = Seq("inline0", "inline1", "inline2").map(send)
  private val reserved: Seq[WordField] =
    SendLayout.layout.fields.filter(_.name.startsWith("reserved"))

  /** Bytes at hand, the first lowest. */
  def inline(record: UInt): UInt =
    atHand.tail.foldLeft(atHand.head.of(record))((low, field) => field.of(record) ## low)

  /** A bit is set that no send has, or it contradicts itself. */
  def malformed(record: UInt): Bool = {
    val count = pieces.of(record)
    val none = count === 0.U
    val tail = atHand.tail.map(_.of(record).orR).reduce(_ || _)
    reserved.map(_.of(record).orR).reduce(_ || _) ||
    !header.of(record).asBool && headerData.of(record).orR ||
    count > SendLayout.pieces.U ||
    Mux(
      none,
      length.of(record) > SendLayout.inlineBytes.U || memory.of(record).orR,
      tail
    )
  }

  /** Piece of a list. */
  def piece(list: UInt, number: Int): SendPiece = {
    val made = Wire(new SendPiece)
    val suffix = if (number == 0) "" else s"$number"
    made.address := of(SendLayout.piece, s"address$suffix").of(list)
    made.bytes := of(SendLayout.piece, s"length$suffix").of(list)
    made.memory := of(SendLayout.piece, s"memory$suffix").of(list)
    made
  }
}
