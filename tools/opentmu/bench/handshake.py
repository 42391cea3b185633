# SPDX-License-Identifier: Apache-2.0
"""Ready/valid ports of single blocks, with random pauses unless they are switched off."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge

Values = dict[str, int]
PERIOD_NS = 10


def pauses(random: Random) -> Iterator[bool]:
    """Whether to pause, clock by clock: spells of full speed, of bursts, and of long waits."""
    while True:
        share = random.choice((0.0, 0.0, 0.3, 0.9))
        for _ in range(random.randrange(1, 60)):
            yield random.random() < share


def start_clock(dut: Any) -> None:
    """Let the clock run for the whole test."""
    Clock(dut.clock, PERIOD_NS, unit="ns").start()


async def reset(dut: Any, clocks: int = 3) -> None:
    """Hold the reset for some clocks."""
    dut.reset.value = 1
    await ClockCycles(dut.clock, clocks)
    dut.reset.value = 0
    await RisingEdge(dut.clock)


def set_all(dut: Any, prefix: str, values: Mapping[str, int]) -> None:
    """Drive the port's fields that this block has; a pruned one has no signal."""
    for name, value in values.items():
        signal = getattr(dut, f"{prefix}_{name}", None)
        if signal is not None:
            signal.value = value


async def count_events(dut: Any, counts: Counter[int]) -> None:
    """Count what the block gives at `io_counted`, clock by clock, for the whole test."""
    while True:
        await RisingEdge(dut.clock)
        if dut.io_counted_valid.value:
            counts[int(dut.io_counted_bits.value)] += 1


class Port:
    """The fields of one port: every signal that starts with its prefix."""

    def __init__(self, dut: Any, prefix: str, random: Random | None) -> None:
        self.dut = dut
        self.prefix = prefix
        self.clock = dut.clock
        self.valid = getattr(dut, f"{prefix}_valid")
        self.ready = getattr(dut, f"{prefix}_ready", None)
        self.pauses = None if random is None else pauses(random)
        start = f"{prefix}_bits"
        names = [n for n in dir(dut) if n.startswith(start)]
        self.fields = {n.removeprefix(start).removeprefix("_"): getattr(dut, n) for n in names}

    def sample(self) -> Values:
        """The fields now."""
        return {name: int(signal.value) for name, signal in self.fields.items()}

    def pausing(self) -> bool:
        """Whether the port rests in this clock."""
        return self.pauses is not None and next(self.pauses)


class Source(Port):
    """Sends into the block, one after the other."""

    def __init__(self, dut: Any, prefix: str, random: Random | None) -> None:
        super().__init__(dut, prefix, random)
        self.valid.value = 0

    async def send(self, **values: int) -> None:
        """Offer these fields until they are taken; fields without a signal are dropped."""
        while self.pausing():
            await RisingEdge(self.clock)
        for name, value in values.items():
            if name in self.fields:
                self.fields[name].value = value
        self.valid.value = 1
        await RisingEdge(self.clock)
        while self.ready is not None and not self.ready.value:
            await RisingEdge(self.clock)
        self.valid.value = 0


class Sink(Port):
    """Takes what the block sends and hands it to `take`, or keeps it in `taken`."""

    def __init__(
        self,
        dut: Any,
        prefix: str,
        random: Random | None,
        take: Callable[[Values], None] | None = None,
    ) -> None:
        super().__init__(dut, prefix, random)
        self.taken: deque[Values] = deque()
        self.take = take or self.taken.append
        self.blocked = False
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        while True:
            open_now = not self.blocked and not self.pausing()
            if self.ready is not None:
                self.ready.value = int(open_now)
            await RisingEdge(self.clock)
            taken = self.valid.value and (self.ready is None or open_now)
            if taken and not self.dut.reset.value:
                self.take(self.sample())

    async def get(self, within: int = 2000) -> Values:
        """The next thing that came; fails when nothing comes in so many clocks."""
        for _ in range(within):
            if self.taken:
                return self.taken.popleft()
            await RisingEdge(self.clock)
        raise TimeoutError(f"nothing came out of {self.prefix} in {within} clocks")
