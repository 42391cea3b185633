// SPDX-License-Identifier: Apache-2.0
package tmu

import _root_.circt.stage.ChiselStage
import tmu.host.TmuTop
import tmu.params.TmuParams

/** Turns a preset into SystemVerilog: one file a module and a file list.
  *
  * Assertions lie in bind files beside them that the file list does not name; whoever builds a
  * simulation must add them.
  */
object Verilog {

  /** Plain Verilog for tools that read little SystemVerilog, names that do not change by chance. */
  private val firtool = Seq(
    "-disable-all-randomization",
    "-strip-debug-info",
    "--lowering-options=disallowLocalVariables,disallowPackedArrays,noAlwaysComb"
  )

  def write(p: TmuParams, folder: String, options: Seq[String]): Unit = {
    ChiselStage.emitSystemVerilogFile(
      new TmuTop(p),
      args = Array("--target-dir", folder, "--split-verilog"),
      firtoolOpts = (firtool ++ options).toArray
    )
    ()
  }
}
