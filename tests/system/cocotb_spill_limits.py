# SPDX-License-Identifier: Apache-2.0
"""The whole unit, preset tiny, with memory: quotas, resets, broken memory, shared pages."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import cocotb
from cocotb.triggers import ClockCycles
from opentmu import regs
from opentmu.bench import seed
from opentmu.bench.coverage import ALL_MATCH, ALL_SOURCE
from opentmu.bench.device import Device
from opentmu.bench.law import Law, Quota
from opentmu.bench.records import Answer, Operation, pages_of
from opentmu.bench.registers import bit
from opentmu.bench.spill_memory import registered
from opentmu.bench.traffic import ALL_WILD, CONTEXT_SHIFT, SOME_WILD, Item, Traffic
from opentmu.regs import Opcode, Status

# cocotb finds this file by its folder, outside of any package; mypy reads it within one.
if TYPE_CHECKING:
    from .cocotb_spill import PRESET, started
else:
    from cocotb_spill import PRESET, started

TABLE = PRESET.posted_entries
# Commands that need memory, one each 1,000 clocks, until one has met its failure.
ATTEMPTS = 100


def at_quotas(traffic: Traffic, most: int) -> Iterator[Item]:
    """Both queues of an endpoint to their quotas and beyond, with others beside (R11)."""
    yield Quota(0, most, most - 3)
    for n in range(most + 4):
        yield traffic.post(0, match=n, source=1)
        yield traffic.arrive(0, match=n, source=2)
        if n % 8 == 0:
            yield traffic.post(1, match=n, source=3)
    # One leaves each queue, from chip or from memory, and one has room again.
    for n in (0, most - 4, most // 2, 1):
        yield traffic.arrive(0, match=n, source=1)
        for again in (most, most + 1):
            yield traffic.post(0, match=again, source=1)
        yield traffic.make(Opcode.CLAIM, 0, match=n, source=2)
        for again in (most, most + 1):
            yield traffic.arrive(0, match=again, source=2)
    # A quota that was lowered leaves what is there, and lets nothing in before there is room.
    yield Quota(0, most - 2, 1)
    for n in (2, 3, 4):
        yield traffic.make(Opcode.CLAIM, 0, match=n, source=2)
        yield traffic.arrive(0, match=n, source=2)
        yield traffic.arrive(0, match=n, source=1)
        yield traffic.post(0, match=n, source=1)
    yield Quota(0, 0, 0)
    yield traffic.post(0, match=5, source=1)


def fill(traffic: Traffic, count: int) -> Iterator[Operation]:
    """Receives of endpoint 0, so many that some lie in memory."""
    for n in range(count):
        yield replace(traffic.post(0, match=n, source=1), page=0)


def many_chunks(traffic: Traffic) -> Iterator[Operation]:
    """Lists of several chunks, of which flushes take whole ones from anywhere (R14)."""
    yield from traffic.empty_all()
    # The second context has several chunks in a row, between those of others.
    context = [0] * 140 + [1] * 190 + [2] * 60
    for n, number in enumerate(context):
        key = {"match": number << CONTEXT_SHIFT | n, "source": 1}
        yield traffic.post(0, **key) if n % 64 < 60 else traffic.arrive(0, **key)
    # A few from the inside and from both ends, equal keys among them, then whole chunks.
    for n in (250, 100, 101, 0, 65, 379, 200):
        key = {"match": context[n] << CONTEXT_SHIFT | n, "source": 1}
        yield traffic.arrive(0, **key)
    yield traffic.flush_context(0, 1)
    for n in range(70):
        yield traffic.post(0, match=4 << CONTEXT_SHIFT | n % 8, source=1)
    yield traffic.flush_context(0, 0)
    for n in range(20):
        yield traffic.arrive(0, match=4 << CONTEXT_SHIFT | n % 8, source=1)
    yield traffic.flush_context(0, 2)
    for n in range(60):
        yield traffic.arrive(0, match=4 << CONTEXT_SHIFT | n % 8, source=1)
    yield from traffic.empty_all()


async def again(device: Device, segments: int) -> Traffic:
    """After software's reset: an empty unit, its pages open, memory registered anew."""
    law = device.fresh_law()
    assert registered(await device.read("SPILL_STATUS")) == await device.read("SPILL_FREE") == 0
    for page in device.all_pages():
        await device.configure(page, regs.RING_LOG2_MIN)
    await device.add_memory(segments)
    return Traffic(law, seed.current())


