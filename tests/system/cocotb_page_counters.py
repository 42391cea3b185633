# SPDX-License-Identifier: Apache-2.0
"""The whole unit, preset tiny: counters as a page shows them, with traffic and under attack."""

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiResp
from opentmu import regs
from opentmu.bench import seed
from opentmu.bench.device import Device
from opentmu.bench.law import Law
from opentmu.bench.page_counters import PageCounters
from opentmu.bench.scoreboard import Scoreboard
from opentmu.bench.traffic import Traffic

PRESET = regs.PRESETS["tiny"]

# Parts of each sum, at every clock.
PARTS = {
    "posts": ["post_matched", "post_queued", "post_refused"],
    "arrivals": ["arrive_matched", "arrive_queued", "arrive_stalled"],
    "cancels": ["cancelled", "cancel_late"],
}


async def started(dut: Any) -> tuple[Device, Traffic]:
    """A device with a ring on every page, and traffic for it."""
    law = Law(PRESET)
    device = Device(dut, Scoreboard(law), seed.current())
    await device.start()
    return device, Traffic(law, seed.current())


def moves(name: str) -> bool:
    """Whether a counter goes on while nothing is asked of the unit."""
    return "clocks" in name or "_idle_" in name


@cocotb.test()
async def r13_every_page_shows_the_counters(dut: Any) -> None:
    """R13: what registers show with privilege, each page shows without, by reads of any size."""
    device, traffic = await started(dut)
    await device.run(traffic.mixed(60))
    page = PageCounters(device.doorbells, 1)
    before = await page.whole()
    assert not any((await page.read() or {}).values()), "the first snapshot is the reset's"
    await page.ask()
    await page.whole(since=before + 2)
    shown = await page.read()
    registers = await device.counters()
    assert shown is not None and list(shown) == list(registers)
    for name, value in registers.items():
        assert value >= shown[name] if moves(name) else value == shown[name], name
    assert shown["posts"] > 0 and shown["clocks"] > 0
    for other in (0, PRESET.queues):
        whole = await device.doorbells.read(
            other * regs.DOORBELL_PAGE_BYTES + regs.DOORBELL_COUNTERS_OFFSET,
            regs.DOORBELL_COUNTER_BYTES * len(shown),
        )
        assert whole.resp == AxiResp.OKAY
        values = memoryview(bytes(whole.data)).cast("Q").tolist()
        assert values == list(shown.values())
    assert registers["doorbell_errors"] == 0
    device.scoreboard.finish()


@cocotb.test()
async def r13_the_snapshot_is_of_one_clock_under_attack(dut: Any) -> None:
    """R13: pages ask all the time; one reads what agrees in itself, verdicts stay the law's."""
    device, traffic = await started(dut)
    names = [name for sum_, parts in PARTS.items() for name in (sum_, *parts)]
    stop = False

    async def attack(page: int) -> None:
        while not stop:
            await PageCounters(device.doorbells, page).ask()

    attackers = [cocotb.start_soon(attack(page)) for page in range(4)]
    run = cocotb.start_soon(device.run(traffic.mixed(300)))
    page = PageCounters(device.doorbells, 5)
    read = 0
    while not run.done():
        shown = await page.read(names)
        if shown is not None:
            read += 1
            for sum_, parts in PARTS.items():
                assert shown[sum_] == sum(shown[part] for part in parts), sum_
        await ClockCycles(dut.clock, device.random.randrange(200))
    await run
    stop = True
    for attacker in attackers:
        await attacker
    assert read > 2, "a snapshot stands long enough to be read"
    device.scoreboard.finish()


@cocotb.test()
async def r14_a_reset_leaves_a_snapshot_of_nothing(dut: Any) -> None:
    """R14: a reset in the middle of a snapshot: none that is half old is ever called whole."""
    device, traffic = await started(dut)
    page = PageCounters(device.doorbells, 0)
    last = await page.whole()
    for rest in (0, 30, 90):
        await device.run(traffic.mixed(10))
        await page.ask()
        await ClockCycles(dut.clock, rest)
        await device.soft_reset()
        law = device.fresh_law()
        traffic = Traffic(law, seed.current() + rest)
        number = await page.whole(since=last + 2)
        assert number > last
        last = number
        assert not any((await page.read() or {"none": 1}).values())
        for one in device.all_pages():
            await device.configure(one, regs.RING_LOG2_MIN)
    await device.run(traffic.mixed(10))
    device.scoreboard.finish()
