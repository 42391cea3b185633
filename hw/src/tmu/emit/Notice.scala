// SPDX-License-Identifier: Apache-2.0
package tmu.emit

/** The sentence at the head of each generated file. */
object Notice {
  val text: String =
    "Generated from hw/src/tmu/registers, layout and params by ./tmu generate. Do not edit."
}
