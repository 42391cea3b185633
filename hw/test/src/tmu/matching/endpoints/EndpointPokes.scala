// SPDX-License-Identifier: Apache-2.0
package tmu.matching.endpoints

import tmu.DeviceSpec

/** Step of an operation in its endpoint's state, in plain words. */
case class PlainStep(endpoint: Int, serial: Boolean, append: Boolean, take: Boolean)

/** Steps and limits on the ports of an endpoint table. */
trait EndpointPokes { this: DeviceSpec =>

  /** Nothing is asked; the clocks until every endpoint is cleared. */
  protected def swept(dut: EndpointTable): Int = {
    for (stream <- 0 to 1) poke(dut, stream, None)
    dut.io.setQuota.valid.poke(false)
    dut.io.there.foreach(_.poke(false))
    waitFor(dut, "the sweep's end")(dut.io.ready.isOn)
  }

  /** One step of a stream, or none. */
  protected def poke(dut: EndpointTable, stream: Int, step: Option[PlainStep]): Unit = {
    val port = dut.io.step(stream)
    step.foreach(s => port.endpoint.poke(s.endpoint))
    port.serial.poke(step.exists(_.serial))
    port.append.poke(step.exists(_.append))
    port.take.poke(step.exists(_.take))
  }

  /** Quotas and reserves of receives and messages; takes a clock. */
  protected def setQuota(
      dut: EndpointTable,
      endpoint: Int,
      quota: Seq[BigInt],
      reserve: Seq[Int] = Seq(0, 0)
  ): Unit = {
    dut.io.setQuota.valid.poke(true)
    dut.io.setQuota.bits.endpoint.poke(endpoint)
    quota.zipWithIndex.foreach { case (q, i) => dut.io.setQuota.bits.quota(i).poke(q) }
    reserve.zipWithIndex.foreach { case (r, i) => dut.io.setQuota.bits.reserve(i).poke(r) }
    dut.clock.step()
    dut.io.setQuota.valid.poke(false)
  }

  /** Slots that a changed reserve leaves to others. */
  protected def released(dut: EndpointTable, queue: Int): BigInt =
    dut.io.reserves.released(queue).peek().litValue
}
