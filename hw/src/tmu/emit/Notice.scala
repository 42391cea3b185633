// SPDX-License-Identifier: Apache-2.0
package tmu.emit

/** The sentence at the head of each generated file. */
object Notice {
  def of(source: String): String = s"Generated from $source by ./tmu generate. Do not edit."
  val text: String = of("hw/src/tmu/registers, layout and params")
}
