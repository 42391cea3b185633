# SPDX-License-Identifier: Apache-2.0
"""PdcStage: each packet in order and once (W1), judged by a model in Python."""

from typing import Any

import cocotb
from cocotb.triggers import ClockCycles
from opentmu.bench.pdc_bench import Bench, Initiator
from opentmu.bench.pdc_packet import (
    ACK_REQ,
    AR,
    CLEAR,
    CLOSE,
    CONTROL,
    NOOP,
    NUMBERS,
    PROBE,
    RETX,
    SYN,
    Nack,
    Outcome,
)


async def step(bench: Bench) -> None:
    """One packet at random: half of them right ones of a connection that there is."""
    random = bench.random
    if not bench.initiators or random.random() < 0.08:
        bench.initiators.append(bench.new_initiator())
    one = random.choice(bench.initiators)
    room, responses = random.random() < 0.9, random.random() < 0.9
    rooms = {"room": room, "response_room": responses}
    draw = random.random()
    if draw < 0.55:
        flags = random.choice((0, AR, RETX, RETX | AR))
        record = bench.record(one)
        record["pds_flags"] |= flags
        outcome = await bench.packet(record, **rooms)
        if outcome == Outcome.DELIVERED:
            one.next = (one.next + 1) % NUMBERS
        elif outcome == Outcome.NO_ROOM and room and responses:
            bench.initiators.remove(one)
        if random.random() < 0.7:
            bench.opened(one)
    elif draw < 0.72:
        away = random.choice((-1, -2, 1, 2, 60, 127, 128, 129, 4000, -100, -32769, -32770, 1 << 31))
        flags = random.choice((0, RETX, AR | RETX))
        record = bench.record(one, pds_psn=(one.next + away) % NUMBERS)
        record["pds_flags"] |= flags
        await bench.packet(record, **rooms)
    elif draw < 0.86:
        await control(bench, one)
    elif draw < 0.92 and bench.closed:
        await belated(bench, random.choice(bench.closed))
    else:
        record = bench.record(one)
        name = random.choice(
            ("pds_kind", "pds_next", "pds_flags", "pds_spdcid", "pds_dpdcid", "internet_source")
        )
        bits = {"pds_kind": 5, "pds_next": 4, "pds_flags": 7, "pds_spdcid": 3}.get(name, 16)
        record[name] = random.getrandbits(bits)
        if random.random() < 0.2:
            record["verdict"] = random.randrange(1, 14)
        before = bench.model.pdcs[:]
        await bench.packet(record, **rooms)
        # Its initiator must not go on from a connection that the packet may have moved.
        if len(before) != len(bench.model.pdcs) or one.dpdcid is not None:
            resynchronise(bench, one)


async def belated(bench: Bench, one: Initiator) -> None:
    """A packet of a connection that is closed: with SYN it is dropped until that is forgotten."""
    syn = bench.random.random() < 0.7
    number = one.start if syn else one.next
    copy = Initiator(one.address, one.spdcid, one.start, number, None if syn else one.dpdcid)
    if await bench.packet(bench.record(copy)) == Outcome.DELIVERED:
        copy.next = (copy.next + 1) % NUMBERS
        bench.closed.remove(one)
        bench.initiators.append(copy)


def resynchronise(bench: Bench, one: Initiator) -> None:
    """The initiator goes on where the connection is."""
    for pdc in bench.model.pdcs:
        if one.dpdcid is not None and bench.model.pdcid(pdc) == one.dpdcid:
            one.next = pdc.expected


async def control(bench: Bench, one: Initiator) -> None:
    """A control packet of an initiator; it may end the connection."""
    kind = bench.random.choice((NOOP, NOOP, ACK_REQ, CLEAR, CLOSE, CLOSE, PROBE, 5, 9))
    flags = bench.random.choice((AR, AR, 0, RETX | AR, SYN, SYN | AR))
    psn = (one.next + bench.random.choice((0, 0, 0, -1, 1))) % NUMBERS
    record = bench.record(
        one, pds_kind=CONTROL, pds_next=kind, pds_flags=flags, pds_psn=psn, ses_next=0
    )
    before = len(bench.model.pdcs)
    await bench.packet(record)
    resynchronise(bench, one)
    if len(bench.model.pdcs) < before:
        bench.initiators.remove(one)
        bench.closed.append(one)


