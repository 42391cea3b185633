// SPDX-License-Identifier: Apache-2.0
package tmu

import chisel3.{Element, Record, SpecifiedDirection}
import chisel3.reflect.DataMirror
import tmu.bus.Axi
import tmu.emit.Notice
import tmu.params.Presets

/** Renders the modules around the unit that FPGA shells and boards instantiate. Their ports and
  * their wiring follow `TmuPorts`; reset, gates and shift registers are text.
  */
object ShellWiring {

  private case class Port(bus: String, signal: String, bits: Int, input: Boolean) {
    val name: String = s"${bus}_$signal"
    def wire: String = if (range.isEmpty) name else s"$range $name"

    /** The doorbell aperture is as wide as the preset has pages. */
    def ofAperture: Boolean = bus == "s_axi" && signal.endsWith("addr")
    def range: String =
      if (ofAperture) "[ADDRESS_BITS-1:0]" else if (bits == 1) "" else s"[${bits - 1}:0]"
    def handshakes: Boolean = signal.endsWith("valid") || signal.endsWith("ready")
  }

  private def ports(bus: String, of: Record): Seq[Port] = of.elements.toSeq.reverse.map {
    case (signal, data: Element) =>
      val ofMaster = DataMirror.specifiedDirectionOf(data) == SpecifiedDirection.Output
      Port(
        bus = bus,
        signal = signal,
        bits = data.getWidth,
        input = ofMaster == bus.startsWith("s_")
      )
    case (signal, _) => throw new IllegalArgumentException(s"${bus}_$signal is no signal of a bus")
  }

  private val purposes = Map(
    "s_axil" -> "Registers.",
    "s_axi" -> "Doorbell pages.",
    "m_axi" -> "Completions into host memory.",
    "m_axi_mem" -> "Queues that continue in memory."
  )

  /** The unit's ports by bus, for all presets: the width of the aperture is a parameter. */
  private val unit: Seq[Seq[Port]] = new TmuPorts(Presets.tiny).elements.toSeq.reverse.collect {
    case (bus, of: Record) if purposes.contains(bus) => ports(bus, of)
  }
  require(unit.map(_.head.bus).toSet == purposes.keySet, "a bus of the unit has no purpose here")

  /** The unit only writes through m_axi; a shell connects a whole AXI4 master. */
  private val reads: Seq[Port] =
    ports("m_axi", new Axi(64, 512, 1)).filter(one => !unit.flatten.exists(_.name == one.name))
  private val shell: Seq[Seq[Port]] =
    unit.map(all => if (all.head.bus == "m_axi") all ++ reads else all)

  /** Constants that the read channel is tied to, in the order of its ports. */
  private def tied(one: Port): String = one.signal match {
    case "arsize"  => "3'd6"
    case "arburst" => "2'b01"
    case "rready"  => "1'b1"
    case _         => zero(one)
  }
  private def zero(one: Port): String = if (one.bits == 1) "1'b0" else s"${one.bits}'d0"

  /** Words between commas in lines of at most 100 columns. */
  private def lines(words: Seq[String], indent: String): Seq[String] =
    words.zipWithIndex
      .map { case (word, i) => if (i + 1 == words.size) word else s"$word," }
      .foldLeft(Seq.empty[String]) {
        case (rest :+ last, word) if last.length + word.length < 100 => rest :+ s"$last $word"
        case (all, word)                                             => all :+ s"$indent$word"
      }

  private def instance(connections: Seq[(String, String)]): Seq[String] =
    connections.zipWithIndex.map { case ((port, to), i) =>
      s"        .$port($to)${if (i + 1 == connections.size) "" else ","}"
    }

  private val notice = Notice.of("hw/src/tmu/ShellWiring.scala")
  private def module(text: Seq[String]): String =
    (Seq("// SPDX-License-Identifier: Apache-2.0", s"// $notice", "//") ++ text ++
      Seq("endmodule", "`default_nettype wire")).mkString("", "\n", "\n")

