# SPDX-License-Identifier: Apache-2.0
"""CompletionWriter: slots, phases, bytes, full rings and memory errors."""

from random import Random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from opentmu import regs
from opentmu.bench.completion_writer import INDICES, Writer
from opentmu.bench.handshake import Values
from opentmu.bench.memory import Ring
from opentmu.bench.records import unpack
from opentmu.regs import Status


def verdict(random: Random, page: int, status: int = Status.MATCHED) -> Values:
    """A verdict with every bit at random."""
    wide = {"handle": 64, "other": 64, "key_bits": 64, "ignore_bits": 64, "address": 64}
    wide |= {"serial": 32, "endpoint": 32, "key_source": 32, "ignore_source": 32}
    wide |= {"messageLength": 48, "receiveLength": 48, "latency": 16, "opcode": 8}
    wide |= {"truncated": 1, "unexpected": 1}
    drawn = {name: random.getrandbits(bits) for name, bits in wide.items()}
    return {"page": page, "status": status, "stamp": 0, **drawn}


def check_bytes(data: bytes, sent: Values) -> None:
    """R15: every field of the verdict is in the completion, unchanged."""
    found = unpack(regs.COMPLETION_FIELDS, data)
    same = ["opcode", "status", "truncated", "unexpected", "handle", "other", "endpoint", "address"]
    expected = {name: sent[name] for name in same}
    expected |= {"match": sent["key_bits"], "source": sent["key_source"]}
    if sent["status"] == Status.ENTRY:
        length = sent["messageLength" if sent["unexpected"] else "receiveLength"]
        expected |= {"entry_source_ignore": sent["ignore_source"], "message_length": length}
        expected |= {"entry_ignore": sent["ignore_bits"]}
    else:
        expected |= {"serial": sent["serial"], "unit_latency": sent["latency"]}
        expected |= {"message_length": sent["messageLength"]}
        expected |= {"receive_length": sent["receiveLength"]}
    assert {name: found[name] for name in expected} == expected


