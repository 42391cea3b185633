# SPDX-License-Identifier: Apache-2.0
"""SendSide: from commands to frames and completions, over a network that loses some (W4, W8)."""

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from opentmu.bench.handshake import Source, Values
from opentmu.bench.send_side import (
    ENDPOINTS,
    FIRST_PEER,
    MEMORIES,
    MTU,
    PEERS,
    REGION,
    SIZE,
    Bench,
)
from opentmu.bench.send_target import OK, RESPONSE, Said
from opentmu.regs import Status

TOO_BIG = 25


def wrong(bench: Bench, values: Values, payload: bytes) -> tuple[Values, Status]:
    """A command that is refused, whatever it was, and how."""
    peer, memory = values["peer"], values["peer"] % ENDPOINTS
    piece = {"pieces": 1, "memory": memory, "address": REGION, "length": 8} | bench.inline(b"")
    piece.pop("inline0")
    cases: list[tuple[Values, Status]] = [
        ({"own": (memory + 1) % ENDPOINTS}, Status.REFUSED_PEER),
        ({"peer": PEERS, "own": memory}, Status.REFUSED_PEER),
        ({"peer": 1 << 15, "own": memory}, Status.REFUSED_PEER),
        (piece | {"memory": (memory + 1) % ENDPOINTS}, Status.REFUSED_MEMORY),
        (piece | {"memory": MEMORIES}, Status.REFUSED_MEMORY),
        (piece | {"address": REGION - 1}, Status.REFUSED_MEMORY),
        (piece | {"address": REGION + SIZE - 7}, Status.REFUSED_MEMORY),
        (piece | {"address": (1 << 64) - 4}, Status.REFUSED_MEMORY),
        (piece | {"pieces": 2, "address": REGION + 8}, Status.REFUSED_MEMORY),
        (piece | {"pieces": 5}, Status.MALFORMED),
        (piece | {"inline2": 1}, Status.MALFORMED),
        ({"pieces": 0, "memory": 0, "length": TOO_BIG}, Status.MALFORMED),
        ({"pieces": 0, "memory": 1, "length": 0}, Status.MALFORMED),
        ({"header": 0, "header_data": 1}, Status.MALFORMED),
    ]
    change, status = bench.random.choice(cases)
    clean = {"peer": peer} | bench.inline(b"")
    if "pieces" in change and change["pieces"] != 0:
        clean.pop("inline0")
    return clean | change, status


async def random_command(bench: Bench) -> None:
    """Any command: one in five is refused."""
    random = bench.random
    peer = random.randrange(PEERS)
    near = MTU * random.randrange(1, 5) + random.randrange(-1, 2)
    size = random.choice((0, 1, 8, near, random.randrange(6 * MTU)))
    payload = random.randbytes(size)
    values: Values = {"peer": peer}
    if random.random() < 0.2:
        values, status = wrong(bench, values, payload)
        await bench.send(values, b"", status)
        return
    if random.random() < 0.5:
        values |= {"header": 1, "header_data": random.getrandbits(64)}
    said = None
    inline = random.random() < 0.3
    if inline:
        payload = payload[:24]
    elif random.random() < 0.15:
        # Refused with its first packet, so that it ends early.
        said = Said(RESPONSE, 0x18, 0, 0, 0)
        payload = random.randbytes(40 * MTU)
    if said is None and random.random() < 0.2:
        said = Said(RESPONSE, OK, 0, 0, random.randrange(len(payload) + 1))
    count, memory = random.randrange(1, 5), peer % ENDPOINTS
    values |= bench.inline(payload) if inline else bench.pieces(payload, count, memory)
    await bench.send(values, payload, said=said)


@cocotb.test()
async def w4_w8_random_commands(dut: Any) -> None:
    """Bytes at hand, in a piece, in a list, to peers that refuse some, and commands of others."""
    bench = Bench(dut, drop=0.02)
    await bench.start()
    for _ in range(200):
        await random_command(bench)
    await bench.until_ended(60000)
    assert dut.io_idle.value
    assert bench.kinds["requests"] > 200 and bench.kinds["aborts"] > 0
    refused = (Status.MALFORMED, Status.REFUSED_PEER, Status.REFUSED_MEMORY)
    assert all(bench.kinds[status.name] > 2 for status in refused), bench.kinds


@cocotb.test()
async def w8_what_is_used_stays(dut: Any) -> None:
    """A peer and memory do not change while a message uses them; then they can."""
    bench = Bench(dut, pausing=False)
    await bench.start()
    target = bench.targets[FIRST_PEER + 1]
    target.silent = True
    payload = bench.random.randbytes(300)
    await bench.send({"peer": 1} | bench.pieces(payload, 2, 1), payload)
    await ClockCycles(dut.clock, 100)

    async def remove(port: Source, name: str, remove: int = 1) -> bool:
        fields = {"index": 1, "remove": remove}
        task = cocotb.start_soon(port.send(**fields))
        await RisingEdge(dut.clock)
        refused = bool(getattr(dut, f"io_{name}Refused").value)
        await task
        return refused

    assert await remove(bench.peer, "peer") and await remove(bench.registered, "memory")
    assert await remove(bench.peer, "peer", 0) and await remove(bench.registered, "memory", 0)
    target.silent = False
    await bench.until_ended(20000)
    assert not await remove(bench.peer, "peer") and not await remove(bench.registered, "memory")
    await bench.send({"peer": 1} | bench.inline(b"x"), b"x", Status.REFUSED_PEER)
    await bench.send(
        {"peer": 1 + ENDPOINTS, "own": 1} | bench.inline(b"x"), b"x", Status.REFUSED_PEER
    )
    await bench.until_ended(2000)


@cocotb.test()
async def memory_that_fails(dut: Any) -> None:
    """Payload that cannot be read is told to be unusable, and its message ends all the same."""
    bench = Bench(dut)
    await bench.start()
    bench.broken = 0.1
    for number in range(40):
        payload = bench.random.randbytes(bench.random.randrange(1, 4 * MTU))
        peer = number % PEERS
        await bench.send({"peer": peer} | bench.pieces(payload, 1, peer % ENDPOINTS), payload)
    await bench.until_ended(30000)
    assert bench.kinds["failed"] > 3


@cocotb.test()
async def a_beat_every_clock(dut: Any) -> None:
    """Messages of 32 KiB in packets of 4,096 bytes: the port has no pause."""
    bench = Bench(dut, pausing=False)
    await bench.start(retransmit=4000, mtu=4096)
    for peer in range(3):
        payload = bench.random.randbytes(1 << 15)
        await bench.send({"peer": peer} | bench.pieces(payload, 1, peer), payload)
    while bench.taker.beats < 100:
        await RisingEdge(dut.clock)
    before = bench.taker.beats
    await ClockCycles(dut.clock, 1000)
    assert bench.taker.beats - before >= 990, f"{bench.taker.beats - before} beats"
    await bench.until_ended(10000)
