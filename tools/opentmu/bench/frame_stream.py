# SPDX-License-Identifier: Apache-2.0
"""The Ethernet side of the card in a bench: AXI4-Stream of 512 bits."""

from collections import deque
from collections.abc import Iterator
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from opentmu.bench.handshake import pauses

BEAT = 64


def beats(frame: bytes) -> Iterator[tuple[int, int, int]]:
    """Data, keep and last of each beat; a frame without bytes has one beat without bytes."""
    for at in range(0, max(1, len(frame)), BEAT):
        piece = frame[at : at + BEAT]
        yield int.from_bytes(piece, "little"), (1 << len(piece)) - 1, int(at + BEAT >= len(frame))


class FrameSource:
    """Sends frames into `PREFIX_t*`; counts them and the clocks in which it was held up."""

    def __init__(self, dut: Any, prefix: str, random: Random | None) -> None:
        self.clock = dut.clock
        self.data, self.keep, self.last, self.user, self.valid, self.ready = (
            getattr(dut, f"{prefix}_t{name}")
            for name in ("data", "keep", "last", "user", "valid", "ready")
        )
        self.pauses = None if random is None else pauses(random)
        self.valid.value = 0
        self.waits = 0
        self.frames = 0

    async def beat(self, data: int, keep: int, last: int, bad: int = 0) -> None:
        """Offer one beat until it is taken."""
        while self.pauses is not None and next(self.pauses):
            await RisingEdge(self.clock)
        self.data.value = data
        self.keep.value = keep
        self.last.value = last
        self.user.value = bad
        self.valid.value = 1
        await RisingEdge(self.clock)
        while not self.ready.value:
            self.waits += 1
            await RisingEdge(self.clock)
        self.valid.value = 0

    async def send(self, frame: bytes, *, bad: bool = False) -> None:
        """One frame, beat by beat; a bad one is called so in its last beat."""
        self.frames += 1
        for data, keep, last in beats(frame):
            await self.beat(data, keep, last, int(bad and last))


class FrameTaker:
    """Takes frames from `PREFIX_t*`; counts the beats."""

    def __init__(self, dut: Any, prefix: str, random: Random | None) -> None:
        self.dut = dut
        self.data, self.keep, self.last, self.user, self.valid, self.ready = (
            getattr(dut, f"{prefix}_t{name}")
            for name in ("data", "keep", "last", "user", "valid", "ready")
        )
        self.pauses = None if random is None else pauses(random)
        self.frames: deque[bytes] = deque()
        self.beats = 0
        self.blocked = False
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        data = b""
        while True:
            rests = self.blocked or (self.pauses is not None and next(self.pauses))
            self.ready.value = int(not rests)
            await RisingEdge(self.dut.clock)
            if rests or self.dut.reset.value or not self.valid.value:
                continue
            self.beats += 1
            keep, last = int(self.keep.value), self.last.value
            count = keep.bit_length()
            assert keep == (1 << count) - 1 and (last or count == BEAT)
            assert self.user.value == 0
            data += int(self.data.value).to_bytes(BEAT, "little")[:count]
            if last:
                self.frames.append(data)
                data = b""
