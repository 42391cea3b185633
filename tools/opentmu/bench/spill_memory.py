# SPDX-License-Identifier: Apache-2.0
"""Memory that is registered with the unit for queues that outgrow their tables (R11).

It is full of what was there before, answers late, and writes late: a read that overtakes a write
finds what the write has not changed yet.
"""

from random import Random
from typing import Any

from cocotb.triggers import ClockCycles

from opentmu import regs
from opentmu.bench.memory import BrokenMemory

PAGE_BYTES = 4096
SEGMENT_BYTES = 2 << 20
AREA = 0x25 << 52
STRIDE = 3 << 22
LATEST = 40


class SpillMemory:
    """Takes what the unit writes into registered segments; a word elsewhere is a failure."""

    def __init__(self, clock: Any, random: Random, *, late: bool) -> None:
        self.clock = clock
        self.random = random
        self.late = late
        self.segments: list[int] = []
        self.pages: dict[int, bytearray] = {}
        self.broken_reads = 0
        self.broken_writes = 0
        self.refused = 0
        self.failure: BaseException | None = None

    def segment(self, number: int) -> int:
        """Address of a segment, of which the unit may use all from now on."""
        base = AREA - number * STRIDE
        self.segments.append(base)
        return base

    async def read(self, address: int, length: int) -> bytes:
        """One beat of a burst."""
        page = self._page(address, length)
        await self._wait()
        if self.broken_reads:
            self.broken_reads -= 1
            self._refuse(address)
        at = address % PAGE_BYTES
        return bytes(page[at : at + length])

    async def write(self, address: int, data: bytes) -> None:
        """One write; it is there when it is answered, and not long before."""
        page = self._page(address, len(data))
        await self._wait()
        if self.broken_writes:
            self.broken_writes -= 1
            self._refuse(address)
        at = address % PAGE_BYTES
        page[at : at + len(data)] = data

    def _page(self, address: int, length: int) -> bytearray:
        base = address - address % PAGE_BYTES
        inside = any(one <= base < one + SEGMENT_BYTES for one in self.segments)
        if not inside or address + length > base + PAGE_BYTES:
            self.failure = self.failure or AssertionError(
                f"{length} bytes at {address:#x} lie outside of the registered segments"
            )
        if base not in self.pages:
            self.pages[base] = bytearray(self.random.randbytes(PAGE_BYTES))
        return self.pages[base]

    async def _wait(self) -> None:
        if self.late and self.random.random() < 1 / 16:
            await ClockCycles(self.clock, self.random.randrange(1, LATEST))

    def _refuse(self, address: int) -> None:
        self.refused += 1
        raise BrokenMemory(f"memory at {address:#x} is broken")


def registered(status: int) -> int:
    """Segments that SPILL_STATUS tells of."""
    low, width = regs.REGISTER_FIELDS["SPILL_STATUS"]["SEGMENTS"]
    return status >> low & ((1 << width) - 1)
