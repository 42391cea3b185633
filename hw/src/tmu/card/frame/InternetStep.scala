// SPDX-License-Identifier: Apache-2.0
package tmu.card.frame

import chisel3._
import chisel3.util.{MuxCase, Valid}
import tmu.card.wire._

/** Result of the IP header for the steps behind it; bytes count from its first one. */
class InternetMark extends Bundle {

  /** The rest of the frame is read: nothing is wrong so far. */
  val alive = Bool()

  /** Bytes of packet headers and payload, without the CRC. */
  val inside = UInt(16.W)

  /** End of the IP packet: padding of Ethernet follows. */
  val end = UInt(InternetStep.endBits.W)

  /** The CRC is to be checked, over bytes from `crcStart` on. */
  val checked = Bool()
  val crcStart = UInt(6.W)
}

/** Reads the IP header and UDP or the entropy header; the packet begins at byte 0 behind it. */
class InternetStep extends Module {
  import InternetStep._
  val io = IO(new Bundle {
    val in = Input(Valid(new Marked(new EthernetMark)))
    val settings = Input(new WireSettings)
    val out = Output(Valid(new Marked(new InternetMark)))

    /** The same before anything is taken off: what the CRC is computed over. */
    val whole = Output(Valid(new Marked(new InternetMark)))

    /** Once a frame, at its first beat. */
    val part = Output(Valid(new InternetPart))

    /** Once a frame, at its last beat: what is wrong, but for the CRC and the packet itself. */
    val verdict = Output(Valid(UInt(Verdict.bits.W)))
  })

  // The sum over an IPv4 header takes a clock of its own: a beat waits here for it.
  private val valid = RegNext(io.in.valid, false.B)
  private val in = RegNext(io.in.bits)
  private val beat = in.beat
  private val octets = new Octets(beat.data)
  private val words = {
    val early = new Octets(io.in.bits.beat.data)
    (0 until Ipv4Layout.bytes by 2).map(byte => early(Field(byte, 16)))
  }
  private val pairs = RegNext(VecInit(words.grouped(2).map(_.reduce(_ +& _)).toSeq))
  private val sum = pairs.reduceTree(_ +& _)
  private val folded = sum(15, 0) +& (sum >> 16)
  // Ones' complement: a carry of the folding would have to be added to 0xffff, which is none.
  private val sumRight = folded === 0xffff.U

  private val v6 = in.mark.ipv6
  private val start = Mux(v6, Ipv6Layout.bytes.U, Ipv4Layout.bytes.U)
  private def either(v4Field: Field, v6Field: Field): UInt =
    Mux(v6, octets(v6Field), octets(v4Field))
  private val end = Mux(
    v6,
    octets(Ipv6Layout.payloadLength) +& Ipv6Layout.bytes.U,
    octets(Ipv4Layout.totalLength)
  )
  private val envelope = MuxCase(
    in.mark.verdict,
    Seq(
      (in.mark.verdict =/= Verdict.accepted.U) -> in.mark.verdict,
      (beat.bytes < start) -> Verdict.short.U,
      (octets(Ipv4Layout.version) =/= Mux(v6, 6.U, 4.U)) -> Verdict.ipVersion.U,
      (!v6 && octets(Ipv4Layout.headerWords) =/= 5.U) -> Verdict.ipOptions.U,
      (!v6 && !sumRight) -> Verdict.ipChecksum.U,
      (!v6 && octets(Ipv4Layout.fragment) =/= 0.U) -> Verdict.ipFragment.U
    )
  )

