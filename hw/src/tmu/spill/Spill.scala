// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.{log2Ceil, Log2, Valid}
import tmu.buffer.{BlockQueue, PointerQueue, Sweep, UpDown}
import tmu.fault.FaultView
import tmu.params.{SpillLayout, SpillParams, TmuParams}
import tmu.types.{Deferred, FilterWindows, Operation}

/** Queues beyond the tables, in memory that software registers (R11): wiring, and who has what
  * there.
  *
  * A command that the tables do not answer, of an endpoint that has something in memory or needs
  * to, waits here for its turn. When none waits, endpoints with something in memory are served one
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
  link.io.register := io.register
  io.segments := link.io.segments
  io.unit.registered := link.io.segments =/= 0.U

  private val memoryFailed = RegInit(false.B)

  private val totals = RegInit(VecInit.fill(2)(0.U(s.countBits.W)))
  private val refillMoving = engine.io.moving
  private val demand = Module(new RefillDemand(s))
  demand.io.totals := totals
  demand.io.counts := io.unit.counts
  demand.io.moving := refillMoving
  demand.io.failed := memoryFailed
  private val refillDue = demand.io.due
  io.turns.crowded := RegNext(waiting.io.count >= s.crowded.U, false.B)
  io.turns.scarce := RegNext(waiting.io.count >= s.scarce.U, false.B)
  waiting.io.enq.valid := io.unit.deferred.valid
  waiting.io.enq.bits := io.unit.deferred.bits
  assert(!waiting.io.enq.valid || waiting.io.enq.ready, "R11: no room for a deferred command")

  private val errors =
    Seq(search.io.error, editor.io.error, lists.io.error, link.io.writeError, packer.io.error)
  private val error = errors.reduce(_ || _)
  when(error)(memoryFailed := true.B)
  // What memory answers with an error is no entry: memory has failed by now, and nobody's answer is right.
  private val hitBroken =
    search.io.hit.valid && search.io.hit.bits.found && search.io.hit.bits.broken
  io.raised.valid := hitBroken && !memoryFailed
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
  engine.io.failed := memoryFailed
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
  packer.io.changes := editor.io.remove.fire || io.register.valid
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
  // in line once, to be served; one that was released meanwhile leaves the line at its turn.
  private val sweep = Module(new Sweep(p.endpoints))
  private val marks, lineMember = Mem(p.endpoints, Bool())
  private val line = Module(new BlockQueue(UInt(p.endpointBits.W), math.max(3, p.endpoints)))
  private val deferralStarts = io.unit.deferred.valid
  private val deferralOf = Operation.endpoint(p, io.unit.deferred.bits.operation)
  private val markReleased = engine.io.released
  when(!sweep.io.ready || deferralStarts || markReleased.valid) {
    marks.write(
      Mux(!sweep.io.ready, sweep.io.place, Mux(deferralStarts, deferralOf, markReleased.bits)),
      sweep.io.ready && deferralStarts
    )
  }
  assert(
    !deferralStarts || !markReleased.valid,
    "a command is deferred while an endpoint is released"
  )
  io.turns.spilling := marks.read(io.turns.asked)

  // Commands of each endpoint that were deferred, and those of them that have been answered: marks and
  // lists count them too, and are asked by others in every clock.
  private val deferrals, deferralsAnswered = Mem(p.endpoints, UInt(SpillParams(p).deferralBits.W))
  private val deferralStarted = RegNext(deferralStarts, false.B)
  private val deferralStartedOf = RegNext(deferralOf)
  private val deferralAnswers = engine.io.lists.writeDone
  when(!sweep.io.ready || deferralStarted) {
    deferrals.write(
      Mux(sweep.io.ready, deferralStartedOf, sweep.io.place),
      Mux(sweep.io.ready, deferrals.read(deferralStartedOf) + 1.U, 0.U)
    )
  }
  when(!sweep.io.ready || deferralAnswers.valid) {
    deferralsAnswered.write(
      Mux(sweep.io.ready, engine.io.lists.at.endpoint, sweep.io.place),
      Mux(sweep.io.ready, deferralAnswers.bits, 0.U)
    )
  }

  // The head's mark is looked at a clock ahead, for it is a long path from the line and back; it
  // counts unless head or marks have changed since.
  private val lineHead = line.io.deq
  private val headStable =
    lineHead.valid && !lineHead.ready && !deferralStarts && !deferralStarted && !markReleased.valid
  private val headKnown = RegNext(headStable, false.B)
  private val headMarked = RegNext(marks.read(lineHead.bits))
  private val headSettled = RegNext(
    deferrals.read(lineHead.bits) === deferralsAnswered.read(lineHead.bits)
  )
  // The endpoint that was served, about to join the line again.
  private val lineReturning = RegInit(0.U.asTypeOf(Valid(UInt(p.endpointBits.W))))
  private val lineJoins = deferralStarts && !lineMember.read(deferralOf)
  private val lineLeaves = headKnown && !headMarked && !deferralStarts
  private val lookTaken = looker.io.service.valid && !waiting.io.deq.valid
  // A round takes a clock for each endpoint that there is, or who asks one operation at a time would
  // wait for a batch each time; nobody waits for a service while a table has run low.
  private val servicePause = RegInit(0.U((p.endpointBits + 1).W))
  private val servicePossible = headKnown && headMarked && !lineReturning.valid && !deferralStarts
  private val serviceIdle = servicePause === 0.U && !waiting.io.deq.valid
  // While a table has run low, services and commands take turns.
  private val serviceLast = RegInit(false.B)
  private val serviceRefills = refillDue && headSettled && !(serviceLast && waiting.io.deq.valid)
  private val serviceStarts = servicePossible && (serviceRefills || serviceIdle)
  engine.io.service.valid := serviceStarts || lookTaken
  engine.io.precedes := serviceStarts && refillDue
  when(engine.io.deferred.fire)(serviceLast := false.B)
  engine.io.service.bits := Mux(lookTaken, looker.io.service.bits, lineHead.bits)
  engine.io.looks := lookTaken
  private val serviceTaken = engine.io.service.fire && !lookTaken
  when(serviceTaken)(serviceLast := true.B)

  // Whoever is to be served stands aside, but not for long while others' commands are answered: then
  // it goes to the end of the line.
  private val holdEndpoint = Reg(UInt(p.endpointBits.W))
  private val holdClocks = RegInit(0.U(SpillParams.patienceBits.W))
  private val holdOthers = engine.io.works && engine.io.lists.at.endpoint =/= holdEndpoint
  private val lineSkips = servicePossible && refillDue && holdClocks.andR && !serviceTaken
  when(lineHead.valid)(holdEndpoint := lineHead.bits)
  when(!refillDue || lineHead.fire)(holdClocks := 0.U)
    .elsewhen(holdOthers && !holdClocks.andR)(holdClocks := holdClocks + 1.U)
  private val holdNext = RegNext(refillDue && line.io.count + lineReturning.valid =/= 0.U, false.B)
  private val holdMoving = RegNext(refillMoving, false.B)
  private val holdMovingOf = RegNext(engine.io.lists.at.endpoint)
  io.turns.holds := holdNext || holdMoving
  io.turns.held :=
    (holdNext && io.turns.asked === holdEndpoint) || (holdMoving && io.turns.asked === holdMovingOf)
  lineHead.ready := serviceTaken || lineSkips || lineLeaves
  when(!sweep.io.ready || lineJoins || lineLeaves) {
    lineMember.write(
      Mux(!sweep.io.ready, sweep.io.place, Mux(lineJoins, deferralOf, lineHead.bits)),
      sweep.io.ready && lineJoins
    )
  }
  line.io.enq.valid := lineJoins || lineReturning.valid
  line.io.enq.bits := Mux(lineJoins, deferralOf, lineReturning.bits)
  when(servicePause =/= 0.U)(servicePause := servicePause - 1.U)
  when(!lineJoins)(lineReturning.valid := false.B)
  when(serviceTaken)(servicePause := p.endpoints.U >> Log2(line.io.count))
  when(serviceTaken || lineSkips) {
    lineReturning.valid := true.B
    lineReturning.bits := lineHead.bits
  }
  assert(!line.io.enq.valid || line.io.enq.ready, "an endpoint stands in line twice")

  // Software looks.
  io.look <> looker.io.port
  looker.io.service.ready := engine.io.service.ready && lookTaken
  looker.io.list := lists.io.access.list
  looker.io.state := chunks.io.state
  looker.io.failed := memoryFailed
  looker.io.passes := serviceTaken
  looker.io.listed := line.io.count + lineReturning.valid
  private val tablesChange = RegNext(io.unit.counts).asUInt =/= io.unit.counts.asUInt
  looker.io.changes := deferralStarts || waiting.io.count =/= 0.U || engine.io.works || tablesChange ||
    !link.io.idle || !io.ready || io.discard
  assert(
    !looker.io.read.valid || !(editor.io.look.valid || search.io.walk.valid),
    "software looks at a chunk while the unit does"
  )

  private val listRefills = engine.io.refilling
  private val listComes = editor.io.update.valid && engine.io.append.valid
  private val listGoes = Mux(listRefills, engine.io.lists.moved, editor.io.remove.fire)
  for (q <- 0 to 1) {
    val listMine = engine.io.lists.at.unexpected === (q == 1).B
    totals(q) := UpDown.next(totals(q), listMine && listComes, listMine && listGoes)
  }
  io.totals := totals

  io.ready := sweep.io.ready && lists.io.ready && search.io.ready
  io.idle := engine.io.idle && waiting.io.count === 0.U &&
    search.io.idle && link.io.idle
  io.activity.deferred := deferralStarts
  io.activity.appended := editor.io.append.fire && !editor.io.refused
  io.activity.taken := editor.io.remove.fire && !listRefills
  io.activity.refilled := editor.io.remove.fire && listRefills
  io.activity.falsePositive := search.io.falsePositive
  io.activity.refused := engine.io.exhausted
  io.activity.error := error
  io.activity.reads := link.io.reads
  io.activity.writes := link.io.writes
}
