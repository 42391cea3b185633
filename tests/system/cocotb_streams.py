# SPDX-License-Identifier: Apache-2.0
"""The whole unit, preset tiny: counters of its streams against a count of their handshakes."""

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles
from opentmu import regs
from opentmu.bench import seed
from opentmu.bench.device import SHARE_LOG2, Device
from opentmu.bench.law import Law
from opentmu.bench.scoreboard import Scoreboard
from opentmu.bench.streams import Streams
from opentmu.bench.traffic import ALL_WILD, Traffic

PRESET = regs.PRESETS["tiny"]
RING_LOG2 = 12  # more than all that is ever answered, a flush's reports included
MIX = {"post": 6.0, "arrive": 6.0, "probe": 1.0, "claim": 0.5, "cancel": 1.0, "flush": 0.02}


async def compare(dut: Any, operations: int, *, with_pauses: bool) -> dict[str, int]:
    """Run traffic with queues in memory; every snapshot in it and after it has to be right."""
    law = Law(PRESET, spills=True)
    device = Device(dut, Scoreboard(law), seed.current(), with_pauses=with_pauses)
    device.in_flight = 1 << SHARE_LOG2
    streams = Streams(dut)
    await device.start(RING_LOG2)
    await device.add_memory(2)
    traffic = Traffic(law, seed.current())
    ended = False

    async def snapshots() -> int:
        taken = 0
        while not ended:
            await check(device, streams)
            taken += 1
        return taken

    amid = cocotb.start_soon(snapshots())
    await device.run(traffic.mixed(operations, keys=14, wild=ALL_WILD, mix=MIX, inspect=False))
    ended = True
    assert await amid > 1, "no snapshot amid the traffic"
    device.scoreboard.finish()
    await ClockCycles(dut.clock, 2 * regs.STREAM_IDLE_FROM[-1])
    await device.run(traffic.empty_all())
    found = await check(device, streams)
    commands, answers = device.scoreboard.compared, sum(r.produced for r in device.rings.values())
    assert found["completions"] == answers >= commands >= found["commands"] >= operations
    return found


async def check(device: Device, streams: Streams) -> dict[str, int]:
    """A snapshot whose every figure of a stream is that of the handshakes up to its clock."""
    found = await device.counters()
    expected = streams.expected(found["clocks"])
    assert {name: found[name] for name in expected} == expected
    return found


@cocotb.test()
async def with_pauses(dut: Any) -> None:
    """Every handshake waits at times, so that there are clocks and idle runs of every kind."""
    found = await compare(dut, 1000, with_pauses=True)
    for active, stalled, _ in regs.STREAMS.values():
        assert found[active] > 0 and found[stalled] > 0, f"{active}: this traffic tested nothing"
    for runs in zip(*(idle for _, _, idle in regs.STREAMS.values()), strict=True):
        assert any(found[run] > 0 for run in runs), f"{runs}: this traffic tested nothing"


@cocotb.test()
async def without_pauses(dut: Any) -> None:
    """Full speed: runs of transfers without a clock between them."""
    await compare(dut, 500, with_pauses=False)
