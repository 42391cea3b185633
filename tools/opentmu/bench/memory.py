# SPDX-License-Identifier: Apache-2.0
"""Host memory as the unit sees it, and the completion rings in it."""

from collections.abc import Callable

from opentmu import regs
from opentmu.bench.records import BYTES, unpack


class BrokenMemory(Exception):
    """Makes the memory port answer with an error."""


class HostMemory:
    """Takes the unit's writes; the next `broken` ones arrive and are answered with an error."""

    def __init__(
        self,
        written: Callable[[int, bytes], None],
        reading: Callable[[int, int], bytes] | None = None,
    ) -> None:
        self.written = written
        self.reading = reading
        self.broken = 0
        self.refused = 0
        self.failure: BaseException | None = None

    async def read(self, address: int, length: int) -> bytes:
        """A beat of one read; errors are kept too."""
        try:
            assert self.reading is not None, f"a read at {address:#x}"
            return self.reading(address, length)
        except BaseException as error:
            self.failure = self.failure or error
            raise

    async def write(self, address: int, data: bytes) -> None:
        """One write of the unit; errors of the bench are kept, for the port would swallow them."""
        try:
            self.written(address, bytes(data))
        except BaseException as error:
            self.failure = self.failure or error
            raise
        if self.broken:
            self.broken -= 1
            self.refused += 1
            raise BrokenMemory(f"memory at {address:#x} is broken")


class Ring:
    """A page's completion ring: where the next completion has to be and with which phase."""

    def __init__(self, page: int, base: int, log2: int) -> None:
        self.page = page
        self.base = base
        self.log2 = log2
        self.size = 1 << log2
        self.produced = 0
        self.consumed = 0

    @property
    def unread(self) -> int:
        """Completions that the owner has not told to have read."""
        return self.produced - self.consumed

    def holds(self, address: int) -> bool:
        """Whether an address lies in this ring."""
        return self.base <= address < self.base + self.size * BYTES

    def take(self, address: int, data: bytes) -> None:
        """The next completion; fails on a wrong address, size or phase, and on an overrun (R11)."""
        slot = self.produced % self.size
        expected = self.base + slot * BYTES
        assert address == expected, (
            f"page {self.page}: completion {self.produced} at {address:#x}, expected {expected:#x}"
        )
        phase = unpack(regs.COMPLETION_FIELDS, data)["phase"]
        lap = self.produced >> self.log2
        assert phase == (lap + 1) % 2, f"page {self.page}: phase {phase} in lap {lap}"
        assert self.unread < self.size, f"page {self.page}: an unread completion is overwritten"
        self.produced += 1

    def read(self) -> None:
        """The owner has read all that is there."""
        self.consumed = self.produced
