# SPDX-License-Identifier: Apache-2.0
"""FrameMerge: frames of two streams on one port, each whole and in its stream's order."""

from itertools import pairwise
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from opentmu.bench import seed
from opentmu.bench.frame_stream import FrameSource, FrameTaker
from opentmu.bench.handshake import reset, start_clock

COUNT = 300


async def send(source: FrameSource, number: int, random: Random) -> None:
    """Frames that say whose they are and how many were before them."""
    for count in range(COUNT):
        size = random.choice((60, 64, 65, 128, random.randrange(60, 1000)))
        await source.send((number << 16 | count).to_bytes(4, "big") * (size // 4))


@cocotb.test()
async def frames_stay_whole(dut: Any) -> None:
    """Beats that are offered stay until they are taken; none of one frame is inside another."""
    random = Random(seed.choose())
    sources = [FrameSource(dut, f"io_in_{number}", random) for number in range(2)]
    taker = FrameTaker(dut, "io_out", random)
    start_clock(dut)
    await reset(dut)
    tasks = [cocotb.start_soon(send(source, n, random)) for n, source in enumerate(sources)]
    offered = None
    while not all(task.done() for task in tasks):
        await RisingEdge(dut.clock)
        now = int(dut.io_out_tdata.value) if dut.io_out_tvalid.value else None
        assert offered in (None, now), "a beat that was offered has changed"
        offered = None if dut.io_out_tready.value else now
    await ClockCycles(dut.clock, 5)
    next_of = [0, 0]
    for frame in taker.frames:
        words = {frame[at : at + 4] for at in range(0, len(frame), 4)}
        assert len(words) == 1
        number, count = divmod(int.from_bytes(words.pop(), "big"), 1 << 16)
        assert count == next_of[number]
        next_of[number] += 1
    assert next_of == [COUNT, COUNT]


@cocotb.test()
async def streams_take_turns(dut: Any) -> None:
    """Frame by frame while both have one, and no clock is empty."""
    sources = [FrameSource(dut, f"io_in_{number}", None) for number in range(2)]
    taker = FrameTaker(dut, "io_out", None)
    start_clock(dut)
    await reset(dut)
    random = Random(seed.choose())
    for number, source in enumerate(sources):
        cocotb.start_soon(send(source, number, random))
    await ClockCycles(dut.clock, 20)
    before = taker.beats
    await ClockCycles(dut.clock, 500)
    assert taker.beats - before == 500
    numbers = [frame[1] for frame in list(taker.frames)[2:-2]]
    assert all(a != b for a, b in pairwise(numbers))
