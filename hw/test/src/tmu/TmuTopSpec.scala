// SPDX-License-Identifier: Apache-2.0
package tmu

import tmu.host.{Beat, CommandRecord, DoorbellDriver, RegisterDriver}
import tmu.layout.{Code, CommandLayout, CompletionLayout, KeyLayout, Opcodes, Statuses, WordField}
import tmu.params.Presets
import tmu.registers.{Counter, Counters, TmuRegisters}

/** The whole unit through its three buses, as a driver uses it. */
class TmuTopSpec extends DeviceSpec with DoorbellDriver with RegisterDriver {
  import CompletionLayout._
  private val p = Presets.tiny.unit
  private val top = device(new TmuTop(p))
  private val map = TmuRegisters.map(p)
  private val privileged = p.privilegedPage

  private case class Completion(address: BigInt, record: BigInt) {
    def apply(f: WordField): BigInt =
      (record >> (64 * f.word + f.low)) & ((BigInt(1) << f.width) - 1)
    def is(code: Code): Boolean = this(status) == code.value
  }

  private class Card(dut: TmuTop) {
    private val ids = Iterator.from(1)
    quiet(dut.io.s_axi)
    quietRegisters(dut.io.s_axil)
    dut.io.s_axi.bready.poke(true)
    private val memory = dut.io.m_axi
    Seq(memory.awready, memory.wready, memory.bvalid).foreach(_.poke(false))
    memory.bresp.poke(0)
    private val spill = dut.io.m_axi_mem
    Seq(spill.awready, spill.wready, spill.bvalid, spill.arready, spill.rvalid)
      .foreach(_.poke(false))
    waitReady()

    private def offset(name: String): Int = map(name).offset
    def read(name: String): BigInt = readRegister(dut, dut.io.s_axil, offset(name))
    def write(name: String, data: BigInt): Unit =
      writeRegister(dut, dut.io.s_axil, offset(name), data)
    def waitReady(): Unit = waitFor(dut, "readiness", limit = 100)((read("STATUS") & 1) == 1)
    def counter(c: Counter): BigInt = read(TmuRegisters.lo(c))

    /** Opens a page for an endpoint, with a ring of 256 and 4 command slots. */
    def enable(page: Int): Unit = enable(page, page % p.endpoints)
    def enable(page: Int, endpoint: Int): Unit = {
      write("PAGE_SELECT", page)
      write("PAGE_ENDPOINT", endpoint)
      write("QUEUE_CONFIG", (2 << 16) | (4 * page))
      write("RING_BASE_LO", 0x10000 * (page + 1))
      write("RING_BASE_HI", 1)
      write("RING_CONFIG", 0x100 | 8)
      write("PAGE_COMMIT", 1)
      waitFor(dut, "the page", limit = 100)(read("PAGE_STATUS") == 0)
    }

    def send(page: Int, code: Code, fields: (WordField, BigInt)*): Unit = {
      offerHead(dut.io.s_axi, 4096 * page, 1, 0)
      waitFor(dut, "the head's acceptance")(dut.io.s_axi.awready.isOn)
      dut.clock.step()
      dut.io.s_axi.awvalid.poke(false)
      offerBeat(dut.io.s_axi, Beat(CommandRecord(code, fields: _*)), last = true)
      waitFor(dut, "the beat's acceptance")(dut.io.s_axi.wready.isOn)
      dut.clock.step()
      dut.io.s_axi.wvalid.poke(false)
    }

    /** The next completion in host memory, answered. */
    def completion(): Completion = {
      waitFor(dut, "a completion")(memory.awvalid.isOn && memory.wvalid.isOn)
      val seen = Completion(memory.awaddr.value, memory.wdata.value)
      memory.awready.poke(true)
      memory.wready.poke(true)
      dut.clock.step()
      memory.awready.poke(false)
      memory.wready.poke(false)
      memory.bvalid.poke(true)
      dut.clock.step()
      memory.bvalid.poke(false)
      seen
    }
    def ask(page: Int, code: Code, fields: (WordField, BigInt)*): Completion = {
      send(page, code, fields: _*)
      completion()
    }
    def post(page: Int, key: BigInt, n: Int): Completion = ask(
      page,
      Opcodes.post,
      KeyLayout.matchBits.value -> key,
      KeyLayout.source.value -> BigInt(4),
      CommandLayout.handle -> BigInt(n),
      CommandLayout.address -> BigInt(0x5000 + n),
      CommandLayout.length -> BigInt(100),
      CommandLayout.receiveId -> BigInt(ids.next())
    )
    def arrive(page: Int, key: BigInt, n: Int, bytes: Int): Completion = ask(
      page,
      Opcodes.arrive,
      KeyLayout.matchBits.value -> key,
      KeyLayout.source.value -> BigInt(4),
      CommandLayout.handle -> BigInt(n),
      CommandLayout.address -> BigInt(0x9000 + n),
      CommandLayout.length -> BigInt(bytes)
    )