@cocotb.test()
async def r11_quotas_count_what_lies_on_chip_and_in_memory(dut: Any) -> None:
    """R11: refused and stalled at exactly the quota, and room as soon as an entry has left."""
    device, traffic = await started(dut)
    most = TABLE + 20
    await device.run(at_quotas(traffic, most))
    device.scoreboard.finish()
    await device.until_idle()
    tables = traffic.law.tables.values()
    for endpoint in traffic.endpoints:
        counts = tuple(sum(one.endpoint == endpoint for one in table) for table in tables)
        assert await device.depths(endpoint) == counts, f"endpoint {endpoint}"
    refused = traffic.law.counters()["post_refused"], traffic.law.counters()["arrive_stalled"]
    assert min(refused) >= 8, "the traffic has not met its quotas"


@cocotb.test()
async def r14_reset_with_entries_and_commands_in_memory(dut: Any) -> None:
    """R14: a reset at any time forgets what lies in memory, and memory itself."""
    device, traffic = await started(dut, segments=1)
    random = Random(seed.current())
    for _ in range(3):
        for operation in fill(traffic, TABLE + 30):
            device.unjudged.add(operation.page)
            device.writes.append(device.ring_doorbell(0, operation.record()))
            await ClockCycles(dut.clock, random.randrange(12))
        for probe in range(random.randrange(10)):
            operation = replace(traffic.make(Opcode.PROBE, 0, match=probe), page=0)
            device.writes.append(device.ring_doorbell(0, operation.record()))
        await ClockCycles(dut.clock, random.choice((0, 20, 200, 1000)))
        await device.soft_reset()
        assert device.memory.failure is None, device.memory.failure
        await device.until_idle()
        device.writes.clear()
        traffic = await again(device, 1)
        await device.run(traffic.mixed(40, keys=2, wild=ALL_WILD, inspect=False))
        device.scoreboard.finish()


@cocotb.test()
async def r14_flushes_take_whole_chunks(dut: Any) -> None:
    """R3, R4, R14: chunks leave lists at their heads, tails and in between; all come back."""
    device, traffic = await started(dut, segments=1)
    free = await device.read("SPILL_FREE")
    await device.run(many_chunks(traffic))
    device.scoreboard.finish()
    assert await device.read("SPILL_FREE") == free


@cocotb.test()
async def a_segment_too_many_is_an_error(dut: Any) -> None:
    """SPILL_COMMIT beyond the maximum sets ERROR and changes nothing; the next reset clears it."""
    device, _ = await started(dut, segments=PRESET.spill_segments)
    error = bit("SPILL_STATUS", "ERROR")
    free = await device.read("SPILL_FREE")
    await device.write("SPILL_COMMIT", bit("SPILL_COMMIT", "ADD"))
    status = await device.read("SPILL_STATUS")
    assert status & error and registered(status) == PRESET.spill_segments
    assert await device.read("SPILL_FREE") == free
    await device.soft_reset()
    assert await device.read("SPILL_STATUS") == 0


def story(law: Law, answers: list[Answer], sent: dict[int, Operation]) -> None:
    """R7: what two pages of one endpoint were told is what the law says in the order of serials."""
    for answer in sorted(answers, key=lambda one: one.serial):
        expected = law.step(sent[answer.handle]).answers
        assert not expected[0].differences(answer), expected[0].differences(answer)