  /** fpga/wrapper/tmu_wrapper.sv: AXI with an active-low reset. */
  def wrapper: String = {
    val declared = shell.flatMap { all =>
      s"    // ${purposes(all.head.bus)}" +: all.map { one =>
        val direction = if (one.input) "input  wire" else "output wire"
        s"    $direction ${one.range.padTo(20, ' ')} ${one.name},"
      }
    }
    val gated = unit.flatten.filter(_.handshakes)
    val gates = gated.map { one =>
      val (to, from) =
        if (one.input) (s"unit_${one.name}", one.name) else (one.name, s"unit_${one.name}")
      s"    assign $to = $from & run;"
    }
    val connected = unit.flatten.map { one =>
      one.name -> (if (one.handshakes) s"unit_${one.name}" else one.name)
    }
    val (ignored, driven) = reads.partition(_.input)
    module(
      wrapperHead.split('\n').toSeq ++ declared.init
        ++ Seq(declared.last.stripSuffix(","), ");", "")
        ++ wrapperLogic.split('\n').toSeq ++ Seq("")
        ++ gated.map(one => s"    wire unit_${one.name};") ++ Seq("") ++ gates ++ Seq("")
        ++ driven.map(one => s"    assign ${one.name} = ${tied(one)};")
        ++ Seq("    // Named so that lint knows: nothing is read through the master.")
        ++ Seq("    wire unused = &{") ++ lines("1'b0" +: ignored.map(_.name), "        ")
        ++ Seq("    };", "", "    TmuTop unit (")
        ++ instance(Seq("clock" -> "aclk", "reset" -> "reset") ++ connected) ++ Seq("    );")
    )
  }

  /** fpga/wrapper/tmu_pins.sv: the wrapper between two shift registers. */
  def pins: String = {
    val (inputs, outputs) = unit.flatten.partition(_.input)
    val held = inputs.filter(_.handshakes)
    val aperture = inputs.count(_.ofAperture)
    val fixed = inputs.filterNot(_.ofAperture).map(_.bits).sum
    def names(all: Seq[Port]): Seq[String] = lines(all.map(_.name), "        ")
    def holding(all: Seq[Port]): Seq[String] =
      lines(all.map(one => if (one.handshakes) s"held_${one.name}" else one.name), "        ")
    val connected = shell.flatten.map { one =>
      val unused = if (one.input) zero(one) else ""
      one.name -> (if (reads.contains(one)) unused else one.name)
    }
    module(
      pinsHead.split('\n').toSeq ++ Seq(
        s"    localparam INPUTS = $fixed + $aperture * ADDRESS_BITS;",
        s"    localparam OUTPUTS = ${outputs.map(_.bits).sum};"
      ) ++ (inputs ++ outputs).map { one =>
        s"    wire ${one.wire};"
      } ++ Seq("") ++ pinsLogic.split('\n').toSeq
        ++ held.map(one => s"    wire held_${one.name};")
        ++ Seq("    assign {") ++ holding(inputs) ++ Seq("    } = stimulus;")
        ++ Seq(s"    localparam HANDSHAKES = ${held.size};")
        ++ Seq("    wire [HANDSHAKES-1:0] held = {") ++ holding(held) ++ Seq(
          "    };",
          "    reg [HANDSHAKES-1:0] shown;",
          "    always @(posedge clk) shown <= steps ? held : {HANDSHAKES{1'b0}};",
          "    assign {"
        ) ++ names(held) ++ Seq("    } = shown;", "", "    wire [OUTPUTS-1:0] driven = {")
        ++ names(outputs) ++ Seq("    };", "") ++ pinsTail.split('\n').toSeq
        ++ instance(Seq("aclk" -> "clk", "aresetn" -> "reset_n") ++ connected)
        ++ Seq("    );", "    /* verilator lint_on PINCONNECTEMPTY */")
    )
  }