    /** Nothing is written to host memory for a while. */
    def silent(clocks: Int): Unit = for (_ <- 0 until clocks) {
      assert(!memory.awvalid.isOn && !memory.wvalid.isOn)
      dut.clock.step()
    }
  }

  private def test(body: Card => Unit): Unit = top.run(dut => body(new Card(dut)))
  private val key = BigInt("0000000700000009", 16)

  describe("TmuTop") {
    it("R3, R6, R12, R15: a posted receive is matched by its message, in its page's ring") {
      test { card =>
        card.enable(1)
        val queued = card.post(1, key, 77)
        assert(queued.is(Statuses.queued) && queued(serial) == 0 && queued(phase) == 1)
        assert(queued.address == (BigInt(1) << 32) + 0x20000)
        val matched = card.arrive(1, key, 88, bytes = 101)
        assert(matched.is(Statuses.matched) && matched(serial) == 1)
        assert(matched.address == (BigInt(1) << 32) + 0x20040)
        assert(
          matched(handle) == 88 && matched(other) == 77 && matched(
            KeyLayout.matchBits.completed
          ) == key
        )
        assert(
          matched(KeyLayout.source.completed) == 4 && matched(endpoint) == 1 && matched(
            truncated
          ) == 1
        )
        assert(matched(messageLength) == 101 && matched(receiveLength) == 100)
        assert(matched(CompletionLayout.address) == 0x5000 + 77)
        assert(matched(unitLatency) > 0 && matched(hostLatency) >= matched(unitLatency))
      }
    }

    it("R13: the endpoint is the page's; only the privileged page may name one and inspect") {
      test { card =>
        card.enable(0)
        card.enable(privileged)
        val named = card.ask(0, Opcodes.probe, CommandLayout.endpoint -> BigInt(3))
        assert(named.is(Statuses.none) && named(endpoint) == 0)
        card.post(0, key, 5)
        assert(card.ask(privileged, Opcodes.inspect).is(Statuses.vacant))
        val youngest = CommandLayout.address -> BigInt(p.arrayEntries - 1)
        val seen = card.ask(privileged, Opcodes.inspect, youngest)
        assert(seen.is(Statuses.entry) && seen(other) == 5 && seen(endpoint) == 0)
        assert(card.ask(0, Opcodes.inspect).is(Statuses.refusedPrivilege))
        val absent =
          card.ask(privileged, Opcodes.flush, CommandLayout.endpoint -> BigInt(p.endpoints))
        assert(absent.is(Statuses.refusedEndpoint) && absent(endpoint) == p.endpoints)
      }
    }

    it("R13: answers a malformed command, drops one of a page without a ring, counts both") {
      test { card =>
        card.enable(2)
        card.send(3, Opcodes.probe)
        card.silent(40)
        assert(
          card.ask(2, Opcodes.cancel, KeyLayout.source.value -> BigInt(1)).is(Statuses.malformed)
        )
        card.write("CONTROL", 2)
        assert(card.counter(Counters.disabledDrops) == 1)
        assert(card.counter(Counters.malformed) == 1)
        assert(card.counter(Counters.cancels) == 0)
      }
    }

    it("R11: quotas and depths of an endpoint go through the registers") {
      test { card =>
        card.enable(1)
        card.write("ENDPOINT_SELECT", 1)
        card.write("QUOTA_POSTED", 1)
        card.write("ENDPOINT_COMMAND", 1)
        assert(card.post(1, key, 1).is(Statuses.queued))
        assert(card.post(1, key, 2).is(Statuses.refusedQuota))
        card.write("ENDPOINT_COMMAND", 2)
        assert(card.read("ENDPOINT_STATUS") == 0)
        assert(card.read("DEPTH_POSTED") == 1 && card.read("DEPTH_UNEXPECTED") == 0)
      }
    }

    it("R14: a reset empties queues, rings and counters; then all starts again") {
      test { card =>
        card.enable(1)
        card.post(1, key, 1)
        card.write("CONTROL", 1)
        card.waitReady()
        card.send(1, Opcodes.probe)
        card.silent(40)
        card.enable(1)
        val arrived = card.arrive(1, key, 2, bytes = 8)
        assert(arrived.is(Statuses.queued) && arrived(serial) == 0 && arrived(phase) == 1)
        assert(arrived.address == (BigInt(1) << 32) + 0x20000)
        card.write("CONTROL", 2)
        assert(card.counter(Counters.posts) == 0 && card.counter(Counters.arrivals) == 1)
      }
    }
  }
}
