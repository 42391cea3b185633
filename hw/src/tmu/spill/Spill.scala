// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{log2Ceil, Log2, Valid}
import tmu.buffer.{BlockQueue, PointerQueue, Sweep, UpDown}
import tmu.fault.FaultView
import tmu.params.{SpillLayout, SpillParams, TmuParams}
import tmu.types.{Deferred, FilterWindows, Operation}

/** Queues beyond the tables, in memory that software lends (R11): wiring, and who has what there.
  *
  * A command that the tables do not answer, of an endpoint that has something in memory or needs
  * to, waits here for its turn. When none waits, endpoints with something in memory are visited one
  * after the other, and what has room goes back to the tables.
  */
class Spill(p: TmuParams) extends MemoryPart(p) {
  private val s = SpillParams(p)
  private val waiting = Module(new BlockQueue(new Deferred(p), s.deferred))
  private val engine = Module(new SpillEngine(s))
  private val lists = Module(new SpillLists(s))
  private val editor = Module(new SpillEditor(s))
  private val search = Module(new SpillSearch(s))
  private val chunks = Module(new ChunkTable(s))
  private val link = Module(new SpillLink(s))
  private val looker = Module(new SpillLooker(s))
  private val packer = Module(new SpillPacker(s))
  private val packs = packer.io.busy

  io.axi <> link.io.axi
  link.io.lend := io.lend
  io.segments := link.io.segments
  io.unit.lent := link.io.segments =/= 0.U

  private val failed = RegInit(false.B)

  // Commands of an endpoint do not begin while its entries are on their way back, which they would only
  // thwart. Under a steady load nothing would ever go back: so, while a table has run low, those of
  // the endpoint that is to be visited next do not begin either, for a while and until some have gone
  // back; then there is a rest.
  private val totals = RegInit(VecInit.fill(2)(0.U(s.countBits.W)))
  private val low = Seq(p.postedEntries, p.unexpectedEntries).map(s.low)
  private val hungry = RegNext(
    Seq.tabulate(2)(q => totals(q) =/= 0.U && io.unit.counts(q) < low(q).U).reduce(_ || _),
    false.B
  )
  private val moving = engine.io.moving
  private val moved = RegNext(moving, false.B) && !moving
  private val rest = RegInit(0.U(SpillParams.restBits.W))
  when(moved)(rest := ~0.U(SpillParams.restBits.W)).elsewhen(rest =/= 0.U)(rest := rest - 1.U)
  private val feeding = RegInit(false.B)
  private val fed = RegInit(0.U(SpillParams.restBits.W))
  when(!feeding)(fed := 0.U).elsewhen(!fed.andR)(fed := fed + 1.U)
  when(!hungry || (moved && fed.andR) || failed)(feeding := false.B)
    .elsewhen(rest === 0.U)(feeding := true.B)
  io.turns.crowded := RegNext(waiting.io.count >= s.crowded.U, false.B)
  io.turns.scarce := RegNext(waiting.io.count >= s.scarce.U, false.B)
  waiting.io.enq.valid := io.unit.deferred.valid
  waiting.io.enq.bits := io.unit.deferred.bits
  assert(!waiting.io.enq.valid || waiting.io.enq.ready, "R11: no room for a deferred command")

  private val errors =
    Seq(search.io.error, editor.io.error, lists.io.error, link.io.writeError, packer.io.error)
  private val error = errors.reduce(_ || _)
  when(error)(failed := true.B)
  // What memory answers with an error is no entry: memory has failed by now, and nobody's answer is right.
  private val broken = search.io.hit.valid && search.io.hit.bits.found && search.io.hit.bits.broken
  io.raised.valid := broken && !failed
  io.raised.bits := engine.io.lists.at.endpoint
  private val checked = Seq(chunks.io.fault, lists.io.fault, editor.io.fault, search.io.fault)
  checked.foreach(_.flip := io.fault.flip)
  io.fault.view := FaultView.all(checked.map(_.view) ++ Seq(search.io.view))

