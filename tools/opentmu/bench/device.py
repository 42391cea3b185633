# SPDX-License-Identifier: Apache-2.0
"""The whole unit behind its AXI ports: doorbells, rings in host memory, registers.

Pauses are on by default on every channel, so that every handshake is seen waiting.
"""

from collections import deque
from collections.abc import Iterable
from random import Random
from typing import Any

from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiResp

from opentmu import regs
from opentmu.bench.handshake import pauses, reset, start_clock
from opentmu.bench.law import Law, Quota
from opentmu.bench.memory import HostMemory, Ring
from opentmu.bench.ports import Ports
from opentmu.bench.records import Answer, Operation, endpoint_of, pages_of
from opentmu.bench.registers import PATIENCE, REGISTER_BYTES, RegisterPort, bit, soon
from opentmu.bench.scoreboard import Scoreboard
from opentmu.bench.spill_memory import SpillMemory, registered
from opentmu.bench.traffic import Item, Walk
from opentmu.regs import Opcode

RING_AREA = 1 << 24
SHARE_LOG2 = 4


class Device(RegisterPort):
    """Ports, rings and the scoreboard of one TmuTop."""

    def __init__(
        self, dut: Any, scoreboard: Scoreboard, seed: int, *, with_pauses: bool = True
    ) -> None:
        self.dut = dut
        self.scoreboard = scoreboard
        self.preset = scoreboard.law.preset
        self.random = Random(seed)
        self.memory = HostMemory(self._written)
        self.rings: dict[int, Ring] = {}
        self.shares: dict[int, int] = {}
        self.auto_consume = True
        self.unjudged: set[int] = set()  # pages whose answers are not compared, but kept
        self.kept: list[Answer] = []
        self.in_flight = 8
        self.writes: deque[Any] = deque()
        self.spill = SpillMemory(dut.clock, Random(seed), late=with_pauses)
        ports = Ports(dut, self.memory, self.spill)
        super().__init__(ports.registers)
        self.doorbells = ports.doorbells
        if with_pauses:
            for channel in ports.channels():
                channel.set_pause_generator(pauses(Random(self.random.random())))

    async def start(self, log2: int = regs.RING_LOG2_MIN, pages: Iterable[int] = ()) -> None:
        """Reset and open pages: by default two for each endpoint, and the privileged one."""
        start_clock(self.dut)
        await reset(self.dut, 10)
        await self.until_ready()
        for page in pages or self.all_pages():
            await self.configure(page, log2)

    def all_pages(self) -> list[int]:
        """The pages that traffic uses."""
        ends = range(self.preset.endpoints)
        own = {page for endpoint in ends for page in pages_of(self.preset, endpoint)}
        return [*sorted(own), self.preset.queues]

    async def soft_reset(self) -> None:
        """Software's reset; rings are gone afterwards."""
        await self.write("CONTROL", bit("CONTROL", "RESET"))
        await self.until_ready()
        self.rings.clear()

    def fresh_law(self) -> Law:
        """After a reset the law starts again, with nothing queued and no memory."""
        self.spill.segments.clear()
        self.unjudged.clear()
        law = Law(self.preset, spills=self.scoreboard.law.spills)
        self.scoreboard = Scoreboard(law)
        return law

    async def configure(
        self, page: int, log2: int, base: int | None = None, share_log2: int = SHARE_LOG2
    ) -> Ring:
        """Give a page a ring and a share of the slots; one beyond the usual lies at their end."""
        base = (page + 1) * RING_AREA if base is None else base
        await self.write("PAGE_SELECT", page)
        await self.write("RING_BASE_LO", base & 0xFFFFFFFF)
        await self.write("RING_BASE_HI", base >> 32)
        enable = bit("RING_CONFIG", "ENABLE")
        ring = self.rings[page] = Ring(page, base, log2)
        await self.write("RING_CONFIG", log2 | enable)
        await self.write("PAGE_ENDPOINT", endpoint_of(self.preset, page))
        first = self.shares.setdefault(page, len(self.shares) << SHARE_LOG2)
        if share_log2 > SHARE_LOG2:
            first = self.preset.command_slots - (1 << share_log2)
        low, _ = regs.REGISTER_FIELDS["QUEUE_CONFIG"]["LOG2"]
        await self.write("QUEUE_CONFIG", share_log2 << low | first)
        assert await self.commit() == 0, f"page {page} was refused"
        return ring

    async def add_memory(self, segments: int) -> None:
        """Register memory with the unit for queues that outgrow their tables (R11)."""
        for number in range(segments):
            base = self.spill.segment(number)
            await self.write("SPILL_BASE_LO", base & 0xFFFFFFFF)
            await self.write("SPILL_BASE_HI", base >> 32)
            await self.write("SPILL_COMMIT", bit("SPILL_COMMIT", "ADD"))
        assert registered(await self.read("SPILL_STATUS")) == segments

    async def commit(self) -> int:
        """Have the page registers taken over; PAGE_STATUS when that is done."""
        await self.write("PAGE_COMMIT", bit("PAGE_COMMIT", "COMMIT"))
        return await self.until("PAGE_STATUS", "BUSY", on=False)

    async def disable(self, page: int) -> None:
        """Take a page's ring away."""
        await self.write("PAGE_SELECT", page)
        await self.write("RING_CONFIG", 0)
        assert await self.commit() == 0
        del self.rings[page]

    async def set_quota(self, quota: Quota) -> None:
        """Change quotas when all that was submitted is answered."""
        await self.drain()
        self.scoreboard.law.set_quota(quota)
        await self.write("ENDPOINT_SELECT", quota.endpoint)
        await self.write("QUOTA_POSTED", quota.posted)
        await self.write("QUOTA_UNEXPECTED", quota.unexpected)
        await self.write("RESERVE_POSTED", quota.reserve_posted)
        await self.write("RESERVE_UNEXPECTED", quota.reserve_unexpected)
        await self.endpoint_command("SET_QUOTA")

    def ring_doorbell(self, page: int, data: bytes, slot: int | None = None) -> Any:
        """Start a command write; the event's data is the response."""
        slots = regs.DOORBELL_COMMAND_WINDOW_BYTES // regs.DOORBELL_COMMAND_BYTES
        slot = self.random.randrange(slots) if slot is None else slot
        offset = slot * regs.DOORBELL_COMMAND_BYTES
        return self.doorbells.init_write(page * regs.DOORBELL_PAGE_BYTES + offset, data)

    def consume(self, page: int) -> None:
        """Tell the unit how far a page has been read."""
        address = page * regs.DOORBELL_PAGE_BYTES + regs.DOORBELL_CONSUMER_OFFSET
        index = self.rings[page].produced & 0xFFFFFFFF
        self.doorbells.init_write(address, index.to_bytes(REGISTER_BYTES, "little"))

    async def run(self, items: Iterable[Item]) -> None:
        """Submit everything in order and wait for the last answer."""
        for item in items:
            if isinstance(item, Quota):
                await self.set_quota(item)
                continue
            if isinstance(item, Walk):
                await self.walk(item)
                continue
            await self._room(item)
            self.submit(item)
        await self.drain()

    async def walk(self, walk: Walk) -> None:
        """Look at every position of a queue while nothing else is going on."""
        await self.drain()
        self.scoreboard.start_walk()
        for first in range(0, 2 * self.preset.posted_entries, self.in_flight):
            await self.run(walk.inspect(first + n) for n in range(self.in_flight))
            if self.scoreboard.walk_ended:
                break
        self.scoreboard.end_walk(walk.queue, one_stream=False)

    def submit(self, operation: Operation) -> None:
        """Submit one command, in the order of these calls, and expect its answers."""
        self.scoreboard.sent(operation)
        self.writes.append(self.ring_doorbell(operation.page, operation.record()))

    async def drain(self) -> None:
        """Wait until all answers are there; fails when they stop coming."""
        await self._wait(lambda: self.scoreboard.outstanding == 0)
        while self.writes:
            event = self.writes.popleft()
            await soon(event.wait())
            assert event.data.resp == AxiResp.OKAY, f"a command write answered {event.data.resp!r}"

    async def until_quiet(self, page: int) -> None:
        """Wait for the last answer of one page."""
        await self._wait(lambda: self.scoreboard.outstanding_of(page) == 0)

    async def until_kept(self, count: int) -> None:
        """Wait for so many answers that are not compared."""
        await self._wait(lambda: len(self.kept) >= count)

    async def _room(self, operation: Operation) -> None:
        """Wait for room, and until the order of what is in flight is the order of submission."""
        board = self.scoreboard
        await self._wait(lambda: board.outstanding < self.in_flight and not self._races(operation))

    def _races(self, operation: Operation) -> bool:
        """Whether another page has something in flight that could come before or after it.

        Between pages there is no order: only what cannot meet may be in flight together.
        """
        board, law = self.scoreboard, self.scoreboard.law
        rivals = board.outstanding_elsewhere(operation.page)
        if not rivals:
            return False
        full = [self.preset.posted_entries, self.preset.unexpected_entries]
        nearly = not law.spills and any(
            len(table) + self.in_flight >= most
            for table, most in zip(law.tables.values(), full, strict=True)
        )
        looks = operation.opcode == Opcode.INSPECT
        endpoint = operation.target(self.preset)
        return (
            nearly
            or looks
            or any(one.opcode == Opcode.INSPECT or one.endpoint == endpoint for one in rivals)
        )

    async def _wait(self, done: Any) -> None:
        waited, before = 0, -1
        while not done():
            heard = self.scoreboard.compared + len(self.kept)
            waited = 0 if heard != before else waited + 1
            before = heard
            self._check()
            if waited > PATIENCE:
                self.scoreboard.finish()
                raise TimeoutError("no answer comes any more")
            await RisingEdge(self.dut.clock)
        self._check()

    def _check(self) -> None:
        for failure in (self.memory.failure, self.spill.failure):
            if failure is not None:
                raise failure

    def _written(self, address: int, data: bytes) -> None:
        """A completion came into memory: it has to be the next one of a ring."""
        for page, ring in self.rings.items():
            if ring.holds(address):
                ring.take(address, data)
                answer = Answer.of_completion(data)
                if page in self.unjudged:
                    self.kept.append(answer)
                else:
                    self.scoreboard.received(page, answer)
                if self.auto_consume and (ring.unread >= ring.size // 2):
                    self.consume(page)
                    ring.read()
                return
        raise AssertionError(f"a write to {address:#x}, which is in no ring")