@cocotb.test()
async def w1_random_packets(dut: Any) -> None:
    """W1: packets in order, repeated, missing, foreign, for connections that come and go."""
    bench = Bench(dut)
    await bench.start()
    for _ in range(4000):
        await step(bench)
    await bench.end()
    assert all(bench.counts[outcome] > 20 for outcome in Outcome), bench.counts


async def opened(bench: Bench, number: int) -> Initiator:
    """A connection of another peer, with one message."""
    peer = Initiator(0x0B000000 + number, 7, 100 * number, 100 * number)
    assert await bench.packet(bench.record(peer)) == Outcome.DELIVERED
    bench.opened(peer)
    peer.next += 1
    return peer


async def close(bench: Bench, peer: Initiator) -> Outcome:
    """Its initiator ends a connection."""
    packet = bench.record(peer, pds_kind=CONTROL, pds_next=CLOSE, pds_flags=AR)
    return await bench.packet(packet)


@cocotb.test()
async def w1_a_belated_copy_opens_nothing(dut: Any) -> None:
    """Copies of all packets of a closed connection; its peer opens others; it is forgotten."""
    bench = Bench(dut)
    await bench.start()
    peer = await opened(bench, 1)
    sent = [bench.record(Initiator(peer.address, 7, 100, psn), pds_psn=psn) for psn in (100, 101)]
    sent += [bench.record(peer)]
    assert await bench.packet(sent[1]) == Outcome.DELIVERED
    peer.next = 102
    assert await bench.packet(bench.record(peer)) == Outcome.DELIVERED
    peer.next = 103
    assert await close(bench, peer) == Outcome.CONTROL
    for flags in (0, RETX):
        for packet, outcome in zip(sent, [Outcome.DUPLICATE] * 2 + [Outcome.REFUSED], strict=True):
            again = packet | {"pds_flags": packet["pds_flags"] | flags}
            assert await bench.packet(again) == outcome
    # Another start is another connection, beside which the old one stays closed.
    other = Initiator(peer.address, 7, 70000, 70000)
    assert await bench.packet(bench.record(other)) == Outcome.DELIVERED
    assert await bench.packet(sent[0]) == Outcome.DUPLICATE
    await bench.wait(500)
    assert await bench.packet(sent[0]) == Outcome.DUPLICATE
    await bench.wait(400)
    bench.opened(other)
    other.next += 1
    assert await close(bench, other) == Outcome.CONTROL
    assert await bench.packet(sent[0]) == Outcome.DELIVERED
    await bench.end()


@cocotb.test()
async def w1_a_table_that_is_full(dut: Any) -> None:
    """A connection more than there is room for is refused and counted; quarantine is never cut."""
    bench = Bench(dut)
    await bench.start()
    peers = [await opened(bench, number) for number in range(16)]
    more = bench.record(Initiator(0x0B000010, 7, 1600, 1600))
    assert await bench.packet(more) == Outcome.NO_ROOM
    assert await close(bench, peers[3]) == Outcome.CONTROL
    assert await close(bench, peers[3]) == Outcome.REFUSED
    assert await bench.packet(more) == Outcome.NO_ROOM
    for peer in peers[:3] + peers[4:]:
        assert await close(bench, peer) == Outcome.CONTROL
    refused = 2
    closed = bench.clock
    while await bench.packet(more) == Outcome.NO_ROOM:
        refused += 1
        assert bench.clock < closed + 800
    # The first that was closed made room; the others did not before they had waited as long.
    assert bench.clock >= 600 and refused > 20
    assert bench.counts[Outcome.NO_ROOM] == refused
    await bench.end()


@cocotb.test()
async def a_packet_every_two_clocks(dut: Any) -> None:
    """No pause: an 8-byte message has two beats, and takes no longer here."""
    bench = Bench(dut, pausing=False)
    await bench.start()
    peer = Initiator(1, 1, 9, 9)
    await bench.packet(bench.record(peer))
    bench.opened(peer)
    record = bench.record(peer)

    async def send() -> None:
        for number in range(100):
            await bench.source.send(**record | {"pds_psn": 10 + number})

    task = cocotb.start_soon(send())
    await ClockCycles(dut.clock, 210)
    assert task.done() and len(bench.out.taken) == 100
    assert all(one["deliver"] for one in bench.out.taken)
    assert not bench.answers.taken
    assert Nack.ROD_OOO not in bench.counts