  engine.io.deferred <> waiting.io.deq
  io.verdict <> engine.io.verdict
  // The way to the unit is long.
  private val injections = Module(new PointerQueue(new Injection(s), 2))
  injections.io.enq <> engine.io.inject
  io.inject <> injections.io.deq
  engine.io.injected := io.unit.injected
  engine.io.counts := io.unit.counts
  engine.io.now := io.unit.now
  // Words in memory were folded with the windows of then.
  private val windows = Reg(new FilterWindows(p))
  when(engine.io.idle && totals.map(_ === 0.U).reduce(_ && _))(windows := io.windows)
  engine.io.windows := windows
  engine.io.failed := failed
  engine.io.discard := RegNext(io.discard, false.B) // who has begun by then is waited for
  lists.io.access <> engine.io.lists
  engine.io.waits := waiting.io.count =/= 0.U
  io.holds := engine.io.holds
  lists.io.endpoint := io.endpoint
  io.depths := lists.io.counts
  editor.io.list := engine.io.editing
  editor.io.opens := engine.io.opens
  engine.io.edited := editor.io.update
  editor.io.begins := engine.io.range.fire
  editor.io.remove <> engine.io.remove
  editor.io.append <> engine.io.append
  engine.io.refused := editor.io.refused
  search.io.range <> engine.io.range
  engine.io.hit <> search.io.hit
  search.io.stop := engine.io.stop
  search.io.walkBlocked := editor.io.look.valid
  search.io.state := chunks.io.state
  link.io.words <> search.io.words
  search.io.wordBeat := link.io.wordBeat
  link.io.entry <> search.io.entry
  search.io.entryBeat := link.io.entryBeat
  search.io.entryBeat.valid := link.io.entryBeat.valid && !packs
  link.io.write <> editor.io.write
  search.io.write.valid := link.io.write.fire
  search.io.write.bits := link.io.write.bits
  chunks.io.read := Mux(
    editor.io.look.valid,
    editor.io.look.bits,
    Mux(
      packs,
      packer.io.look.bits,
      Mux(looker.io.read.valid, looker.io.read.bits, search.io.walk.bits)
    )
  )
  editor.io.state := chunks.io.state
  chunks.io.link := Mux(packs, packer.io.link, editor.io.link)
  chunks.io.mark := Mux(packs, packer.io.mark, editor.io.mark)
  editor.io.allocate <> chunks.io.allocate
  editor.io.exhausted := chunks.io.exhausted
  chunks.io.free := Mux(packs, packer.io.free, editor.io.free)
  chunks.io.chunks := link.io.segments << log2Ceil(SpillLayout.chunksPerSegment)
  io.spare := chunks.io.spare

  // While chunks are made fewer nobody else is at work.
  packer.io.start.valid := engine.io.packs
  packer.io.start.bits := engine.io.lists.at
  engine.io.packed := packer.io.done
  packer.io.quiet := search.io.idle
  packer.io.stirs := editor.io.remove.fire || io.lend.valid
  packer.io.windows := windows
  packer.io.list := lists.io.access.list
  packer.io.state := chunks.io.state
  packer.io.entryBeat := link.io.entryBeat
  packer.io.entry.ready := link.io.entry.ready
  packer.io.memory.ready := link.io.write.ready
  when(packs) {
    lists.io.access.read := packer.io.read
    lists.io.access.uses := packer.io.uses
    lists.io.access.write.valid := packer.io.write.valid
    lists.io.access.write.bits.at := packer.io.read
    lists.io.access.write.bits.list := packer.io.write.bits
    link.io.entry.valid := packer.io.entry.valid
    link.io.entry.bits := packer.io.entry.bits
    link.io.write.valid := packer.io.memory.valid
    link.io.write.bits := packer.io.memory.bits
  }
  assert(
    !packs || !(editor.io.look.valid || editor.io.write.valid || search.io.walk.valid),
    "R3: chunks are made fewer while somebody else is at them"
  )

  // Endpoints that have something in memory, from the first command that is deferred on. Each stands
  // in line once, to be visited; one that was released meanwhile leaves the line at its turn.
  private val sweep = Module(new Sweep(p.endpoints))
  private val marks, inLine = Mem(p.endpoints, Bool())
  private val line = Module(new BlockQueue(UInt(p.endpointBits.W), math.max(3, p.endpoints)))
  private val starts = io.unit.deferred.valid
  private val starter = Operation.endpoint(p, io.unit.deferred.bits.operation)
  private val released = engine.io.released
  when(!sweep.io.ready || starts || released.valid) {
    marks.write(
      Mux(!sweep.io.ready, sweep.io.place, Mux(starts, starter, released.bits)),
      sweep.io.ready && starts
    )
  }
  assert(!starts || !released.valid, "a command is deferred while an endpoint is released")
  io.turns.spilling := marks.read(io.turns.asked)

  // Commands of each endpoint that were deferred, and those of them that have been answered: marks and
  // lists count them too, and are asked by others in every clock.
  private val deferrals, answered = Mem(p.endpoints, UInt(SpillParams(p).deferralBits.W))
  private val started = RegNext(starts, false.B)
  private val startedBy = RegNext(starter)
  private val answers = engine.io.lists.writeDone
  when(!sweep.io.ready || started) {
    deferrals.write(
      Mux(sweep.io.ready, startedBy, sweep.io.place),
      Mux(sweep.io.ready, deferrals.read(startedBy) + 1.U, 0.U)
    )
  }
  when(!sweep.io.ready || answers.valid) {
    answered.write(
      Mux(sweep.io.ready, engine.io.lists.at.endpoint, sweep.io.place),
      Mux(sweep.io.ready, answers.bits, 0.U)
    )
  }

