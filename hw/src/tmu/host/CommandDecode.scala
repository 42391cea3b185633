// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.Decoupled
import tmu.buffer.PointerQueue
import tmu.layout.{Code, CommandLayout, KeyLayout, Opcodes, Statuses, WordField}
import tmu.params.TmuParams
import tmu.rules.MatchRules
import tmu.types.{MatchCommand, SpillRequest, StreamState}

/** Takes a command record apart: pure functions of its bits. */
object CommandDecode {
  import CommandLayout._

  private val keys: Seq[WordField] = KeyLayout.all.map(_.value)
  private val wildcards: Seq[WordField] = KeyLayout.all.map(_.ignore)
  private val selects: Set[WordField] = KeyLayout.fields.toSet + handle

  /** Fields that an opcode uses; all others must be zero. */
  private val used: Map[Code, Set[WordField]] = Map(
    Opcodes.post -> (selects ++ Set(address, length, receiveId, memory)),
    Opcodes.arrive -> (keys.toSet ++ Set(handle, address, length)),
    Opcodes.probe -> selects,
    Opcodes.claim -> selects,
    Opcodes.cancel -> Set(handle, receiveId),
    Opcodes.flush -> selects,
    Opcodes.inspect -> Set(handle, address)
  )

  /** Fields of a command; on a card that sends a post's memory is one. */
  private def fields(p: TmuParams): Seq[WordField] =
    if (p.hasSend) layout.fields.flatMap {
      case f if f.word == memory.word && f.low == memory.low =>
        Seq(memory, f.copy(low = f.low + memory.width, width = f.width - memory.width))
      case f => Seq(f)
    }
    else layout.fields

  /** Bits of a field beyond what this configuration keeps. */
  private def excess(p: TmuParams, record: UInt, field: WordField): Bool = {
    val ofKey = KeyLayout.all.find(f => f.value == field || f.ignore == field)
    val kept = field match {
      case `handle`  => p.handleBits
      case `address` => p.addressBits
      case `length`  => p.lengthBits
      case _         => ofKey.map(_.kept(p)).getOrElse(field.width)
    }
    if (kept >= field.width) false.B else (field.of(record) >> kept).orR
  }

  /** A field that the opcode does not use is not zero, or its value is too wide. */
  private def surplus(p: TmuParams, record: UInt, field: WordField): Bool = {
    val code = opcode.of(record)
    val unused = Opcodes.all.filterNot(used(_)(field)).map(MatchRules.is(code, _))
    // An inspect's address is a position.
    val wide = excess(p, record, field) && !((field == address).B && is(record, Opcodes.inspect))
    (unused.reduceOption(_ || _).getOrElse(false.B) && field.of(record).orR) || wide
  }

  private def is(record: UInt, code: Code): Bool = MatchRules.is(opcode.of(record), code)

  /** Parts of what can be wrong with a command. */
  val parts: Int = 5

  /** Why a record is malformed (R13), in parts that take about as long as each other: its key; its
    * wildcards; its handle and address; its length or receive; an unknown opcode, and what no
    * opcode uses.
    */
  def wrongs(p: TmuParams, record: UInt): Vec[Bool] = {
    val opaque = Seq(handle, address)
    val sizes = Seq(length, receiveId)
    val others =
      fields(p).diff(keys ++ wildcards ++ opaque ++ sizes ++ Seq(opcode, endpoint))
    def any(fields: Seq[WordField]): Bool = VecInit(fields.map(surplus(p, record, _))).asUInt.orR
    val idOutOfRange = is(record, Opcodes.post) && MatchRules.noId(p, receiveId.of(record))
    val inspectWide = is(record, Opcodes.inspect) && (address.of(record) >> 33).orR
    val opcodeKnown = VecInit(Opcodes.all.map(is(record, _))).asUInt.orR
    VecInit(
      any(keys),
      any(wildcards),
      any(opaque) || inspectWide,
      any(sizes) || idOutOfRange,
      any(others) || !opcodeKnown
    )
  }

  /** A command as it is, once it is known what is wrong with it (R13); `unregistered` its memory
    * (W8).
    */
  def judged(
      command: MatchCommand,
      wrongs: Vec[Bool],
      unregistered: Option[Bool] = None
  ): MatchCommand = {
    val out = WireDefault(command)
    for (wrong <- unregistered) when(command.searches && wrong) {
      out.searches := false.B
      out.status := Statuses.refusedMemory.value.U
    }
    when(wrongs.asUInt.orR) {
      out.malformed := true.B
      out.flushes := false.B
      out.searches := false.B
      out.status := Statuses.malformed.value.U
    }
    out
  }

