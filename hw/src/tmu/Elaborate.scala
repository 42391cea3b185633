// SPDX-License-Identifier: Apache-2.0
package tmu

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import tmu.emit.{
  CHeader,
  DiscoveryHeaders,
  KeyHeader,
  ParameterDocument,
  ParameterSchema,
  PythonConstants,
  RegisterDocument,
  SystemRdl
}
import tmu.params.{Presets, TmuParams}

/** The only object that writes files: the committed generated ones, or a preset's SystemVerilog. */
object Elaborate {
  private val usage =
    "usage: Elaborate generate ROOT | Elaborate verilog PRESET FOLDER [--card] [FIRTOOL-OPTION ...] | " +
      "Elaborate lanes FOLDER | Elaborate card FOLDER [FIRTOOL-OPTION ...] | Elaborate check PRESET[:PARAMETER=VALUE,...] ..."

  /** Of `verilog`: the card of a configuration instead of its unit. */
  private val Card = "--card"

  private def write(file: Path, text: String): Unit = {
    Files.createDirectories(file.getParent)
    Files.write(file, text.getBytes(UTF_8))
    ()
  }

  private val nic = Presets.nic.unit

  /** Generated files that are committed: path from the root and content. */
  def generated: Seq[(String, String)] = Seq(
    "sw-driver/include/tmu/tmu_regs.h" -> CHeader.render(nic),
    "sw-driver/include/tmu/tmu_info.h" -> DiscoveryHeaders.info,
    "sw-driver/include/tmu/tmu_key.h" -> KeyHeader.render,
    "sw-driver/kernel/uapi/tmu_query.h" -> DiscoveryHeaders.query,
    "tools/opentmu/regs.py" -> PythonConstants.render(nic),
    "docs/registers.md" -> RegisterDocument.render(nic),
    "docs/parameters.md" -> ParameterDocument.render,
    "tools/opentmu/parameters.json" -> ParameterSchema.render,
    "docs/tmu.rdl" -> SystemRdl.render(nic),
    "fpga/wrapper/tmu_wrapper.sv" -> ShellWiring.wrapper,
    "fpga/wrapper/tmu_pins.sv" -> ShellWiring.pins
  )

  /** A preset by its name, or `PRESET:PARAMETER=VALUE,...`. */
  private def configuration(text: String): TmuParams =
    if (text.contains(':')) TmuParams.own(text) else Presets.byName(text)

  /** Writes a line for each configuration: what is wrong with it, or nothing. */
  private def check(configurations: Seq[String]): Unit = configurations.foreach { text =>
    val complaint =
      try { configuration(text); "" }
      catch { case error: IllegalArgumentException => error.getMessage }
    println("said: " + complaint.stripPrefix("requirement failed: "))
  }

  def main(args: Array[String]): Unit = args.toList match {
    case "generate" :: root :: Nil =>
      generated.foreach { case (file, text) => write(Paths.get(root, file), text) }
    case "verilog" :: preset :: folder :: options =>
      val whole = configuration(preset)
      val p = if (options.contains(Card)) whole.card else whole.unit
      Verilog.write(p, folder, options.filter(_ != Card))
      write(Paths.get(folder, "tmu.rdl"), SystemRdl.render(p))
      write(Paths.get(folder, "configuration.json"), ParameterSchema.configuration(p))
    case "check" :: configurations   => check(configurations)
    case "lanes" :: folder :: Nil    => Verilog.writeLanes(folder)
    case "card" :: folder :: options => Verilog.writeCard(folder, options)
    case other                       =>
      throw new IllegalArgumentException(s"found arguments '${other.mkString(" ")}'; $usage")
  }
}
