# SPDX-License-Identifier: Apache-2.0
"""The surroundings of a CompletionWriter: its page table, and memory."""

from collections import deque
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from opentmu import regs
from opentmu.bench import seed
from opentmu.bench.handshake import Source, pauses, reset, start_clock
from opentmu.bench.memory import Ring
from opentmu.bench.records import BYTES

OKAY, SLAVE_ERROR = 0, 2
INDICES = 2 << regs.RING_LOG2_MAX  # indices of rings count modulo twice the largest
ADDRESS_UNIT = BYTES.bit_length() - 1


class Writer:
    """The block with a page table and a memory around it."""

    def __init__(self, dut: Any, pages: dict[int, Ring]) -> None:
        self.dut = dut
        self.random = Random(seed.current())
        self.rings = pages
        self.producers = dict.fromkeys(pages, 0)
        self.finals = dict.fromkeys(pages, 0)
        self.consumers = dict.fromkeys(pages, 0)
        self.written: deque[tuple[int, bytes]] = deque()
        self.disabled: set[int] = set()
        self.refuse = 0
        self.errors = 0
        dut.io_discard.value = dut.io_now.value = dut.io_axi_bvalid.value = 0
        dut.io_hold.value = dut.io_fence.value = 0
        dut.io_configured.value = dut.io_patience.value = dut.io_disable_ready.value = 0
        self.verdicts = Source(dut, "io_verdict", self.random)
        for work in (self._page_table(), self._channels(), self._clock_count()):
            cocotb.start_soon(work)

    async def start(self) -> None:
        """Reset."""
        start_clock(self.dut)
        await reset(self.dut)

    async def next(self, within: int = 3000) -> tuple[int, bytes]:
        """The next write into memory."""
        for _ in range(within):
            if self.written:
                return self.written.popleft()
            await RisingEdge(self.dut.clock)
        raise TimeoutError(f"no completion in {within} clocks")

    async def _clock_count(self) -> None:
        while True:
            await RisingEdge(self.dut.clock)
            self.dut.io_now.value = (int(self.dut.io_now.value) + 1) & 0xFFFFFFFF

    async def _page_table(self) -> None:
        """Answers in the next clock with what was there before any write of the same clock."""
        dut = self.dut
        while True:
            await RisingEdge(dut.clock)
            if dut.reset.value:
                continue
            page = int(dut.io_ringRead.value)
            if page in self.rings:  # what is offered without being valid has any page
                ring = self.rings[page]
                dut.io_ring_config_enable.value = int(page not in self.disabled)
                dut.io_ring_config_log2.value = ring.log2
                dut.io_ring_config_base.value = ring.base >> ADDRESS_UNIT
                dut.io_ring_position_producer.value = self.producers[page]
                dut.io_ring_position_finals.value = self.finals[page]
                dut.io_ring_limit.value = (self.consumers[page] + ring.size) % INDICES
            if dut.io_moved_valid.value:
                page = int(dut.io_moved_bits_page.value)
                self.producers[page] = int(dut.io_moved_bits_position_producer.value)
                self.finals[page] = int(dut.io_moved_bits_position_finals.value)

    async def _channels(self) -> None:
        """Address and data channels that pause independently, and answers in order."""
        dut, rest = self.dut, [pauses(self.random) for _ in range(3)]
        addresses: deque[int] = deque()
        data: deque[bytes] = deque()
        owed: deque[int] = deque()
        while True:
            dut.io_axi_awready.value = aw = int(not next(rest[0]))
            dut.io_axi_wready.value = w = int(not next(rest[1]))
            b = int(bool(owed) and not next(rest[2]))
            dut.io_axi_bvalid.value = b
            dut.io_axi_bresp.value = owed[0] if owed else OKAY
            await RisingEdge(dut.clock)
            if dut.reset.value:
                continue
            self.errors += int(dut.io_error.value)
            if b:
                owed.popleft()
            if aw and dut.io_axi_awvalid.value:
                addresses.append(int(dut.io_axi_awaddr.value))
            if w and dut.io_axi_wvalid.value:
                data.append(int(dut.io_axi_wdata.value).to_bytes(BYTES, "little"))
            if addresses and data:
                self.written.append((addresses.popleft(), data.popleft()))
                self.refuse, bad = max(0, self.refuse - 1), self.refuse > 0
                owed.append(SLAVE_ERROR if bad else OKAY)
