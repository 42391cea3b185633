# SPDX-License-Identifier: Apache-2.0
"""The whole unit, preset tiny, through its AXI ports: traffic judged by the law (R1 to R15)."""

from collections.abc import Callable, Iterable
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles
from opentmu import regs
from opentmu.bench import campaigns, seed
from opentmu.bench.coverage import Coverage
from opentmu.bench.device import Device
from opentmu.bench.law import Law
from opentmu.bench.records import Operation
from opentmu.bench.scoreboard import Scoreboard
from opentmu.bench.traffic import ALL_WILD, Item, Traffic
from opentmu.regs import Opcode

PRESET = regs.PRESETS["tiny"]
KEY = {"match": 5, "source": 5}


async def started(dut: Any, *, with_pauses: bool = True) -> tuple[Device, Traffic]:
    """A device with a ring on every page, and traffic for it."""
    law = Law(PRESET)
    board = Scoreboard(law, Coverage(law))
    device = Device(dut, board, seed.current(), with_pauses=with_pauses)
    await device.start()
    return device, Traffic(law, seed.current())


async def play(dut: Any, make: Callable[[Traffic], Iterable[Item]]) -> Device:
    """Run one kind of traffic to its end."""
    device, traffic = await started(dut)
    await device.run(make(traffic))
    device.scoreboard.finish()
    return device


@cocotb.test()
async def random_traffic_on_all_pages(dut: Any) -> None:
    """R1 to R15: everything at random, own pages and the privileged one."""
    await play(dut, lambda t: t.mixed(500))


@cocotb.test()
async def wildcard_heavy_traffic(dut: Any) -> None:
    """R2, R3, R4: most receives and searches with wildcards."""
    await play(dut, lambda t: t.mixed(300, keys=2, wild=ALL_WILD))


@cocotb.test()
async def r11_full_tables(dut: Any) -> None:
    """R11: both tables full; what is refused changes nothing."""

    def traffic(t: Traffic) -> Iterable[Item]:
        yield from campaigns.full_tables(t)
        yield from campaigns.quotas(t, 80)

    await play(dut, traffic)


@cocotb.test()
async def r13_bad_commands_are_answered_and_counted(dut: Any) -> None:
    """R13: every kind of bad command among good ones, byte for byte through the decoder."""
    device = await play(dut, campaigns.bad_commands)
    counters = await device.counters()
    for name in ("malformed", "refused_endpoint", "refused_privilege"):
        assert counters[name] > 0
    expected = device.scoreboard.law.counters()
    assert {name: counters[name] for name in expected} == expected


@cocotb.test()
async def r14_flush_and_walk(dut: Any) -> None:
    """R14: flushes of endpoints and contexts; inspection agrees before and after."""

    def traffic(t: Traffic) -> Iterable[Item]:
        yield from campaigns.flushes(t)
        yield from t.mixed(60)
        yield from campaigns.walk(t)

    await play(dut, traffic)


@cocotb.test()
async def counters_equal_the_model(dut: Any) -> None:
    """Every counter of answers and depths equals the model's; clocks and visits are plausible."""
    device, traffic = await started(dut)
    law = device.scoreboard.law
    await device.run(traffic.mixed(250, keys=2))
    first = await device.counters()
    expected = law.counters()
    assert {name: first[name] for name in expected} == expected
    assert first["first_accept"] < first["last_verdict"] < first["clocks"]
    assert 0 < first["busy_clocks"] <= first["clocks"]
    assert first["posted_visited"] > 0 and first["unexpected_visited"] > 0
    for name in ("doorbell_errors", "disabled_drops", "completion_errors", "register_errors"):
        assert first[name] == 0, f"{name} is {first[name]}"
    # A snapshot stands still while the unit works on.
    await device.run(traffic.mixed(20))
    offset = regs.COUNTERS["posts"]
    assert (await device.read_raw(offset))[1] == first["posts"]


@cocotb.test()
async def r13_two_pages_at_once_stay_apart(dut: Any) -> None:
    """R13: pages of two endpoints interleave the same keys; each sees only its own entries."""
    device, traffic = await started(dut)

    def interleaved() -> Iterable[Item]:
        for _ in range(40):
            one, two = traffic.random.sample(list(traffic.endpoints), 2)
            for endpoint in (one, two, one, two):
                kind = traffic.random.choice([traffic.post, traffic.arrive])
                yield kind(endpoint, **KEY)

    await device.run(interleaved())
    for endpoint in traffic.endpoints:
        assert device.rings[endpoint].produced > 0
    device.scoreboard.finish()


@cocotb.test()
async def r11_full_ring_holds_back_and_loses_nothing(dut: Any) -> None:
    """R11, R15: nobody reads the ring; the unit waits, then every completion comes in order."""
    device, traffic = await started(dut)
    device.auto_consume = False
    ring = device.rings[0]
    # A consumer index follows the commands on the same port, so there has to be room for these.
    for _ in range(ring.size + PRESET.command_queue):
        device.submit(Operation(Opcode.PROBE, 0, handle=traffic.handle(), **KEY))
        await ClockCycles(dut.clock, 2)
    await ClockCycles(dut.clock, 2500)
    assert ring.unread == ring.size
    before = device.scoreboard.compared
    await ClockCycles(dut.clock, 300)
    assert device.scoreboard.compared == before, "the unit wrote into a full ring"
    device.auto_consume = True
    ring.read()
    device.consume(0)
    await device.drain()
    device.scoreboard.finish()
    counters = await device.counters()
    assert counters["completion_stall_clocks"] > 300


@cocotb.test()
async def r13_a_ring_that_nobody_reads_stops_the_others_for_its_patience(dut: Any) -> None:
    """R13: then its page is disabled, what has no room is lost, and all others go on."""
    device, traffic = await started(dut)
    await device.write("RING_PATIENCE", 400)
    device.auto_consume = False
    for _ in range(device.rings[0].size):
        device.submit(Operation(Opcode.PROBE, 0, handle=traffic.handle(), **KEY))
    await device.drain()
    device.auto_consume = True
    for _ in range(6):
        device.ring_doorbell(0, Operation(Opcode.PROBE, 0, handle=traffic.handle(), **KEY).record())

    def others() -> Iterable[Item]:
        for _ in range(60):
            endpoint = traffic.random.randrange(1, PRESET.endpoints)
            yield traffic.random.choice([traffic.post, traffic.arrive])(endpoint, **KEY)

    await device.run(others())
    device.scoreboard.finish()
    assert device.rings[0].unread == device.rings[0].size
    counters = await device.counters()
    assert counters["ring_overruns"] == 1
    assert 400 <= counters["completion_stall_clocks"] < 3000
    await device.write("RING_PATIENCE", 0)
    device.ring_doorbell(0, Operation(Opcode.PROBE, 0, handle=1, **KEY).record())
    await ClockCycles(dut.clock, 200)
    now = await device.counters()
    assert now["disabled_drops"] == counters["disabled_drops"] + 1
    assert now["ring_overruns"] == 1


@cocotb.test()
async def without_pauses(dut: Any) -> None:
    """Random traffic at full speed, as many commands in flight as may wait on chip."""
    device, traffic = await started(dut, with_pauses=False)
    device.in_flight = PRESET.command_queue
    await device.run(traffic.mixed(400))
    device.scoreboard.finish()