@cocotb.test()
async def r15_every_field_at_its_offset(dut: Any) -> None:
    """R15: random verdicts of every status on three pages; slots, phases and laps."""
    rings = {0: Ring(0, 0, 4), 1: Ring(1, 1 << 40, 5), 4: Ring(4, 2**64 - (64 << 6), 6)}
    writer = Writer(dut, rings)
    await writer.start()
    for n in range(200):
        page = writer.random.choice(list(rings))
        sent = verdict(writer.random, page, 1 + n % max(Status))
        await writer.verdicts.send(**sent)
        address, data = await writer.next()
        rings[page].take(address, data)
        rings[page].read()
        writer.consumers[page] = rings[page].consumed
        check_bytes(data, sent)
    assert all(ring.produced > ring.size // 2 for ring in rings.values())


@cocotb.test()
async def back_to_back_to_one_ring(dut: Any) -> None:
    """Several verdicts in flight to one ring take consecutive slots."""
    ring = Ring(2, 4096, 6)
    writer = Writer(dut, {2: ring})
    await writer.start()
    sent = [verdict(writer.random, 2) for _ in range(ring.size)]
    for one in sent:
        await writer.verdicts.send(**one)
    for one in sent:
        address, data = await writer.next()
        ring.take(address, data)
        check_bytes(data, one)


@cocotb.test()
async def r11_a_full_ring_waits_for_its_owner(dut: Any) -> None:
    """R11: not one completion too many, however the index moves; nothing is lost."""
    ring = Ring(3, 1 << 20, 4)
    writer = Writer(dut, {3: ring})
    writer.producers[3] = writer.consumers[3] = INDICES - 5
    ring.produced = ring.consumed = INDICES - 5
    await writer.start()
    total = 3 * ring.size
    feed = cocotb.start_soon(_feed(writer, 3, total))
    for _ in range(total):
        for _ in range(writer.random.choice([0, 300])):
            await RisingEdge(dut.clock)
        address, data = await writer.next()
        ring.take(address, data)
        if ring.unread == ring.size:
            await ClockCycles(dut.clock, 100)
            assert not writer.written, "a full ring was written"
            assert dut.io_stream_waits.value or feed.done()
            ring.consumed += writer.random.randrange(1, ring.size + 1)
            writer.consumers[3] = ring.consumed % INDICES
    await feed


@cocotb.test()
async def r13_a_full_ring_is_given_up_after_its_patience(dut: Any) -> None:
    """R13: not before; its page is named until it is taken, and what waited is dropped then."""
    ring = Ring(2, 1 << 20, 4)
    writer = Writer(dut, {2: ring})
    await writer.start()
    dut.io_patience.value = 500
    feed = cocotb.start_soon(_feed(writer, 2, ring.size + 3))
    for _ in range(ring.size):
        ring.take(*await writer.next())
    await ClockCycles(dut.clock, 400)
    assert not dut.io_disable_valid.value
    await ClockCycles(dut.clock, 700)
    assert dut.io_disable_valid.value and dut.io_disable_bits.value == 2
    writer.disabled.add(2)
    dut.io_disable_ready.value = dut.io_configured.value = 1
    await RisingEdge(dut.clock)
    dut.io_disable_ready.value = dut.io_configured.value = 0
    await feed
    await ClockCycles(dut.clock, 100)
    assert dut.io_idle.value and not writer.written and not dut.io_disable_valid.value


@cocotb.test()
async def last_answers_are_counted_written_or_dropped(dut: Any) -> None:
    """R13: what a command's end is known by; a flush's reports are no ends."""
    ring = Ring(1, 0, 6)
    writer = Writer(dut, {1: ring})
    await writer.start()
    for status in (Status.REMOVED, Status.MATCHED, Status.REMOVED, Status.FLUSHED):
        await writer.verdicts.send(**verdict(writer.random, 1, status))
        await writer.next()
    writer.disabled.add(1)
    await ClockCycles(dut.clock, 5)
    for status in (Status.QUEUED, Status.REMOVED, Status.NONE):
        await writer.verdicts.send(**verdict(writer.random, 1, status))
    await ClockCycles(dut.clock, 20)
    assert writer.producers[1] == 4 and writer.finals[1] == 4 and not writer.written


@cocotb.test()
async def r13_a_fence_waits_for_the_writes_before_it(dut: Any) -> None:
    """R13: and not for those behind it; while it is held, the writer makes none."""
    ring = Ring(1, 0, 6)
    writer = Writer(dut, {1: ring})
    await writer.start()
    for _ in range(10):
        await _feed(writer, 1, 5)
        dut.io_hold.value = 1
        await ClockCycles(dut.clock, 3)
        before = writer.producers[1]
        dut.io_fence.value = 1
        await RisingEdge(dut.clock)
        dut.io_fence.value = 0
        await RisingEdge(dut.clock)
        dut.io_hold.value = 0
        feed = cocotb.start_soon(_feed(writer, 1, 4))
        while not dut.io_fenced.value:
            await RisingEdge(dut.clock)
        made = before - ring.produced
        assert len(writer.written) >= made, f"{len(writer.written)} of {made} writes are made"
        await feed
        while ring.produced != writer.producers[1] or not dut.io_idle.value:
            while writer.written:
                ring.take(*writer.written.popleft())
                ring.read()
            writer.consumers[1] = ring.consumed % INDICES
            await RisingEdge(dut.clock)


@cocotb.test()
async def memory_errors_are_reported(dut: Any) -> None:
    """Each refused write is one error; the writes after it go on."""
    ring = Ring(0, 0, 6)
    writer = Writer(dut, {0: ring})
    await writer.start()
    writer.refuse = 3
    await _feed(writer, 0, 10)
    for _ in range(10):
        ring.take(*await writer.next())
    await ClockCycles(dut.clock, 200)
    assert writer.errors == 3 and dut.io_idle.value


@cocotb.test()
async def r14_discard_drops_and_gets_idle(dut: Any) -> None:
    """R14: while the unit is being reset, verdicts go nowhere, even those of a full ring."""
    ring = Ring(1, 0, 4)
    writer = Writer(dut, {1: ring})
    await writer.start()
    feed = cocotb.start_soon(_feed(writer, 1, ring.size + 4))
    await ClockCycles(dut.clock, 1500)
    assert len(writer.written) == ring.size and not feed.done()
    dut.io_discard.value = 1
    await feed
    await ClockCycles(dut.clock, 200)
    assert len(writer.written) == ring.size and dut.io_idle.value


@cocotb.test()
async def host_latency_counts_and_saturates(dut: Any) -> None:
    """Clocks from the doorbell to the completion, at most what 16 bits hold."""
    ring = Ring(0, 0, 6)
    writer = Writer(dut, {0: ring})
    await writer.start()
    for past, least in ((5, 5), (1000, 1000), (0x20000, 0xFFFF)):
        stamp = (int(dut.io_now.value) - past) & 0xFFFFFFFF
        await writer.verdicts.send(**{**verdict(writer.random, 0), "stamp": stamp})
        address, data = await writer.next()
        ring.take(address, data)
        found = unpack(regs.COMPLETION_FIELDS, data)["host_latency"]
        assert least <= found <= min(least + 100, 0xFFFF), (past, found)


async def _feed(writer: Writer, page: int, count: int) -> None:
    for _ in range(count):
        await writer.verdicts.send(**verdict(writer.random, page))