  private val wrapperHead =
    """|// Wrapper for an FPGA shell: the unit with the conventional clock and reset of AXI.
      |//
      |// Everything is in the one clock `aclk`; `aresetn` is active low and may change at any time.
      |// Two flip-flops that its fall clears take it over and a third passes it on, so that the
      |// unit's synchronous reset changes only at clock edges.
      |// Until the unit has left reset no handshake is offered or taken: a master that starts in
      |// the first clock after `aresetn` rises waits, and no transfer is lost.
      |// Commands count from STATUS.READY on; earlier ones are taken and dropped, as pages have no
      |// rings.
      |//
      |// Through m_axi the unit only writes; the read channel is tied off for shells that connect
      |// whole AXI4 masters, and whatever comes back on it is ignored.  Through m_axi_mem it writes
      |// and reads.
      |//
      |// ADDRESS_BITS is 12 (a doorbell page) + ceil(log2(queues + 1)) of the preset.
      |`default_nettype none
      |module tmu_wrapper #(
      |    parameter integer ADDRESS_BITS = 19
      |) (
      |    input  wire                      aclk,
      |    input  wire                      aresetn,""".stripMargin

  private val wrapperLogic =
    """|    // A pulse of any length gives the unit two clocks of reset or more.
      |    (* ASYNC_REG = "TRUE" *) reg [1:0] released;
      |    initial released = 2'b00;
      |    always @(posedge aclk or negedge aresetn)
      |        if (!aresetn) released <= 2'b00;
      |        else released <= {released[0], 1'b1};
      |    // 1 from power-up on, so that the unit sees no clock before its first reset.
      |    reg reset;
      |    initial reset = 1'b1;
      |    always @(posedge aclk) reset <= ~released[1];
      |
      |    // aresetn itself is part of it: valid falls with it, as AXI asks, before the clock edge.
      |    wire run = aresetn & released[1] & ~reset;""".stripMargin

  private val pinsHead =
    """|// The unit behind six pins, for boards and place-and-route runs with few pins.
      |//
      |// Every input of the unit comes from a flip-flop, every output goes into one of `response`:
      |// nothing is optimised away, all timing paths of the unit are register to register, and none
      |// begins at a pin, which lies at the edge of the device.
      |//   shift  1: stimulus takes `serial_in` and response gives `serial_out`, one bit a clock,
      |//             highest bit of each first.
      |//   step   1: for one clock the unit sees the valid and ready bits of stimulus, and response
      |//             takes what the unit drives in it; otherwise they are all 0.
      |// Response moves two clocks after the pins say so, for a shift and for a step.
      |// The bits lie in the order of the two concatenations below.
      |// `shift` and `step` must not be 1 together: shift wins, and the step would be lost.
      |`default_nettype none
      |module tmu_pins #(
      |    parameter integer ADDRESS_BITS = 19
      |) (
      |    input  wire clk,
      |    input  wire rst_n,
      |    input  wire shift,
      |    input  wire step,
      |    input  wire serial_in,
      |    output wire serial_out
      |);""".stripMargin

  private val pinsLogic =
    """|    reg [INPUTS-1:0] stimulus;
      |    reg [OUTPUTS-1:0] response;
      |
      |    // The pins a clock later, and what moves response when the unit has answered.
      |    reg reset_n, bit_in, shifts, steps, response_shifts, response_moves;
      |    always @(posedge clk) begin
      |        reset_n <= rst_n;
      |        bit_in <= serial_in;
      |        shifts <= shift;
      |        steps <= step & ~shift;
      |        response_shifts <= shifts;
      |        response_moves <= shifts | steps;
      |    end
      |
      |    // Handshakes are shown for a step; the rest comes as it was shifted in.""".stripMargin

  private val pinsTail =
    """|    // Register bit_in is shifted in behind the outputs: behind a constant, the constant
      |    // outputs at their end would be taken out one by one, each by a whole round of the
      |    // mapper.
      |    always @(posedge clk) begin
      |        if (shifts) stimulus <= {stimulus[INPUTS-2:0], bit_in};
      |        if (response_moves)
      |            response <= response_shifts ? {response[OUTPUTS-2:0], bit_in} : driven;
      |    end
      |    assign serial_out = response[OUTPUTS-1];
      |
      |    // The read channel of m_axi carries nothing.
      |    /* verilator lint_off PINCONNECTEMPTY */
      |    tmu_wrapper #(
      |        .ADDRESS_BITS(ADDRESS_BITS)
      |    ) wrapper (""".stripMargin
}