  private val protocol = either(Ipv4Layout.protocol, Ipv6Layout.protocol)
  private val native = io.settings.native && protocol === io.settings.nativeProtocol
  private val headerBytes = Mux(native, UdpLayout.entropyBytes.U, UdpLayout.bytes.U)
  private val left = Mux(end < start, 0.U, end - start)
  private val behind = Mux(left < headerBytes, 0.U, left - headerBytes)
  private def udp(field: Field): UInt =
    Mux(v6, octets.from(Ipv6Layout.bytes)(field), octets.from(Ipv4Layout.bytes)(field))
  private val kind = choose(n => octets.from(n)(PdsLayout.kind))
  private def choose(make: Int => UInt): UInt = VecInit(drops.map(make))(v6 ## native)

  // An encrypted packet ends with a check of its own.
  private val encrypted = behind =/= 0.U && kind === PdsType.encrypted.U
  private val checked = io.settings.crc =/= CrcCoverage.none.U && !encrypted
  private val transport = MuxCase(
    Verdict.accepted.U(Verdict.bits.W),
    Seq(
      (!native && protocol =/= UdpLayout.protocol.U) -> Verdict.foreign.U,
      (left < headerBytes) -> Verdict.ipLength.U,
      (!native && udp(UdpLayout.destinationPort) =/= io.settings.udpPort) -> Verdict.foreign.U,
      (!native && udp(UdpLayout.length) =/= left) -> Verdict.udpLength.U,
      (checked && behind < crcBytes.U) -> Verdict.short.U
    )
  )

  private val mark = Reg(new InternetMark)
  private val verdicts = Reg(Vec(2, UInt(Verdict.bits.W)))
  private val choice = Reg(UInt(2.W))
  when(valid && beat.first) {
    mark.alive := envelope === Verdict.accepted.U && transport === Verdict.accepted.U
    mark.inside := behind - Mux(checked, crcBytes.U, 0.U)
    mark.end := end
    mark.checked := checked
    mark.crcStart := Mux(
      io.settings.crc === CrcCoverage.addresses.U,
      Mux(v6, Ipv6Layout.source.byte.U, Ipv4Layout.source.byte.U),
      start + headerBytes
    )
    verdicts := VecInit(envelope, transport)
    choice := v6 ## native
  }
  io.whole.valid := RegNext(valid, false.B)
  io.whole.bits.beat := RegNext(beat)
  io.whole.bits.mark := mark

  private val drop = Module(new DropFront(new InternetMark, drops))
  drop.io.in := io.whole
  drop.io.choice := choice
  io.out := drop.io.out

  // The frame's bytes are known at its end; no IP length reaches the highest count.
  private val seen = Reg(UInt(endBits.W))
  private val last = io.whole.bits.beat
  private val total = Mux(last.first, 0.U, seen) +& last.bytes
  when(io.whole.valid)(seen := Mux(total(endBits), ((1 << endBits) - 1).U, total))
  io.verdict.valid := RegNext(io.whole.valid && last.last, false.B)
  io.verdict.bits := RegNext(
    MuxCase(
      verdicts(1),
      Seq(
        last.bad -> Verdict.badFrame.U,
        (verdicts(0) =/= Verdict.accepted.U) -> verdicts(0),
        (total < mark.end) -> Verdict.ipLength.U
      )
    )
  )

  private val part = Reg(new InternetPart)
  part.ipv6 := v6
  part.native := native
  part.dscp := either(Ipv4Layout.dscp, Ipv6Layout.dscp)
  part.ecn := either(Ipv4Layout.ecn, Ipv6Layout.ecn)
  part.source := either(Ipv4Layout.source, Ipv6Layout.source)
  part.destination := either(Ipv4Layout.destination, Ipv6Layout.destination)
  part.sourcePort := udp(UdpLayout.sourcePort)
  io.part.valid := RegNext(valid && beat.first, false.B)
  io.part.bits := part
}

object InternetStep {

  /** Width of the end of the IP packet: at most 40 bytes of header and 65,535 behind. */
  val endBits: Int = 17
  val crcBytes: Int = 4

  /** Bytes of both headers: IPv4, then IPv6, each with UDP and with the entropy header. */
  val drops: Seq[Int] = for {
    ip <- Seq(Ipv4Layout.bytes, Ipv6Layout.bytes)
    transport <- Seq(UdpLayout.bytes, UdpLayout.entropyBytes)
  } yield ip + transport
}
