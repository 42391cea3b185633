// SPDX-License-Identifier: Apache-2.0
package tmu.matching.array

import scala.collection.mutable
import tmu.{DeviceSpec, Seeds}
import tmu.fault.FaultPokes
import tmu.params.{TableParams, TmuParams}
import tmu.registers.FaultStores
import tmu.types.Entry

class EntryStoreSpec extends DeviceSpec with FaultPokes {
  private val p =
    TmuParams("store", 4, 8, 8, 8, 2, handleBits = 16, addressBits = 16, lengthBits = 8, idBits = 8)
  private val t = TableParams.posted(p)
  private val store = device(new EntryStore(p, t))

  private def allocate(dut: EntryStore): Int = {
    waitFor(dut, "a free slot", limit = 3)(dut.io.allocate.valid.isOn)
    val slot = dut.io.allocate.bits.value.toInt
    dut.io.allocate.ready.poke(true)
    dut.clock.step()
    dut.io.allocate.ready.poke(false)
    slot
  }
  private def release(dut: EntryStore, slot: Int): Unit = {
    dut.io.release.valid.poke(true)
    dut.io.release.bits.poke(slot)
    dut.clock.step()
    dut.io.release.valid.poke(false)
  }

  describe("EntryStore") {
    it("R15: allocates each slot once, then none until one is freed") {
      store.run { dut =>
        assert(t.slots == t.entries + TableParams.spare + TableParams.losable)
        val slots = Seq.fill(t.slots)(allocate(dut))
        assert(slots.toSet == (0 until t.slots).toSet)
        for (_ <- 0 until 5) {
          assert(!dut.io.allocate.valid.isOn)
          dut.clock.step()
        }
        release(dut, 5)
        assert(allocate(dut) == 5)
        assert(!dut.io.allocate.valid.isOn)
      }
    }

    it("R15: returns every field of an entry unchanged, over many laps of all slots") {
      val random = Seeds.random("EntryStore")
      store.run { dut =>
        val allocated = mutable.Map[Int, Seq[BigInt]]()
        def fields(e: Entry) = Seq(
          e.endpoint,
          e.key.bits,
          e.key.source,
          e.ignore.get.bits,
          e.ignore.get.source,
          e.handle,
          e.address,
          e.length
        )
        for (_ <- 0 until 300)
          if (allocated.size < t.entries && random.nextInt(5) > 1) {
            val slot = allocate(dut)
            assert(!allocated.contains(slot), s"slot $slot allocated twice")
            val values = fields(dut.io.write.bits.entry).map(f => BigInt(f.getWidth, random))
            fields(dut.io.write.bits.entry).zip(values).foreach { case (f, v) => f.poke(v) }
            dut.io.write.bits.slot.poke(slot)
            dut.io.write.valid.poke(true)
            dut.clock.step()
            dut.io.write.valid.poke(false)
            allocated(slot) = values
          } else if (allocated.nonEmpty) {
            val slot = allocated.keys.toSeq(random.nextInt(allocated.size))
            dut.io.readSlot.valid.poke(true)
            dut.io.readSlot.bits.poke(slot)
            dut.clock.step()
            dut.io.readSlot.valid.poke(false)
            assert(fields(dut.io.read.entry).map(_.value) == allocated(slot), s"slot $slot")
            if (random.nextBoolean()) {
              release(dut, slot)
              allocated -= slot
            }
          }
      }
    }

    it("R11: who keeps below the table's size gets a slot in every clock, freed or not") {
      val random = Seeds.random("EntryStore spare")
      store.run { dut =>
        var allocated = Vector.empty[Int]
        waitFor(dut, "the first slots", limit = 3)(dut.io.allocate.valid.isOn)
        for (clock <- 0 until 200) {
          val allocates = allocated.size < t.entries && random.nextInt(8) > 0
          val back = Option.when(
            allocated.nonEmpty && (allocated.size == t.entries || random.nextBoolean())
          )(
            allocated(random.nextInt(allocated.size))
          )
          dut.io.release.valid.poke(back.isDefined)
          back.foreach(dut.io.release.bits.poke(_))
          dut.io.allocate.ready.poke(allocates)
          if (allocates) {
            assert(dut.io.allocate.valid.isOn, s"clock $clock, ${allocated.size} allocated")
            val slot = dut.io.allocate.bits.value.toInt
            assert(!allocated.contains(slot), s"slot $slot allocated twice")
            allocated :+= slot
          }
          allocated = allocated.filterNot(back.contains)
          dut.clock.step()
        }
        dut.io.release.valid.poke(false)
        dut.io.allocate.ready.poke(false)
      }
    }

    it("R13: names what is not what was stored, whichever bit was lost, and no other") {
      store.run { dut =>
        waitFor(dut, "the first slots", limit = 5)(dut.io.allocate.valid.isOn)
        val width = new Entry(p, t).getWidth + 1
        for (bit <- Seq(-1, 0, 1, width / 2, width - 2, width - 1)) {
          if (bit >= 0) flip(dut, dut.io.fault, FaultStores.postedStore, bit)
          dut.io.write.valid.poke(true)
          dut.io.write.bits.slot.poke(3)
          dut.clock.step()
          dut.io.write.valid.poke(false)
          dut.io.readSlot.valid.poke(true)
          dut.io.readSlot.bits.poke(3)
          dut.clock.step()
          dut.io.readSlot.valid.poke(false)
          assert(dut.io.read.broken.isOn == (bit >= 0), s"bit $bit")
        }
      }
    }

    it("R13: a free slot that has lost a bit is never allocated again") {
      store.run { dut =>
        val slots = Seq.fill(t.slots)(allocate(dut))
        flip(dut, dut.io.fault, FaultStores.postedSlots, 1)
        for (slot <- Seq(5, 6)) release(dut, slot)
        assert(allocate(dut) == 6)
        dut.clock.step(4)
        assert(!dut.io.allocate.valid.isOn, s"of ${slots.size}")
      }
    }

    it("R15: a slot that is freed twice stops the simulation") {
      val error = intercept[Exception] {
        store.run { dut =>
          // Those that are allocated next have left their queue, so the first four are not noticed.
          val slots = Seq.fill(t.slots)(allocate(dut))
          (slots ++ slots.take(5)).foreach(release(dut, _))
        }
      }
      assert(error.getMessage.matches("(?s).*R15: slot +4 freed twice.*"), error)
    }
  }
}
