// SPDX-License-Identifier: Apache-2.0
package tmu.host

import scala.collection.mutable
import tmu.{DeviceSpec, Seeds}
import tmu.params.TmuParams

class PageTableSpec extends DeviceSpec {
  private val p = TmuParams("pages", 4, 16, 16, 16, 4)
  private val table = device(new PageTable(p))

  private case class Ring(
      enable: Boolean,
      log2: Int,
      base: BigInt,
      producer: BigInt,
      limit: BigInt
  )
  private val off = Ring(enable = false, 0, 0, 0, 1)
  private def limit(index: BigInt, log2: Int): BigInt = (index + (1L << log2)) % (1L << 32)

  private def start(dut: PageTable): Int = {
    Seq(dut.io.configure.valid, dut.io.disable.valid, dut.io.consumer.valid, dut.io.producer.valid)
      .foreach(_.poke(false))
    dut.io.enableRead.valid.poke(false)
    waitFor(dut, "the sweep")(dut.io.ready.isOn)
  }

  private def offer(dut: PageTable, page: Int, r: Ring): Unit = {
    dut.io.configure.bits.page.poke(page)
    dut.io.configure.bits.ring.enable.poke(r.enable)
    dut.io.configure.bits.ring.log2.poke(r.log2)
    dut.io.configure.bits.ring.base.poke(r.base)
    dut.io.configure.valid.poke(true)
  }
  private def configure(dut: PageTable, page: Int, r: Ring): Unit = {
    offer(dut, page, r)
    waitFor(dut, "the page's turn")(dut.io.configure.ready.isOn)
    dut.clock.step()
    dut.io.configure.valid.poke(false)
  }
  private def update(
      dut: PageTable,
      page: Int,
      consumer: Option[BigInt],
      producer: Option[BigInt]
  ): Unit = {
    for ((port, value) <- Seq(dut.io.consumer -> consumer, dut.io.producer -> producer)) {
      port.valid.poke(value.isDefined)
      port.bits.page.poke(page)
      port.bits.index.poke(value.getOrElse(BigInt(0)))
    }
    dut.clock.step()
    dut.io.consumer.valid.poke(false)
    dut.io.producer.valid.poke(false)
    if (consumer.isDefined) dut.clock.step()
  }

  private def look(dut: PageTable, page: Int): Ring = {
    dut.io.ringRead.poke(page)
    dut.io.enableRead.valid.poke(true)
    dut.io.enableRead.bits.poke(page)
    dut.clock.step()
    val r = dut.io.ring
    assert(dut.io.enabled.isOn == r.config.enable.isOn, s"both answers about page $page agree")
    Ring(
      r.config.enable.isOn,
      r.config.log2.value.toInt,
      r.config.base.value,
      r.producer.value,
      r.limit.value
    )
  }

  describe("PageTable") {
    it("R14: has every page disabled and its indices at 0 after a clock a page") {
      table.run { dut =>
        start(dut)
        for (page <- 0 until p.pages) {
          configure(dut, page, Ring(enable = true, 5, 9, 0, 0))
          update(dut, page, Some(7), Some(8))
        }
        dut.reset.poke(true)
        dut.clock.step()
        dut.reset.poke(false)
        assert(start(dut) == p.pages)
        for (page <- 0 until p.pages) assert(look(dut, page) == off, s"page $page")
      }
    }

    it("R13: keeps each page's ring and indices apart in random updates and reads") {
      val random = Seeds.random("PageTable")
      table.run { dut =>
        start(dut)
        val model = mutable.Map[Int, Ring]().withDefaultValue(off)
        for (_ <- 0 until 300) {
          val page = random.nextInt(p.pages)
          random.nextInt(4) match {
            case 0 =>
              val log2 = random.nextInt(32)
              val ring =
                Ring(random.nextBoolean(), log2, BigInt(58, random), 0, limit(0, log2))
              configure(dut, page, ring)
              model(page) = ring
            case 1 =>
              val index = BigInt(32, random)
              update(dut, page, Some(index), None)
              model(page) = model(page).copy(limit = limit(index, model(page).log2))
            case 2 =>
              val index = BigInt(32, random)
              update(dut, page, None, Some(index))
              model(page) = model(page).copy(producer = index)
            case _ => assert(look(dut, page) == model(page), s"page $page")
          }
        }
      }
    }

    it("R13: disables a page at once, also while indices of others move, and nothing else") {
      table.run { dut =>
        start(dut)
        for (page <- 0 until p.pages) configure(dut, page, Ring(enable = true, 5, 9 + page, 0, 0))
        dut.io.disable.bits.poke(2)
        dut.io.disable.valid.poke(true)
        offer(dut, 3, Ring(enable = false, 4, 1, 0, 0))
        dut.io.consumer.valid.poke(true)
        dut.io.consumer.bits.page.poke(1)
        dut.io.consumer.bits.index.poke(4)
        dut.io.producer.valid.poke(true)
        dut.io.producer.bits.page.poke(1)
        dut.io.producer.bits.index.poke(6)
        assert(dut.io.disable.ready.isOn && dut.io.changes.isOn && !dut.io.configure.ready.isOn)
        dut.clock.step()
        Seq(dut.io.disable, dut.io.configure).foreach(_.valid.poke(false))
        dut.io.consumer.valid.poke(false)
        dut.io.producer.valid.poke(false)
        dut.clock.step()
        for (page <- 0 until p.pages) {
          val ring = Ring(enable = true, 5, 9 + page, 0, 32)
          assert(
            look(dut, page) == (page match {
              case 1 => ring.copy(producer = 6, limit = 36)
              case 2 => Ring(enable = false, 0, 0, 0, 32)
              case _ => ring
            }),
            s"page $page"
          )
        }
      }
    }

    it("lets a configuration wait while indices move, and loses none of them") {
      table.run { dut =>
        start(dut)
        offer(dut, 1, Ring(enable = true, 4, 3, 0, 0))
        for (i <- 1 to 5) {
          dut.io.consumer.valid.poke(true)
          assert(!dut.io.configure.ready.isOn)
          update(dut, 2, Some(i), Some(i + 10))
        }
        assert(dut.io.configure.ready.isOn)
        dut.clock.step()
        dut.io.configure.valid.poke(false)
        assert(look(dut, 1) == Ring(enable = true, 4, 3, 0, 16))
        assert(look(dut, 2) == off.copy(producer = 15, limit = 6))
      }
    }

    it("answers a read in the clock of a write with the old or the new value, then the new") {
      table.run { dut =>
        start(dut)
        update(dut, 3, None, Some(1))
        dut.io.producer.valid.poke(true)
        dut.io.producer.bits.page.poke(3)
        dut.io.producer.bits.index.poke(2)
        assert(Set(BigInt(1), BigInt(2))(look(dut, 3).producer))
        dut.io.producer.valid.poke(false)
        assert(look(dut, 3).producer == 2)
      }
    }
  }
}