  /** The command of a record from `page`, as if nothing was wrong with it; only the privileged page
    * names its endpoint (R13).
    */
  def wellFormed(p: TmuParams, in: PageCommand): MatchCommand = {
    val record = in.record
    val out = Wire(new MatchCommand(p))
    val privileged = in.page === p.privilegedPage.U
    out.opcode := opcode.of(record)
    out.malformed := false.B
    out.privileged := privileged
    out.page := in.page
    out.endpoint := Mux(privileged, endpoint.of(record), in.endpoint)
    for (f <- KeyLayout.all) {
      out.key(f) := f.value.of(record)(f.kept(p) - 1, 0)
      out.ignore(f) := f.ignore.of(record)(f.kept(p) - 1, 0)
    }
    out.handle := handle.of(record)
    out.address := address.of(record)(p.addressBits - 1, 0)
    out.length := length.of(record)(p.lengthBits - 1, 0)
    // An id that no receive can have is none: its cancel is late (R10).
    val id = receiveId.of(record)
    val noId = MatchRules.noId(p, id)
    out.id := Mux(noId, p.idNone.U, id)(p.idBits - 1, 0)
    out.position := inspectPosition.of(record)
    out.inspectUnexpected := inspectQueue.of(record).asBool
    out.stamp := in.stamp
    out.spill := SpillRequest.none(p)
    out.flushes := MatchRules.flushes(p, out)
    val (searches, status) = MatchRules.early(p, out, noId)
    out.searches := searches
    out.status := status
    out
  }
}

/** Decodes one command a clock, and hands it to its stream.
  *
  * Each leaves in a clock of its own, in the order in which it came, so that every page keeps its
  * order (R7). Decoded ones wait in a queue, because the path into the unit is long.
  */
class CommandDecoder(p: TmuParams) extends Module {
  val io = IO(new Bundle {
    val in = Flipped(Decoupled(new PageCommand(p)))
    val post = Decoupled(new MatchCommand(p))
    val arrival = Decoupled(new MatchCommand(p))

    /** Drop whatever comes: the unit is being reset. What is decoded already goes its way: `taken`
      * tells when nothing is.
      */
    val discard = Input(Bool())
    val taken = Output(Bool())

    /** Commands on their way into the unit. */
    val stream = Output(new StreamState)
    val idle = Output(Bool())
  })

  private val full = RegInit(false.B)
  private val held = Reg(new PageCommand(p))

  // Faults of a command take longest to see, and come in behind the queue.
  private class Decoded extends Bundle {
    val command = new MatchCommand(p)
    val wrongs = Vec(CommandDecode.parts, Bool())
    val withArrivals = Bool()
    val unregistered = Option.when(p.hasSend)(Bool())
  }
  private val decoded = Module(new PointerQueue(new Decoded, 3))
  private val out = decoded.io.enq
  out.valid := full && !io.discard
  out.bits.command := CommandDecode.wellFormed(p, held)
  out.bits.wrongs := CommandDecode.wrongs(p, held.record)
  out.bits.withArrivals := MatchRules.withArrivals(out.bits.command)
  for ((to, from) <- out.bits.unregistered.zip(held.unregistered)) to := from
  io.in.ready := !full || out.ready
  when(io.in.ready)(held := io.in.bits)
  full := io.in.fire || (full && !out.ready)

  private val decodedNext = decoded.io.deq
  private val command = CommandDecode.judged(
    decodedNext.bits.command,
    decodedNext.bits.wrongs,
    decodedNext.bits.unregistered
  )
  io.post.valid := decodedNext.valid && !decodedNext.bits.withArrivals
  io.post.bits := command
  io.arrival.valid := decodedNext.valid && decodedNext.bits.withArrivals
  io.arrival.bits := command
  decodedNext.ready := Mux(decodedNext.bits.withArrivals, io.arrival.ready, io.post.ready)
  io.stream.moves := decodedNext.fire
  io.stream.waits := decodedNext.valid
  io.idle := !full && io.taken
  io.taken := !decodedNext.valid
}
