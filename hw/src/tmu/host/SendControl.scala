// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{log2Ceil, Cat, Decoupled}
import tmu.params.TmuParams
import tmu.registers.RegisterMap
import tmu.rules.MatchRules

/** Peer as registers have it. */
class PeerChange extends Bundle {
  val index = UInt(16.W)
  val remove = Bool()
  val address = UInt(128.W)
  val job = UInt(24.W)
  val pid = UInt(12.W)
  val resource = UInt(12.W)
  val initiator = UInt(32.W)
  val owner = UInt(12.W)
}

/** Registered memory as registers have it. */
class MemoryChange extends Bundle {
  val index = UInt(16.W)
  val remove = Bool()
  val base = UInt(64.W)
  val bytes = UInt(64.W)
  val owner = UInt(12.W)
  val read = Bool()
  val write = Bool()
}

/** Registers of what sends: settings, and changes of the tables of peers and memory. */
class SendControl extends Bundle {
  val retransmit = Output(UInt(32.W))
  val attempts = Output(UInt(32.W))
  val peer = Decoupled(new PeerChange)
  val memory = Decoupled(new MemoryChange)

  /** With a change that is taken: nothing has changed. */
  val peerRefused = Input(Bool())
  val memoryRefused = Input(Bool())
}

object SendControl {

  /** Connects the registers; only where the map has them. */
  def connect(
      p: TmuParams,
      file: RegisterFile,
      map: RegisterMap,
      reset: Bool,
      to: SendControl
  ): Unit = {
    val (control, trigger) = (file.io.control, file.io.trigger)
    def field(register: String, name: String): UInt = control.field(map, register, name)
    def pair(name: String): UInt = Cat(control(s"${name}_HI"), control(s"${name}_LO"))
    to.retransmit := control("WIRE_RETRANSMIT")
    to.attempts := control("WIRE_ATTEMPTS")
    file.io.status("WIRE_TABLES") := Cat(
      log2Ceil(p.messages).U(8.W),
      log2Ceil(p.memories).U(8.W),
      log2Ceil(p.peers).U(8.W)
    )

    // A change: taken over at once, in force when the table has taken it.
    val busy = RegInit(VecInit(false.B, false.B))
    val refused = RegInit(false.B)
    val peer = Reg(new PeerChange)
    val memory = Reg(new MemoryChange)
    def begins(number: Int, name: String): Unit = {
      val sets = trigger.field(map, s"${name}_COMMAND", "SET").asBool
      val owner = field(s"${name}_OWNER", "ENDPOINT")
      val index = control(s"${name}_SELECT")
      // The tables know no endpoints, and fewer indices than a register has.
      val wrong = (index >> 16).orR || sets && !MatchRules.isBelow(owner, p.endpoints)
      when(trigger(s"${name}_COMMAND").orR && !busy.asUInt.orR) {
        busy(number) := !wrong
        refused := wrong
        peer.index := index
        peer.remove := !sets
        memory.index := index
        memory.remove := !sets
      }
    }
    begins(0, "PEER")
    begins(1, "MEMORY")
    when(!busy.asUInt.orR) {
      peer.address := Cat((3 to 0 by -1).map(word => control(s"PEER_ADDRESS_$word")))
      peer.job := field("PEER_JOB", "JOB")
      peer.pid := field("PEER_PROCESS", "PID")
      peer.resource := field("PEER_PROCESS", "INDEX")
      peer.initiator := control("PEER_INITIATOR")
      peer.owner := field("PEER_OWNER", "ENDPOINT")
      memory.base := pair("MEMORY_BASE")
      memory.bytes := pair("MEMORY_BYTES")
      memory.owner := field("MEMORY_OWNER", "ENDPOINT")
      memory.read := field("MEMORY_OWNER", "READ")
      memory.write := field("MEMORY_OWNER", "WRITE")
    }
    to.peer.valid := busy(0)
    to.peer.bits := peer
    to.memory.valid := busy(1)
    to.memory.bits := memory
    when(to.peer.fire) {
      busy(0) := false.B
      refused := to.peerRefused
    }
    when(to.memory.fire) {
      busy(1) := false.B
      refused := to.memoryRefused
    }
    when(reset)(busy := VecInit(false.B, false.B))
    file.io.status("TABLE_STATUS") := Cat(refused, busy.asUInt.orR)
  }
}
