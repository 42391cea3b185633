# SPDX-License-Identifier: Apache-2.0
"""The whole unit, preset tiny: registers, bad accesses, bad doorbells, resets, broken memory."""

from dataclasses import replace
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiResp
from opentmu import regs
from opentmu.bench import seed
from opentmu.bench.coverage import ALL_SOURCE
from opentmu.bench.device import RING_AREA, Device
from opentmu.bench.law import Law, Quota
from opentmu.bench.records import pages_of
from opentmu.bench.registers import bit
from opentmu.bench.scoreboard import Scoreboard
from opentmu.bench.traffic import Traffic
from opentmu.regs import Opcode

PRESET = regs.PRESETS["tiny"]
PAGE = regs.DOORBELL_PAGE_BYTES
CONSUMER = regs.DOORBELL_CONSUMER_OFFSET


async def started(dut: Any) -> tuple[Device, Traffic]:
    """A device with a ring on every page, and traffic for it."""
    law = Law(PRESET)
    device = Device(dut, Scoreboard(law), seed.current())
    await device.start()
    return device, Traffic(law, seed.current())


@cocotb.test()
async def discovery_registers_tell_the_preset(dut: Any) -> None:
    """Magic, version and every build parameter."""
    device, _ = await started(dut)
    assert await device.read("MAGIC") == regs.MAGIC
    low, _ = regs.REGISTER_FIELDS["INTERFACE_VERSION"]["MAJOR"]
    version = regs.INTERFACE_MAJOR << low | regs.INTERFACE_MINOR
    assert await device.read("INTERFACE_VERSION") == version
    assert await device.read("PRESET") == PRESET.number
    for name in regs.REGISTERS:
        if hasattr(PRESET, name.lower()):
            assert await device.read(name) == getattr(PRESET, name.lower()), name


@cocotb.test()
async def bad_register_accesses_are_refused_and_counted(dut: Any) -> None:
    """R13: unmapped, read-only and partial accesses change nothing; each counts once."""
    device, traffic = await started(dut)
    errors = 0
    used = set(regs.REGISTERS.values())
    used |= {at + word for at in regs.COUNTERS.values() for word in (0, 4)}
    unmapped = [at for at in range(0, regs.REGISTER_BYTES, 4) if at not in used]
    for offset in [*traffic.random.sample(unmapped, 12), unmapped[0], unmapped[-1]]:
        assert await device.read_raw(offset) == (AxiResp.SLVERR, 0), hex(offset)
        assert await device.write_raw(offset, b"\xff" * 4) == AxiResp.SLVERR, hex(offset)
        errors += 2
    for name, access in regs.REGISTER_ACCESS.items():
        if access == "r":
            before = await device.read(name)
            offset = regs.REGISTERS[name]
            assert await device.write_raw(offset, b"\xff" * 4) == AxiResp.SLVERR, name
            assert await device.read(name) == before, name
            errors += 1
        elif access == "rw":
            before = await device.read(name)
            for size in (1, 2, 3):
                resp = await device.write_raw(regs.REGISTERS[name], b"\xff" * size)
                assert resp == AxiResp.SLVERR, f"{size} bytes of {name}"
                errors += 1
            assert await device.read(name) == before, name
    assert (await device.counters())["register_errors"] == errors
    await device.run(traffic.mixed(20))


@cocotb.test()
async def writable_registers_keep_their_bits(dut: Any) -> None:
    """Written values are read, in the bits that exist; triggers read 0."""
    device, _ = await started(dut)
    for name, access in regs.REGISTER_ACCESS.items():
        if access == "rw":
            fields = regs.REGISTER_FIELDS.get(name)
            mask = sum(bit(name, field) for field in fields) if fields else ALL_SOURCE
            for value in (ALL_SOURCE, 0x5A5A5A5A, 0):
                await device.write(name, value)
                assert await device.read(name) == value & mask, name
        elif access == "w":
            assert await device.read(name) == 0, name


@cocotb.test()
async def bad_doorbells_are_refused_and_counted(dut: Any) -> None:
    """R13: wrong sizes, addresses, pages and reads; the queues stay as they were."""
    device, traffic = await started(dut)
    await device.run(traffic.mixed(30))
    good = traffic.post(0).record()
    bad = [
        (0, good[:32]),
        (32, good[:32]),
        (60, good[:4]),
        (CONSUMER, good[:8]),
        (CONSUMER, b"\x01"),
        (CONSUMER + 4, good[:8]),
        (CONSUMER + 8, good[:4]),
        (CONSUMER + 64, good),
        (PAGE - 64, good),
        (CONSUMER, good),
        ((PRESET.queues + 1) * PAGE, good),
        ((PRESET.queues + 1) * PAGE + CONSUMER, b"\0\0\0\0"),
    ]
    for address, data in bad:
        event = device.doorbells.init_write(address, data)
        await event.wait()
        assert event.data.resp == AxiResp.SLVERR, f"{len(data)} bytes to {address:#x}"
    answer = await device.doorbells.read(0, 64)
    assert answer.resp == AxiResp.SLVERR and not any(answer.data)
    counters = await device.counters()
    assert counters["doorbell_errors"] == len(bad) + 1
    await device.run(traffic.mixed(30))
    device.scoreboard.finish()


@cocotb.test()
async def commands_of_disabled_pages_are_dropped(dut: Any) -> None:
    """R13: a page without a ring has no voice; the others do not notice."""
    law = Law(PRESET)
    device = Device(dut, Scoreboard(law), seed.current())
    traffic = Traffic(law, seed.current())
    await device.start(pages=[*pages_of(PRESET, 0), PRESET.queues])
    for _ in range(5):
        event = device.ring_doorbell(1, traffic.make(Opcode.FLUSH, 1).record())
        await event.wait()
        device.submit(traffic.make(Opcode.PROBE, 0))
        await device.drain()
    assert (await device.counters())["disabled_drops"] == 5
    for page in pages_of(PRESET, 1):
        await device.configure(page, regs.RING_LOG2_MIN)
    device.submit(traffic.make(Opcode.PROBE, 1))
    await device.drain()
    device.scoreboard.finish()


