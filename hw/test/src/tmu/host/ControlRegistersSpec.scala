// SPDX-License-Identifier: Apache-2.0
package tmu.host

import tmu.{DeviceSpec, Seeds}
import tmu.registers.{Access, Counters, TmuRegisters}

class ControlRegistersSpec extends DeviceSpec with ControlRegistersBench {
  private val bare = device(new ControlRegisters(p.copy(name = "bare", spillSegments = 0)))
  private def test(body: ControlRegisters => Unit): Unit = registers.run { dut =>
    quiet(dut)
    body(dut)
  }
  private def answer(dut: ControlRegisters, posted: Int, unexpected: Int): Unit = {
    dut.io.endpoint.ready.poke(true)
    waitFor(dut, "the endpoint request")(dut.io.endpoint.valid.isOn)
    dut.clock.step()
    dut.io.endpoint.ready.poke(false)
    dut.io.endpointState.bits.posted.poke(posted)
    dut.io.endpointState.bits.unexpected.poke(unexpected)
    dut.io.endpointState.valid.poke(true)
    dut.clock.step()
    dut.io.endpointState.valid.poke(false)
  }

  describe("ControlRegisters") {
    it("reads the whole discovery block over the bus") {
      test { dut =>
        for (r <- map.registers; constant <- r.constant)
          assert(read(dut, r.name) == constant, r.name)
      }
    }

    it("shows ready and idle as they are") {
      test { dut =>
        for (ready <- Seq(false, true); idle <- Seq(false, true)) {
          dut.io.ready.poke(ready)
          dut.io.idle.poke(idle)
          val expected = (if (ready) 1 else 0) | (if (idle) 2 else 0)
          assert(read(dut, "STATUS") == expected)
        }
      }
    }

    it("gives reset and snapshot for one clock each, and each alone") {
      test { dut =>
        for (bits <- 0 to 3) {
          var (resets, snapshots) = (0, 0)
          tryWrite(dut, dut.io.axi, offset("CONTROL"), bits, 15) {
            if (dut.io.reset.isOn) resets += 1
            if (dut.io.snapshot.isOn) snapshots += 1
          }
          assert((resets, snapshots) == ((bits & 1, bits >> 1)), s"CONTROL = $bits")
        }
      }
    }

    it("hands a page's ring on as it was at the commit, and keeps it until it is taken") {
      test { dut =>
        write(dut, "PAGE_SELECT", 4)
        write(dut, "RING_BASE_LO", BigInt("89abcdff", 16))
        write(dut, "RING_BASE_HI", BigInt("fedc0123", 16))
        write(dut, "RING_CONFIG", 0x10c)
        write(dut, "PAGE_ENDPOINT", 3)
        write(dut, "QUEUE_CONFIG", (5 << 16) | 96)
        assert(!dut.io.page.valid.isOn, "nothing before the commit")
        write(dut, "PAGE_COMMIT", 1)
        write(dut, "PAGE_SELECT", 1)
        write(dut, "PAGE_COMMIT", 1) // ignored: the first one is not done
        assert(dut.io.page.valid.isOn && read(dut, "PAGE_STATUS") == 1)
        assert(dut.io.page.bits.page.value == 4)
        val ring = dut.io.page.bits.ring
        assert(ring.enable.isOn && ring.log2.value == 12)
        assert(ring.base.value == BigInt("fedc012389abcdc0", 16) >> 6, "64-byte aligned")
        val queue = dut.io.page.bits.queue
        assert(queue.enable.isOn && queue.endpoint.value == 3)
        assert(queue.first.value == 96 && queue.log2.value == 5)
        dut.io.page.ready.poke(true)
        dut.clock.step()
        assert(!dut.io.page.valid.isOn, "handed on once")
        assert(read(dut, "PAGE_STATUS") == 0)
      }
    }

    it("R13: refuses a commit whose page, endpoint, ring or share is out of range, and says so") {
      val slots = p.commandSlots
      val good = Seq("PAGE_SELECT" -> 2, "PAGE_ENDPOINT" -> 1, "RING_CONFIG" -> 0x108) :+
        ("QUEUE_CONFIG" -> ((4 << 16) | 16))
      val bad = Seq(p.pages, 128, Int.MaxValue).map("PAGE_SELECT" -> _) ++
        Seq(p.endpoints, 64, Int.MaxValue).map("PAGE_ENDPOINT" -> _) ++
        Seq(0x103, 0x111, 0x11f).map("RING_CONFIG" -> _) ++
        Seq((4 << 16) | 8, (4 << 16) | slots, (15 << 16) | 0, (4 << 16) | (1 << 15))
          .map("QUEUE_CONFIG" -> _)
      test { dut =>
        dut.io.page.ready.poke(true)
        def commit(changed: Seq[(String, Int)]): BigInt = {
          for ((name, value) <- good ++ changed) write(dut, name, value)
          var seen = false
          tryWrite(dut, dut.io.axi, offset("PAGE_COMMIT"), 1, 15)(if (dut.io.page.valid.isOn) {
            seen = true
          })
          dut.io.page.ready.poke(false)
          dut.clock.step()
          seen ||= dut.io.page.valid.isOn
          dut.io.page.ready.poke(true)
          dut.clock.step()
          val status = read(dut, "PAGE_STATUS")
          assert(seen == (status == 0), s"$changed: handed on, or refused")
          status
        }
        assert(commit(Seq()) == 0)
        for (change <- bad) assert(commit(Seq(change)) == 2, s"$change")
        val last = Seq("PAGE_SELECT" -> p.privilegedPage, "PAGE_ENDPOINT" -> 99)
        assert(commit(last) == 0, "the privileged page acts for no endpoint of its own")
        val all = Seq("QUEUE_CONFIG" -> (p.slotBits << 16))
        assert(commit(all) == 0, "one page may have all slots")
        for (change <- bad.drop(3) :+ ("RING_CONFIG" -> 0))
          assert(commit(Seq(change, "RING_CONFIG" -> 0)) == 0, "a page can always be disabled")
      }
    }

    it("R14: holds pages and endpoints back until the unit is ready") {
      test { dut =>
        dut.io.ready.poke(false)
        write(dut, "PAGE_COMMIT", 1)
        write(dut, "ENDPOINT_COMMAND", 2)
        assert(!dut.io.page.valid.isOn && !dut.io.endpoint.valid.isOn)
        dut.io.ready.poke(true)
        assert(dut.io.page.valid.isOn && dut.io.endpoint.valid.isOn)
      }
    }

    it("R11: hands quotas on with the endpoint they are for") {
      test { dut =>
        write(dut, "ENDPOINT_SELECT", 3)
        write(dut, "QUOTA_POSTED", 5)
        write(dut, "QUOTA_UNEXPECTED", BigInt("80000001", 16))
        write(dut, "ENDPOINT_COMMAND", 1)
        assert(dut.io.endpoint.valid.isOn && dut.io.endpoint.bits.setQuota.isOn)
        assert(dut.io.endpoint.bits.endpoint.value == 3)
        assert(dut.io.endpoint.bits.quotaPosted.value == 5)
        assert(dut.io.endpoint.bits.quotaUnexpected.value == BigInt("80000001", 16))
      }
    }

    it("reads depths: busy until the unit has answered, then the answer") {
      test { dut =>
        write(dut, "ENDPOINT_SELECT", 2)
        write(dut, "ENDPOINT_COMMAND", 2)
        assert(!dut.io.endpoint.bits.setQuota.isOn)
        assert(read(dut, "ENDPOINT_STATUS") == 1)
        answer(dut, 11, 64)
        assert(read(dut, "ENDPOINT_STATUS") == 0)
        assert(read(dut, "DEPTH_POSTED") == 11 && read(dut, "DEPTH_UNEXPECTED") == 64)
      }
    }

    it("R11: an endpoint's depth is what lies on chip and in memory together") {
      test { dut =>
        dut.io.spilled(0).poke(1000)
        dut.io.spilled(1).poke(70)
        write(dut, "ENDPOINT_COMMAND", 2)
        answer(dut, 64, 3)
        assert(read(dut, "DEPTH_POSTED") == 1064 && read(dut, "DEPTH_UNEXPECTED") == 73)
      }
    }

    it("R11: refuses a segment in a unit that takes none") {
      bare.run { dut =>
        quiet(dut)
        assert(tryWrite(dut, dut.io.axi, offset("SPILL_COMMIT"), 1, 15) {
          assert(!dut.io.register.valid.isOn)
        } == 0)
        assert(read(dut, "SPILL_STATUS") == 0x100 && read(dut, "SPILL_SEGMENTS") == 0)
      }
    }

    it("R11: registers the segment that the registers name, and refuses one too many") {
      test { dut =>
        var registered = Seq.empty[BigInt]
        def commit(segments: Int, value: Int): Unit = {
          dut.io.segments.poke(segments)
          registered = Nil
          assert(tryWrite(dut, dut.io.axi, offset("SPILL_COMMIT"), value, 15) {
            if (dut.io.register.valid.isOn) registered :+= dut.io.register.bits.value
          } == 0)
        }
        write(dut, "SPILL_BASE_LO", BigInt("fedcbfff", 16))
        write(dut, "SPILL_BASE_HI", 0x1234567)
        commit(0, 1)
        assert(registered == Seq(BigInt("1234567fedcb", 16)))
        commit(0, 0)
        assert(
          registered.isEmpty && read(dut, "SPILL_STATUS") == 0 && read(dut, "SPILL_FREE") == 513
        )
        commit(p.spillSegments, 1)
        assert(registered.isEmpty && read(dut, "SPILL_STATUS") == (0x100 | p.spillSegments))
        commit(1, 1)
        assert(registered.size == 1 && read(dut, "SPILL_STATUS") == 1)
        dut.io.ready.poke(false)
        commit(0, 1) // R14: the unit is being reset
        assert(registered.isEmpty)
      }
    }

    it("ignores an endpoint command while one is busy") {
      test { dut =>
        write(dut, "ENDPOINT_SELECT", 2)
        write(dut, "ENDPOINT_COMMAND", 2)
        write(dut, "ENDPOINT_SELECT", 1)
        write(dut, "ENDPOINT_COMMAND", 1)
        assert(dut.io.endpoint.bits.endpoint.value == 2 && !dut.io.endpoint.bits.setQuota.isOn)
        answer(dut, 1, 1)
        assert(!dut.io.endpoint.valid.isOn)
      }
    }

    it("R13: says error for an endpoint that is not there and asks the unit nothing") {
      test { dut =>
        for (e <- Seq(BigInt(4), BigInt("80000000", 16))) {
          write(dut, "ENDPOINT_SELECT", e)
          write(dut, "ENDPOINT_COMMAND", 3)
          assert(!dut.io.endpoint.valid.isOn && read(dut, "ENDPOINT_STATUS") == 2)
        }
        write(dut, "ENDPOINT_SELECT", 1)
        write(dut, "ENDPOINT_COMMAND", 2)
        assert(read(dut, "ENDPOINT_STATUS") == 1, "the next command clears the error")
      }
    }

    it("R14: a reset ends an endpoint command that nobody will answer") {
      test { dut =>
        write(dut, "ENDPOINT_COMMAND", 2)
        write(dut, "CONTROL", 1)
        assert(!dut.io.endpoint.valid.isOn && read(dut, "ENDPOINT_STATUS") == 0)
      }
    }

    it("shows 48-bit counters in two words each") {
      val random = Seeds.random("ControlRegisters counters")
      test { dut =>
        for ((c, i) <- Counters.all.zipWithIndex) {
          val value = BigInt(48, random)
          dut.io.counterValue.poke(value)
          for ((name, half) <- Seq(TmuRegisters.lo(c) -> 0, TmuRegisters.hi(c) -> 32)) {
            dut.io.axi.araddr.poke(offset(name))
            assert(read(dut, name) == ((value >> half) & 0xffffffffL), c.name)
            assert(dut.io.counter.value == i, c.name)
          }
        }
      }
    }

    it("waits with every access while a snapshot is made") {
      test { dut =>
        dut.io.counting.poke(true)
        dut.io.counterValue.poke(7)
        dut.io.axi.araddr.poke(offset(TmuRegisters.lo(Counters.posts)))
        dut.io.axi.arvalid.poke(true)
        dut.io.axi.rready.poke(true)
        dut.clock.step()
        dut.io.axi.arvalid.poke(false)
        for (_ <- 0 until 90) {
          assert(!dut.io.axi.rvalid.isOn)
          dut.clock.step()
        }
        dut.io.counterValue.poke(8)
        dut.io.counting.poke(false)
        waitFor(dut, "the answer", 8)(dut.io.axi.rvalid.isOn)
        assert(dut.io.axi.rdata.value == 8)
      }
    }

    it("answers with SLVERR and counts: unmapped, misaligned, read-only, partial") {
      test { dut =>
        val constant = map.registers.filter(_.access == Access.ReadOnly).map(_.offset)
        val writes =
          (constant ++ Seq(0x7c, 0xffc, 0x91, 0x3fc, 0x401, 0x400 + 8 * Counters.all.size))
            .map(_ -> 15) :+ (offset("PAGE_SELECT") -> 7)
        var errors = 0
        for ((address, strobe) <- writes)
          assert(
            tryWrite(dut, dut.io.axi, address, 0, strobe) {
              if (dut.io.error.isOn) errors += 1
            } == 2,
            s"address $address"
          )
        assert(errors == writes.size, "each is counted once")
        for (address <- Seq(0x7c, 0xffc, 0x91, 0x402, 0x400 + 8 * Counters.all.size))
          assert(tryRead(dut, dut.io.axi, address)._2 == 2, s"address $address")
      }
    }
  }
}
