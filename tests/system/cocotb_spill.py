# SPDX-License-Identifier: Apache-2.0
"""The whole unit, preset tiny, with memory registered: queues far deeper than the tables (R11)."""

from collections.abc import Iterable
from typing import Any

import cocotb
from opentmu import regs
from opentmu.bench import campaigns, seed
from opentmu.bench.device import Device
from opentmu.bench.law import Law
from opentmu.bench.scoreboard import Scoreboard
from opentmu.bench.spill_memory import PAGE_BYTES, SEGMENT_BYTES, registered
from opentmu.bench.traffic import ALL_WILD, Item, Traffic

PRESET = regs.PRESETS["tiny"]
DEEP = 3 * PRESET.posted_entries


async def started(dut: Any, segments: int = 2) -> tuple[Device, Traffic]:
    """A device with its pages open and memory registered, and traffic for it."""
    law = Law(PRESET, spills=True)
    device = Device(dut, Scoreboard(law), seed.current())
    await device.start()
    await device.add_memory(segments)
    return device, Traffic(law, seed.current())


async def play(device: Device, items: Iterable[Item]) -> dict[str, int]:
    """Run all traffic, see the memory freed, and the counters."""
    await device.run(items)
    device.scoreboard.finish()
    return await device.counters()


@cocotb.test()
async def r11_deep_receives(dut: Any) -> None:
    """R3, R10, R11: receives in memory, met and cancelled in every order."""
    device, traffic = await started(dut)
    counters = await play(device, campaigns.deep_receives(traffic, DEEP))
    assert counters["spill_appended"] > DEEP and counters["spill_refilled"] > 0
    assert counters["posted_depth_max"] >= DEEP - device.in_flight
    assert counters["spill_errors"] == 0


@cocotb.test()
async def r11_deep_messages(dut: Any) -> None:
    """R4, R8, R9, R11: messages in memory, taken by posts and claims in every order."""
    device, traffic = await started(dut)
    counters = await play(device, campaigns.deep_messages(traffic, DEEP))
    assert counters["spill_taken"] > 0 and counters["spill_errors"] == 0


@cocotb.test()
async def r11_everything_at_random_beyond_the_tables(dut: Any) -> None:
    """R1 to R15: random traffic, so many that both queues lie in memory, wildcards and flushes."""
    device, traffic = await started(dut)
    mix = {"post": 6.0, "arrive": 6.0, "probe": 1.0, "claim": 0.5, "cancel": 1.0, "flush": 0.02}
    counters = await play(
        device, traffic.mixed(1500, keys=14, wild=ALL_WILD, mix=mix, inspect=False)
    )
    assert counters["spill_deferred"] > 0
    await play(device, traffic.empty_all())
    chunks = registered(await device.read("SPILL_STATUS")) * SEGMENT_BYTES // PAGE_BYTES
    assert await device.read("SPILL_FREE") == chunks, "R14: a flush leaves memory in use"