@cocotb.test()
async def r13_bad_page_configurations_are_refused(dut: Any) -> None:
    """R13: each field out of range is refused and said; the page goes on as it was."""
    device, traffic = await started(dut)
    low, _ = regs.REGISTER_FIELDS["QUEUE_CONFIG"]["LOG2"]
    enable = bit("RING_CONFIG", "ENABLE")
    good = {
        "PAGE_SELECT": 1,
        "PAGE_ENDPOINT": 1,
        "RING_CONFIG": enable | regs.RING_LOG2_MIN,
        "QUEUE_CONFIG": 2 << low,
    }
    bad = [
        {"PAGE_SELECT": PRESET.queues + 1},
        {"PAGE_ENDPOINT": PRESET.endpoints},
        {"RING_CONFIG": enable | regs.RING_LOG2_MIN - 1},
        {"RING_CONFIG": enable | regs.RING_LOG2_MAX + 1},
        {"QUEUE_CONFIG": 2 << low | 2},
        {"QUEUE_CONFIG": 2 << low | PRESET.command_slots},
        {"QUEUE_CONFIG": 15 << low},
    ]
    for wrong in bad:
        for name, value in {**good, **wrong}.items():
            await device.write(name, value)
        assert await device.commit() == bit("PAGE_STATUS", "ERROR"), wrong
    await device.run(traffic.mixed(60))
    device.scoreboard.finish()


@cocotb.test()
async def r14_soft_reset_in_the_middle_of_traffic(dut: Any) -> None:
    """R14: what was answered before was right; afterwards all is empty and starts from 0."""
    device, traffic = await started(dut)
    privileged = PRESET.queues
    await device.configure(privileged, regs.RING_LOG2_MIN, share_log2=6)
    for wait in (0, 7, 150, 600):
        for endpoint in traffic.endpoints:
            await device.set_quota(Quota(endpoint, 3, 3))
        writes = []
        for drawn in traffic.mixed(40, inspect=False):
            # One page, for between pages there is no order, and room for all.
            operation = replace(drawn, page=privileged, endpoint=drawn.target(PRESET))
            device.scoreboard.sent(operation)
            writes.append(device.ring_doorbell(operation.page, operation.record()))
        await ClockCycles(dut.clock, wait)
        await device.write("CONTROL", bit("CONTROL", "RESET"))
        for event in writes:
            await event.wait()
        await device.until_ready()
        await device.until_idle()
        assert device.memory.failure is None, device.memory.failure
        device.rings.clear()
        traffic = Traffic(device.fresh_law(), seed.current())
        counters = await device.counters()
        assert counters["posts"] == counters["posted_depth_max"] == 0
        for page in device.all_pages():
            await device.configure(
                page, regs.RING_LOG2_MIN, share_log2=6 if page == privileged else 4
            )
        await device.run(traffic.empty_all())
        await device.run(traffic.mixed(80, mix={"post": 4, "arrive": 2}))
        device.scoreboard.finish()


@cocotb.test()
async def broken_memory_is_counted(dut: Any) -> None:
    """A completion write that memory refuses is counted; the stream goes on."""
    device, traffic = await started(dut)
    await device.run(traffic.mixed(10))
    device.memory.broken = 7
    await device.run(traffic.mixed(30))
    device.scoreboard.finish()
    assert device.memory.refused == 7
    for _ in range(200):
        await ClockCycles(dut.clock, 10)
        if (await device.counters())["completion_errors"] == 7:
            return
    raise AssertionError((await device.counters())["completion_errors"])


@cocotb.test()
async def depths_and_quotas_through_registers(dut: Any) -> None:
    """R11: READ_DEPTH agrees with the law; an endpoint that is not there is an error."""
    device, traffic = await started(dut)
    await device.run(traffic.mixed(120, mix={"post": 2, "arrive": 2}))
    law = device.scoreboard.law
    for endpoint in traffic.endpoints:
        await device.write("ENDPOINT_SELECT", endpoint)
        assert await device.endpoint_command("READ_DEPTH") == 0
        depths = [law.model.depth(endpoint, queue) for queue in law.tables]
        found = [await device.read("DEPTH_POSTED"), await device.read("DEPTH_UNEXPECTED")]
        assert found == depths, f"endpoint {endpoint}: {found}, the law says {depths}"
    for endpoint in (PRESET.endpoints, ALL_SOURCE):
        await device.write("ENDPOINT_SELECT", endpoint)
        for name in ("READ_DEPTH", "SET_QUOTA"):
            assert await device.endpoint_command(name) == bit("ENDPOINT_STATUS", "ERROR")
    await device.run(traffic.mixed(60, mix={"post": 2, "arrive": 2}))
    device.scoreboard.finish()


@cocotb.test()
async def rings_of_several_sizes_and_addresses(dut: Any) -> None:
    """Laps, phases and addresses above 4 GiB; a new configuration starts at index 0."""
    device, traffic = await started(dut)
    for log2, base in ((4, 0x12_3456_0000_0000), (5, 64), (6, 2**64 - (64 << 6))):
        for page in device.all_pages():
            address = base if page == 0 else (page + 1) * RING_AREA
            await device.configure(page, log2, address)
        await device.run(traffic.make(Opcode.PROBE, 0) for _ in range((3 << log2) + 1))
    device.scoreboard.finish()
    assert device.rings[0].produced > 0
