// SPDX-License-Identifier: Apache-2.0
package tmu.host

import chisel3._
import chisel3.util.{Cat, Decoupled, DecoupledIO, RRArbiter, Valid}
import tmu.layout.{Opcodes, Statuses}
import tmu.params.TmuParams
import tmu.registers.RegisterMap
import tmu.rules.MatchRules
import tmu.types.{MatchCommand, Verdict}

/** A change of a table of names. */
class NameChange extends Bundle {

  /** 0 job, 1 process, 2 endpoint. */
  val level = UInt(2.W)
  val remove = Bool()
  val relative = Bool()
  val job = UInt(24.W)
  val pid = UInt(12.W)
  val index = UInt(12.W)
  val endpoint = UInt(12.W)
  val enabled = Bool()
  val usesGeneration = Bool()
  val generation = UInt(8.W)
}

/** Settings of the network in registers, and state that they show. */
class NetworkControl(p: TmuParams) extends Bundle {
  val udpPort = Output(UInt(16.W))
  val crc = Output(UInt(2.W))
  val crcBigEndian = Output(Bool())
  val native = Output(Bool())
  val nativeProtocol = Output(UInt(8.W))
  val ipv6 = Output(Bool())
  val enable = Output(Bool())
  val address = Output(UInt(128.W))
  val payloadMtu = Output(UInt(14.W))
  val poolLog2 = Output(UInt(5.W))
  val dscp = Output(UInt(6.W))
  val poolBase = Output(UInt(64.W))

  /** An endpoint's pool begins at `poolBase`. */
  val pool = Valid(UInt(12.W))
  val release = Valid(UInt(12.W))
  val change = Decoupled(new NameChange)
  val changed = Flipped(Valid(Bool()))
  val countSelect = Output(UInt(6.W))
  val count = Input(UInt(32.W))
  val send = Option.when(p.hasSend)(new SendControl)
}

/** Between a unit and the stages of its card. */
class NetworkPorts(p: TmuParams) extends Bundle {
  val control = new NetworkControl(p)
  val now = Output(UInt(32.W))

  /** Messages from the wire. */
  val arrival = Flipped(Decoupled(new MatchCommand(p)))

  /** Every answer of the unit, and what is told to hosts of them. */
  val verdict = Decoupled(new Verdict(p))
  val completion = Flipped(Decoupled(new Verdict(p)))

  /** Software's reset: let no frame in; `idle` when nothing is inside; then all is cleared. */
  val discard = Output(Bool())
  val clear = Output(Bool())
  val idle = Input(Bool())
  val send = Option.when(p.hasSend)(new NetworkSends(p))
}

object NetworkArrivals {

  /** Messages from the wire beside the hosts' commands on the queue of receives, in turns. A host's
    * own message is malformed: nobody can send as another (W8).
    */
  def apply(
      host: DecoupledIO[MatchCommand],
      wire: DecoupledIO[MatchCommand],
      reset: Bool
  ): DecoupledIO[MatchCommand] = {
    val both = withReset(reset)(Module(new RRArbiter(chiselTypeOf(host.bits), 2)))
    val guarded = both.io.in(0)
    guarded <> host
    when(MatchRules.is(host.bits.opcode, Opcodes.arrive)) {
      guarded.bits.malformed := true.B
      guarded.bits.searches := false.B
      guarded.bits.status := Statuses.malformed.value.U
    }
    both.io.in(1) <> wire
    both.io.out
  }
}

object NetworkControl {

  /** Connects the registers; only where the map has them. */
  def connect(file: RegisterFile, map: RegisterMap, reset: Bool, to: NetworkControl): Unit = {
    val (control, trigger) = (file.io.control, file.io.trigger)
    def field(register: String, name: String): UInt = control.field(map, register, name)
    to.udpPort := field("WIRE_CONFIG", "UDP_PORT")
    to.crc := field("WIRE_CONFIG", "CRC")
    to.crcBigEndian := field("WIRE_CONFIG", "CRC_BIG_ENDIAN")
    to.native := field("WIRE_CONFIG", "NATIVE")
    to.nativeProtocol := field("WIRE_CONFIG", "NATIVE_PROTOCOL")
    to.ipv6 := field("WIRE_CONFIG", "IPV6")
    to.enable := field("WIRE_CONFIG", "ENABLE")
    to.address := Cat((3 to 0 by -1).map(word => control(s"WIRE_ADDRESS_$word")))
    to.payloadMtu := field("WIRE_MESSAGES", "PAYLOAD_MTU")
    to.poolLog2 := field("WIRE_MESSAGES", "POOL_LOG2")
    to.dscp := field("WIRE_MESSAGES", "DSCP")
    to.poolBase := Cat(control("POOL_BASE_HI"), control("POOL_BASE_LO"))
    to.pool.valid := trigger.field(map, "POOL_ENDPOINT", "REGISTER").asBool
    to.pool.bits := trigger.field(map, "POOL_ENDPOINT", "ENDPOINT")
    to.release.valid := trigger.field(map, "POOL_RELEASE", "RELEASE").asBool
    to.release.bits := trigger.field(map, "POOL_RELEASE", "NUMBER")
    to.countSelect := field("WIRE_COUNT_SELECT", "NUMBER")

    // A name: taken over at once, in force when the table has answered.
    val pending = RegInit(false.B)
    val busy = RegInit(false.B)
    val refused = RegInit(false.B)
    val change = Reg(new NameChange)
    def asks(name: String): Bool = trigger.field(map, "NAME_COMMAND", name).asBool
    val levels = Seq("JOB", "PROCESS", "ENDPOINT").map(asks)
    when(levels.reduce(_ || _) && !busy) {
      pending := true.B
      busy := true.B
      change.level := Mux(levels(2), 2.U, Mux(levels(1), 1.U, 0.U))
      change.remove := asks("REMOVE")
      change.relative := field("NAME_JOB", "RELATIVE")
      change.job := field("NAME_JOB", "JOB")
      change.pid := field("NAME_PROCESS", "PID")
      change.index := field("NAME_PROCESS", "INDEX")
      change.endpoint := field("NAME_ENDPOINT", "ENDPOINT")
      change.enabled := field("NAME_STATE", "ENABLED")
      change.usesGeneration := field("NAME_STATE", "USES_GENERATION")
      change.generation := field("NAME_STATE", "GENERATION")
    }
    when(to.change.fire)(pending := false.B)
    when(to.changed.valid) {
      busy := false.B
      refused := !to.changed.bits
    }
    when(reset) {
      pending := false.B
      busy := false.B
    }
    to.change.valid := pending
    to.change.bits := change
    file.io.status("NAME_STATUS") := Cat(refused, busy)
    file.io.status("WIRE_COUNT") := to.count
  }
}