@cocotb.test()
async def r7_two_pages_of_one_endpoint(dut: Any) -> None:
    """R7, R11: pages race for queues in memory; each keeps its order, and the law has one."""
    device, traffic = await started(dut)
    pages = [*pages_of(PRESET, 2), traffic.privileged]
    device.unjudged.update(pages)
    mix = {"post": 6.0, "arrive": 6.0, "probe": 1.0, "claim": 0.5, "cancel": 1.0}
    draws = traffic.draws(9, SOME_WILD, mix, [2])
    sent: dict[int, Operation] = {}
    order: dict[int, list[int]] = {page: [] for page in pages}
    for number in range(420):
        page = traffic.random.choice(pages)
        drawn = next(draws)
        ident = number if drawn.opcode == Opcode.POST else drawn.receive_id
        if drawn.opcode == Opcode.CANCEL:
            ident = traffic.random.randrange(number + 1)
        operation = replace(drawn, page=page, endpoint=2, receive_id=ident)
        sent[operation.handle] = operation
        order[page].append(operation.handle)
        device.writes.append(device.ring_doorbell(page, operation.record()))
        await device.until_kept(len(sent) - 12)
    await device.drain()
    await device.until_kept(len(sent))
    answers = list(device.kept)
    assert [one.serial for one in sorted(answers, key=lambda one: one.serial)] == list(
        range(len(sent))
    )
    serials = {one.handle: one.serial for one in answers}
    for page, handles in order.items():
        numbers = [serials[handle] for handle in handles]
        assert numbers == sorted(numbers), f"R7: page {page} was not served in its order"
    story(Law(PRESET, spills=True), answers, sent)
    assert (await device.counters())["spill_deferred"] > 50


async def broken(dut: Any, opcode: int, *, writes: bool = False, removed: int = 0) -> None:
    """Memory fails while an endpoint has entries there; others go on, and a reset mends it.

    With `removed` it fails when a flush has reported so many entries; there are so many that the
    oldest in memory do not lie on chip as well.
    """
    device, traffic = await started(dut, segments=1)
    await device.run(fill(traffic, TABLE + (430 if removed else 70)))
    other = Traffic(traffic.law, seed.current() + 1)
    device.unjudged.add(0)
    ask = replace(traffic.make(opcode, 0, match=1 << 40), page=0, endpoint=0)
    if opcode == Opcode.POST:
        ask = replace(ask, receive_id=12345)
    if opcode == Opcode.FLUSH:
        ask = replace(ask, ignore=ALL_MATCH, source_ignore=ALL_SOURCE)
    if removed:
        device.ring_doorbell(0, ask.record())
        await device.until_kept(removed)
    device.spill.broken_writes, device.spill.broken_reads = int(writes), int(not writes)
    for _ in range(ATTEMPTS):
        if device.kept and device.kept[-1].status == Status.SPILL_FAILED:
            break
        if not removed:
            device.ring_doorbell(0, replace(ask, handle=traffic.handle()).record())
        await ClockCycles(dut.clock, 1000)
    else:
        raise TimeoutError("nobody is told that memory has failed")
    assert device.spill.refused == 1
    assert (await device.counters())["spill_errors"] == 1
    # Endpoint 3 has nothing there, and few entries: nothing of it is deferred (R13).
    for n in range(4):
        await device.run([other.arrive(3, match=n), other.post(3, match=n)])
    await device.soft_reset()
    await device.until_idle()
    traffic = await again(device, 1)
    await device.run(fill(traffic, TABLE + 5))
    await device.run(traffic.empty_all())
    device.scoreboard.finish()


@cocotb.test()
async def r13_a_read_that_fails_ends_a_search(dut: Any) -> None:
    """R13: the search is answered, and so is each that comes after it."""
    await broken(dut, Opcode.ARRIVE)


@cocotb.test()
async def r14_a_read_that_fails_ends_a_flush(dut: Any) -> None:
    """R14: a flush in the middle of its sweep; software's reset still comes to its end."""
    await broken(dut, Opcode.FLUSH, removed=TABLE + 10)


@cocotb.test()
async def r13_a_write_that_fails_is_counted(dut: Any) -> None:
    """R13: what was to be kept may be lost, so nothing in memory is trusted any more."""
    await broken(dut, Opcode.POST, writes=True)
