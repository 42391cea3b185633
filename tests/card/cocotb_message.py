# SPDX-License-Identifier: Apache-2.0
"""MessageStage: messages of packets (W1), answers, and what is refused, judged by a model."""

from itertools import takewhile
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles
from opentmu.bench.handshake import Values
from opentmu.bench.message_bench import NAMES, Bench
from opentmu.bench.message_model import BAD_JOB, FIRST, LAST, RELATIVE, TAGGED, VIOLATION, Message

PERIOD = 200
CODES = {1, 2, 3, 4, 6, 7, 0x18, 0x19, 0x1A, 0x1B, 0x1D, 0x20, 0x23}


@cocotb.test()
async def w1_random_packets(dut: Any) -> None:
    """W1, W6: packets among changes of names, 3,000 and more until each answer was given."""
    bench = Bench(dut)
    await bench.start()
    for step in takewhile(lambda at: at < 3000 or set(bench.codes) != CODES, range(30_000)):
        if step % 30 == 0:
            await bench.until_quiet()
            for _ in range(bench.random.randrange(4)):
                level, name, state = bench.drawn.change()
                await bench.name(level, name, **state)
        await bench.until_room()
        await bench.packet(bench.drawn.random_packet())
    await bench.end()
    assert set(bench.codes) == CODES, f"{bench.codes}"


@cocotb.test()
async def a_full_table_of_names_refuses_and_changes_nothing(dut: Any) -> None:
    """More processes than the table has: some are refused, and each of the others is found."""
    bench = Bench(dut, pausing=False, slow=False)
    await bench.start()
    kept = []
    entry = {"endpoint": 3, "enabled": 1, "usesGeneration": 0, "generation": 0}
    for _ in range(2 * NAMES):
        name = {"relative": 1, "job": bench.random.getrandbits(24)}
        name |= {"pid": bench.random.getrandbits(12), "index": 0}
        process = (1, name["job"], name["pid"])
        for level in range(3):
            if not await bench.tell(level, name, entry, remove=0):
                break
        else:
            kept.append(name)
            tables = bench.model.tables
            tables.jobs.add(name["job"])
            tables.processes.add(process)
            tables.endpoints[*process, 0] = entry
    assert NAMES // 3 < len(kept) < NAMES
    for name in kept:
        fields = {f"ses_{key}": name[key] for key in ("job", "pid", "index")}
        await bench.until_room()
        await bench.packet(bench.drawn.fields() | fields)
    await bench.end()
    assert bench.codes == {1: len(kept)}


@cocotb.test()
async def no_room_for_messages(dut: Any) -> None:
    """Messages that the host is not told of use all numbers up: no room; then there is again."""
    bench = Bench(dut, pausing=False, slow=False)
    await bench.start()
    hold, bench.untold = bench.untold, []
    bench.untold = []
    sent = 0
    waiting: list[Message] = []
    while dut.io_room.value and sent < 300:
        await bench.packet(bench.drawn.fields())
        waiting += bench.untold
        bench.untold.clear()
        sent += 1
        await ClockCycles(dut.clock, 4)
    assert 200 < sent <= 256 and not hold
    bench.untold += waiting
    await bench.end()
    assert dut.io_room.value


@cocotb.test()
async def contexts_use_up(dut: Any) -> None:
    """Messages that stay open use all contexts up: no room; closed connections give them back."""
    bench = Bench(dut, pausing=False, slow=False)
    await bench.start()
    long = {"ses_requestLength": 5000, "payloadBytes": 1024, "beats": 16, "pdc": 1}
    sent = 0
    while dut.io_room.value and sent < 60:
        fields = bench.drawn.fields() | long
        await bench.packet(fields | {"ses_flags": FIRST | RELATIVE})
        sent += 1
        await ClockCycles(dut.clock, 4)
    assert 16 < sent <= 32
    await bench.packet(bench.drawn.fields() | {"deliver": 0, "closes": 1, "pdc": 2, "beats": 0})
    await ClockCycles(dut.clock, 50)
    assert not dut.io_room.value
    await bench.packet(bench.drawn.fields() | {"deliver": 0, "closes": 1, "pdc": 1, "beats": 0})
    await bench.end()
    assert dut.io_room.value


@cocotb.test()
async def a_packet_every_two_clocks(dut: Any) -> None:
    """8-byte messages to their arrivals and answers at the rate of their frames."""
    bench = Bench(dut, pausing=False, slow=False)
    await bench.start()
    task = cocotb.start_soon(_send(bench, 100))
    await ClockCycles(dut.clock, 240)
    assert task.done()
    await bench.end()
    assert bench.codes == {1: 100}


async def _send(bench: Bench, count: int) -> None:
    for _ in range(count):
        await bench.packet(bench.drawn.fields())


@cocotb.test()
async def w7_a_message_that_stops_ends(dut: Any) -> None:
    """W7: its receive is told, its context is free, and what comes of it later belongs to none."""
    bench = Bench(dut, pausing=False, slow=False)
    await bench.start()
    dut.io_settings_idle.value = PERIOD
    size = {"ses_requestLength": 6000, "payloadBytes": 1000, "beats": 16, "pdc": 1}
    size |= {"pds_flags": 0, "ses_opcode": TAGGED}

    def part(number: int, offset: int, **values: int) -> Values:
        span = {"ses_messageId": number, "ses_messageOffset": offset, "ses_payloadLength": 1000}
        flags = RELATIVE | (FIRST if offset == 0 else 0)
        return bench.drawn.fields() | size | span | {"ses_flags": flags} | values

    for number in (1, 2):
        await bench.packet(part(number, 0, payloadBytes=1024))
    await bench.packet(part(3, 0, payloadBytes=1024, ses_job=9))
    await ClockCycles(dut.clock, PERIOD // 4)
    # One goes on in every period, the last packet longer than a first may be; two stop.
    for step in range(4):
        await ClockCycles(dut.clock, PERIOD)
        if step == 2:
            for number in (1, 3):
                bench.idle((1, number))
        more = {"payloadBytes": 1976, "ses_payloadLength": 1976, "ses_flags": LAST | RELATIVE}
        await bench.packet(part(2, 1024 + 1000 * step, **(more if step == 3 else {})))
    await bench.packet(part(1, 1024))
    await bench.packet(part(3, 1024))
    await bench.end()
    assert bench.codes == {BAD_JOB: 1, VIOLATION: 2, 1: 1}
