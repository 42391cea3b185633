# SPDX-License-Identifier: Apache-2.0
"""FrameLoop: a card's frames to itself on one port, all others on another, each stream in order."""

from collections import defaultdict
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from opentmu.bench import seed
from opentmu.bench.frame_stream import FrameSource, FrameTaker
from opentmu.bench.handshake import reset, start_clock

COUNT, ANSWERS, REQUESTS = 300, 0, 1
OWN, OTHER = bytes(6), b"\2\0\0\0\0\1"


class Bench:
    """Both streams, both ports, and pulses that are counted."""

    def __init__(self, dut: Any, random: Random | None) -> None:
        self.dut, self.random = dut, random or Random(seed.choose())
        self.sources = [FrameSource(dut, f"io_{name}", random) for name in ("answers", "requests")]
        self.out = FrameTaker(dut, "io_out", random)
        self.own = FrameTaker(dut, "io_own", random)
        self.dropped, self.ended = [0, 0], [0, 0]
        dut.io_stop.value = 0

    async def start(self) -> None:
        """Reset, and the watch of pulses."""
        start_clock(self.dut)
        await reset(self.dut)
        cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        while True:
            await RisingEdge(self.dut.clock)
            for stream in (ANSWERS, REQUESTS):
                self.dropped[stream] += int(getattr(self.dut, f"io_dropped_{stream}").value)
                self.ended[stream] += int(getattr(self.dut, f"io_ended_{stream}").value)

    async def send(self, stream: int, number: int, *, own: bool, size: int) -> None:
        """A frame that says whose it is; the same addresses make it the card's own."""
        said = (stream << 16 | number).to_bytes(4, "big")
        await self.sources[stream].send((OWN if own else OTHER) + OWN + said * ((size - 12) // 4))

    def numbers(self, taker: FrameTaker) -> dict[int, list[int]]:
        """Frames that came, by stream; each is whole."""
        found: dict[int, list[int]] = defaultdict(list)
        for frame in taker.frames:
            words = {frame[at : at + 4] for at in range(12, len(frame), 4)}
            assert len(words) == 1
            stream, number = divmod(int.from_bytes(words.pop(), "big"), 1 << 16)
            found[stream].append(number)
        return found


@cocotb.test()
async def each_frame_has_its_port(dut: Any) -> None:
    """W6: every frame comes out once where it belongs, in order, or is counted as dropped."""
    random = Random(seed.choose())
    bench = Bench(dut, random)
    await bench.start()
    wanted: dict[tuple[int, bool], list[int]] = defaultdict(list)

    async def run(stream: int) -> None:
        for number in range(COUNT):
            own = random.random() < 0.5
            size = 4 * random.randrange(15, 25 if stream == ANSWERS else 1000)
            wanted[stream, own].append(number)
            await bench.send(stream, number, own=own, size=size)

    tasks = [cocotb.start_soon(run(stream)) for stream in (ANSWERS, REQUESTS)]
    for task in tasks:
        await task
    await ClockCycles(dut.clock, 3000)
    out, own = bench.numbers(bench.out), bench.numbers(bench.own)
    for stream in (ANSWERS, REQUESTS):
        assert out[stream] == wanted[stream, False]
        assert set(own[stream]) <= set(wanted[stream, True])
        assert own[stream] == sorted(own[stream])
        assert len(own[stream]) + bench.dropped[stream] == len(wanted[stream, True])
        assert bench.ended[stream] == COUNT and len(own[stream]) > 20


@cocotb.test()
async def nobody_reads_own_frames(dut: Any) -> None:
    """Streams go on, with frames that are dropped; what was let in comes when it is read."""
    bench = Bench(dut, None)
    await bench.start()
    bench.own.blocked = True
    for number in range(200):
        for stream in (ANSWERS, REQUESTS):
            await bench.send(stream, number, own=number % 2 == 0, size=96 if stream == 0 else 4300)
    await ClockCycles(dut.clock, 10)
    out = bench.numbers(bench.out)
    assert [len(out[stream]) for stream in (ANSWERS, REQUESTS)] == [100, 100]
    assert all(dropped > 10 for dropped in bench.dropped)
    bench.own.blocked = False
    await ClockCycles(dut.clock, 1000)
    own = bench.numbers(bench.own)
    assert [len(own[n]) + bench.dropped[n] for n in (ANSWERS, REQUESTS)] == [100, 100]
    assert dut.io_idle.value


@cocotb.test()
async def a_card_that_stops(dut: Any) -> None:
    """Own frames are dropped from the next one on."""
    bench = Bench(dut, None)
    await bench.start()
    dut.io_stop.value = 1
    for number in range(20):
        for stream in (ANSWERS, REQUESTS):
            await bench.send(stream, number, own=number % 2 == 0, size=300)
    await ClockCycles(dut.clock, 100)
    assert bench.dropped == [10, 10] and not bench.own.frames and len(bench.out.frames) == 20
