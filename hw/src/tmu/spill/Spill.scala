// SPDX-License-Identifier: Apache-2.0
package tmu.spill

import chisel3._
import chisel3.util.log2Ceil
import tmu.buffer.{BlockQueue, PointerQueue, UpDown}
import tmu.fault.FaultView
import tmu.params.{SpillLayout, SpillParams, TmuParams}
import tmu.types.{Deferred, FilterWindows, Operation}

/** Queues beyond the tables, in memory that software registers (R11): wiring of the stages.
  *
  * A command that the tables do not answer, of an endpoint that has something in memory or needs
  * to, waits for its turn:
  * {{{
  * wait     BlockQueue    deferred commands, in their order (R7)
  * line     ServiceLine   endpoints that are served while none waits, or when a refill is due
  * engine   SpillEngine   one command, or one service, at a time
  * list     SpillLists    both queues of its endpoint
  * search   SpillSearch   candidates, oldest first, and their verification
  * edit     SpillEditor   what is taken or appended; chunks by ChunkTable
  * answer   SpillAnswer   verdicts; what has room returns to the tables by SpillRefill
  * }}}
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
  private val demand = Module(new RefillDemand(s))
  demand.io.totals := totals
  demand.io.counts := io.unit.counts
  demand.io.moving := engine.io.moving
  demand.io.failed := memoryFailed
  io.turns.crowded := RegNext(waiting.io.count >= s.crowded.U, false.B)
  io.turns.scarce := RegNext(waiting.io.count >= s.scarce.U, false.B)
  waiting.io.enq.valid := io.unit.deferred.valid
  waiting.io.enq.bits := io.unit.deferred.bits
  assert(!waiting.io.enq.valid || waiting.io.enq.ready, "R11: no room for a deferred command")

  private val errors =
    Seq(search.io.error, editor.io.error, lists.io.error, link.io.writeError, packer.io.error)
  private val error = errors.reduce(_ || _)
  when(error)(memoryFailed := true.B)
  // A beat that memory answers with an error is no entry: memory has failed by now, and nobody's
  // answer is right.
  private val hitBroken =
    search.io.hit.valid && search.io.hit.bits.found && search.io.hit.bits.broken
  io.raised.valid := hitBroken && !memoryFailed
  io.raised.bits := engine.io.lists.at.endpoint
  private val checked = Seq(chunks.io.fault, lists.io.fault, editor.io.fault, search.io.fault)
  checked.foreach(_.flip := io.fault.flip)
  io.fault.view := FaultView.all(checked.map(_.view) ++ Seq(search.io.view))

  engine.io.deferred <> waiting.io.deq
  io.verdict <> engine.io.verdict
  // The path to the unit is long.
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
  engine.io.discard := RegNext(io.discard, false.B) // an engine that has begun by then ends first
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

  // Endpoints are served in line; software looks at one while no command waits.
  private val line = Module(new ServiceLine(p))
  private val lookTaken = looker.io.service.valid && !waiting.io.deq.valid
  line.io.deferred.valid := io.unit.deferred.valid
  line.io.deferred.bits := Operation.endpoint(p, io.unit.deferred.bits.operation)
  line.io.released := engine.io.released
  line.io.works := engine.io.works
  line.io.moving := engine.io.moving
  line.io.worksFor := engine.io.lists.at.endpoint
  line.io.answered := engine.io.lists.writeDone
  line.io.waits := waiting.io.deq.valid
  line.io.begins := engine.io.deferred.fire
  line.io.refillDue := demand.io.due
  line.io.service.ready := engine.io.service.ready && !lookTaken
  engine.io.service.valid := line.io.service.valid || lookTaken
  engine.io.service.bits := Mux(lookTaken, looker.io.service.bits, line.io.service.bits)
  engine.io.precedes := line.io.service.valid && demand.io.due
  engine.io.looks := lookTaken
  line.io.asked := io.turns.asked
  io.turns.spilling := line.io.spilling
  io.turns.holds := line.io.holds
  io.turns.held := line.io.held

  // Software looks.
  io.look <> looker.io.port
  looker.io.service.ready := engine.io.service.ready && lookTaken
  looker.io.list := lists.io.access.list
  looker.io.state := chunks.io.state
  looker.io.failed := memoryFailed
  looker.io.passes := line.io.service.fire
  looker.io.listed := line.io.length
  private val tablesChange = RegNext(io.unit.counts).asUInt =/= io.unit.counts.asUInt
  looker.io.changes := io.unit.deferred.valid || waiting.io.count =/= 0.U || engine.io.works ||
    tablesChange || !link.io.idle || !io.ready || io.discard
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

  io.ready := line.io.ready && lists.io.ready && search.io.ready
  io.idle := engine.io.idle && waiting.io.count === 0.U &&
    search.io.idle && link.io.idle
  io.activity.deferred := io.unit.deferred.valid
  io.activity.appended := editor.io.append.fire && !editor.io.refused
  io.activity.taken := editor.io.remove.fire && !listRefills
  io.activity.refilled := editor.io.remove.fire && listRefills
  io.activity.falsePositive := search.io.falsePositive
  io.activity.refused := engine.io.exhausted
  io.activity.error := error
  io.activity.reads := link.io.reads
  io.activity.writes := link.io.writes
}
