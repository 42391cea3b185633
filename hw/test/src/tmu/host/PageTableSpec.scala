// SPDX-License-Identifier: Apache-2.0
package tmu.host

import scala.collection.mutable
import tmu.{DeviceSpec, Seeds}
import tmu.params.TmuParams

class PageTableSpec extends DeviceSpec {
  private val p = TmuParams("pages", 4, 16, 16, 16, 4, queues = 4)
  private val table = device(new PageTable(p))
  private val modulus = 1 << RingIndex.bits

  private case class Ring(
      enable: Boolean,
      log2: Int,
      base: BigInt,
      producer: Int,
      finals: Int,
      limit: Int
  )
  private def limit(index: BigInt, log2: Int): Int = ((index + (1 << log2)) % modulus).toInt

  private def quiet(dut: PageTable): Unit =
    Seq(dut.io.change.valid, dut.io.consumer.valid, dut.io.moved.valid, dut.io.still)
      .foreach(_.poke(false))

  private def change(dut: PageTable, page: Int, r: Ring, restart: Boolean): Unit = {
    val c = dut.io.change
    c.bits.page.poke(page)
    c.bits.ring.enable.poke(r.enable)
    c.bits.ring.log2.poke(r.log2)
    c.bits.ring.base.poke(r.base)
    c.bits.restart.poke(restart)
    c.valid.poke(true)
    dut.io.still.poke(restart)
    dut.clock.step()
    c.valid.poke(false)
    dut.io.still.poke(false)
    if (restart) dut.clock.step() // the limit is there a clock later
  }
  private def consume(dut: PageTable, page: Int, index: BigInt): Unit = {
    val c = dut.io.consumer
    c.bits.page.poke(page)
    c.bits.index.poke(index)
    c.valid.poke(true)
    assert(dut.io.moving.isOn)
    dut.clock.step()
    c.valid.poke(false)
    assert(dut.io.moving.isOn && dut.io.limited.valid.isOn && dut.io.limited.bits.value == page)
    dut.clock.step()
    assert(!dut.io.moving.isOn && !dut.io.limited.valid.isOn)
  }
  private def move(dut: PageTable, page: Int, producer: Int, finals: Int): Unit = {
    val m = dut.io.moved
    m.bits.page.poke(page)
    m.bits.position.producer.poke(producer)
    m.bits.position.finals.poke(finals)
    m.valid.poke(true)
    assert(dut.io.moving.isOn)
    dut.clock.step()
    m.valid.poke(false)
  }
  private def look(dut: PageTable, page: Int): Ring = {
    dut.io.ringRead.poke(page)
    dut.io.roomRead.poke(page)
    val room = dut.io.room
    val early = (room.position.producer.value, room.position.finals.value, room.limit.value)
    dut.clock.step()
    val r = dut.io.ring
    val late = (r.position.producer.value, r.position.finals.value, r.limit.value)
    assert(early == late, s"both answers about page $page agree")
    Ring(
      r.config.enable.isOn,
      r.config.log2.value.toInt,
      r.config.base.value,
      late._1.toInt,
      late._2.toInt,
      late._3.toInt
    )
  }

  describe("PageTable") {
    it("R13: keeps each page's ring and indices apart in random changes and reads") {
      val random = Seeds.random("PageTable")
      table.run { dut =>
        quiet(dut)
        val model = mutable.Map[Int, Ring]()
        for (page <- 0 until p.pages) {
          val off = Ring(enable = false, 0, 0, 0, 0, 1)
          change(dut, page, off, restart = true)
          model(page) = off
        }
        for (_ <- 0 until 400) {
          val page = random.nextInt(p.pages)
          random.nextInt(5) match {
            case 0 =>
              val log2 = 4 + random.nextInt(13)
              val ring =
                Ring(random.nextBoolean(), log2, BigInt(58, random), 0, 0, limit(0, log2))
              change(dut, page, ring, restart = true)
              model(page) = ring
            case 1 =>
              val off = model(page).copy(enable = false)
              change(dut, page, off, restart = false)
              model(page) = off
            case 2 =>
              val index = BigInt(32, random)
              consume(dut, page, index)
              model(page) = model(page).copy(limit = limit(index, model(page).log2))
            case 3 =>
              val (producer, finals) = (random.nextInt(modulus), random.nextInt(modulus))
              move(dut, page, producer, finals)
              model(page) = model(page).copy(producer = producer, finals = finals)
            case _ => assert(look(dut, page) == model(page), s"page $page")
          }
        }
      }
    }

    it("takes a consumer index, a move and a disabled page in one clock, each for itself") {
      table.run { dut =>
        quiet(dut)
        val ring = Ring(enable = true, 5, 9, 0, 0, 32)
        for (page <- 0 until p.pages) change(dut, page, ring.copy(base = page), restart = true)
        dut.io.consumer.bits.page.poke(1)
        dut.io.consumer.bits.index.poke(4)
        dut.io.consumer.valid.poke(true)
        move(dut, 1, 6, 5)
        dut.io.consumer.valid.poke(false)
        change(dut, 2, Ring(enable = false, 0, 0, 0, 0, 0), restart = false)
        for (page <- 0 until p.pages) {
          val expected = page match {
            case 1 => Ring(enable = true, 5, 1, 6, 5, 36)
            case 2 => Ring(enable = false, 0, 0, 0, 0, 32)
            case _ => ring.copy(base = page)
          }
          assert(look(dut, page) == expected, s"page $page")
        }
      }
    }
  }
}
