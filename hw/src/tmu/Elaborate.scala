// SPDX-License-Identifier: Apache-2.0
package tmu

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import tmu.emit.{CHeader, PythonConstants, RegisterDocument, SystemRdl}
import tmu.params.Presets

/** The only place that writes files: the committed generated ones, or a preset's SystemVerilog. */
object Elaborate {
  private val usage =
    "usage: Elaborate generate ROOT | Elaborate verilog PRESET FOLDER [FIRTOOL-OPTION ...] | " +
      "Elaborate lanes FOLDER"

  private def write(file: Path, text: String): Unit = {
    Files.createDirectories(file.getParent)
    Files.write(file, text.getBytes(UTF_8))
    ()
  }

  /** Generated files that are committed: path from the root and content. */
  def generated: Seq[(String, String)] = Seq(
    "sw-driver/include/tmu/tmu_regs.h" -> CHeader.render(Presets.nic),
    "sim/opentmu/regs.py" -> PythonConstants.render(Presets.nic),
    "docs/registers.md" -> RegisterDocument.render(Presets.nic),
    "docs/tmu.rdl" -> SystemRdl.render(Presets.nic)
  )

  def main(args: Array[String]): Unit = args.toList match {
    case "generate" :: root :: Nil =>
      generated.foreach { case (file, text) => write(Paths.get(root, file), text) }
    case "verilog" :: preset :: folder :: options =>
      val p = Presets.byName(preset)
      Verilog.write(p, folder, options)
      write(Paths.get(folder, "tmu.rdl"), SystemRdl.render(p))
    case "lanes" :: folder :: Nil => Verilog.writeLanes(folder)
    case other                    =>
      throw new IllegalArgumentException(s"found arguments '${other.mkString(" ")}'; $usage")
  }
}