  // The head's mark is looked at a clock ahead, for the way from the line to it and back is long; it
  // counts unless head or marks have changed since.
  private val head = line.io.deq
  private val stays = head.valid && !head.ready && !starts && !started && !released.valid
  private val known = RegNext(stays, false.B)
  private val marked = RegNext(marks.read(head.bits))
  private val quiet = RegNext(deferrals.read(head.bits) === answered.read(head.bits))
  // Who was visited, on the way to the end of the line.
  private val returns = RegInit(0.U.asTypeOf(Valid(UInt(p.endpointBits.W))))
  private val joins = starts && !inLine.read(starter)
  private val leaves = known && !marked && !starts
  private val looks = looker.io.visit.valid && !waiting.io.deq.valid
  // A round takes a clock for each endpoint that there is, or who asks one operation at a time would
  // wait for a batch each time; nobody waits for a visit while a table has run low.
  private val pause = RegInit(0.U((p.endpointBits + 1).W))
  private val visitable = known && marked && !returns.valid && !starts
  private val idles = pause === 0.U && !waiting.io.deq.valid
  // While a table has run low, visits and commands take turns.
  private val visitedLast = RegInit(false.B)
  private val feeds = feeding && quiet && !(visitedLast && waiting.io.deq.valid)
  private val visits = visitable && (feeds || idles)
  engine.io.visit.valid := visits || looks
  engine.io.precedes := visits && feeding
  when(engine.io.deferred.fire)(visitedLast := false.B)
  engine.io.visit.bits := Mux(looks, looker.io.visit.bits, head.bits)
  engine.io.looks := looks
  private val visited = engine.io.visit.fire && !looks
  when(visited)(visitedLast := true.B)

  // Whoever is to be visited stands aside, but not for long while others' commands are answered: then
  // it goes to the end of the line.
  private val next = Reg(UInt(p.endpointBits.W))
  private val stood = RegInit(0.U(SpillParams.patienceBits.W))
  private val others = engine.io.works && engine.io.lists.at.endpoint =/= next
  private val skips = visitable && feeding && stood.andR && !visited
  when(head.valid)(next := head.bits)
  when(!feeding || head.fire)(stood := 0.U).elsewhen(others && !stood.andR)(stood := stood + 1.U)
  private val barsNext = RegNext(feeding && line.io.count + returns.valid =/= 0.U, false.B)
  private val barsMoving = RegNext(moving, false.B)
  private val movingOf = RegNext(engine.io.lists.at.endpoint)
  io.turns.bars := barsNext || barsMoving
  io.turns.barred :=
    (barsNext && io.turns.asked === next) || (barsMoving && io.turns.asked === movingOf)
  head.ready := visited || skips || leaves
  when(!sweep.io.ready || joins || leaves) {
    inLine.write(
      Mux(!sweep.io.ready, sweep.io.place, Mux(joins, starter, head.bits)),
      sweep.io.ready && joins
    )
  }
  line.io.enq.valid := joins || returns.valid
  line.io.enq.bits := Mux(joins, starter, returns.bits)
  when(pause =/= 0.U)(pause := pause - 1.U)
  when(!joins)(returns.valid := false.B)
  when(visited)(pause := p.endpoints.U >> Log2(line.io.count))
  when(visited || skips) {
    returns.valid := true.B
    returns.bits := head.bits
  }
  assert(!line.io.enq.valid || line.io.enq.ready, "an endpoint stands in line twice")

  // Software looks.
  io.look <> looker.io.port
  looker.io.visit.ready := engine.io.visit.ready && looks
  looker.io.list := lists.io.access.list
  looker.io.state := chunks.io.state
  looker.io.failed := failed
  looker.io.passes := visited
  looker.io.listed := line.io.count + returns.valid
  private val makesRoom = RegNext(io.unit.counts).asUInt =/= io.unit.counts.asUInt
  looker.io.stirs := starts || waiting.io.count =/= 0.U || engine.io.works || makesRoom ||
    !link.io.idle || !io.ready || io.discard
  assert(
    !looker.io.read.valid || !(editor.io.look.valid || search.io.walk.valid),
    "software looks at a chunk while the unit does"
  )

  private val refills = engine.io.refilling
  private val comes = editor.io.update.valid && engine.io.append.valid
  private val goes = Mux(refills, engine.io.lists.moved, editor.io.remove.fire)
  for (q <- 0 to 1) {
    val mine = engine.io.lists.at.unexpected === (q == 1).B
    totals(q) := UpDown.next(totals(q), mine && comes, mine && goes)
  }
  io.totals := totals

  io.ready := sweep.io.ready && lists.io.ready && search.io.ready
  io.idle := engine.io.idle && waiting.io.count === 0.U &&
    search.io.idle && link.io.idle
  io.activity.deferred := starts
  io.activity.appended := editor.io.append.fire && !editor.io.refused
  io.activity.taken := editor.io.remove.fire && !refills
  io.activity.refilled := editor.io.remove.fire && refills
  io.activity.falsePositive := search.io.falsePositive
  io.activity.refused := engine.io.exhausted
  io.activity.error := error
  io.activity.reads := link.io.reads
  io.activity.writes := link.io.writes
}
