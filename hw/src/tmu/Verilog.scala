// SPDX-License-Identifier: Apache-2.0
package tmu

import tmu.params.TmuParams

/** Turns a preset into SystemVerilog. */
object Verilog {
  def write(p: TmuParams, folder: String, options: Seq[String]): Unit = sys.error(s"${p.name} $folder $options")
}
